// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other tools, and auxbpf itself, as listeners that are processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/log.h"
#include "variant.h"

#define MAX_WORDS 24
#define START_MS 60000

struct tool_listener {
	const struct variant *variant;
	pid_t pid;
	int output;
	struct buf text; /* its output so far */
	char *words[MAX_WORDS + 1];
};

/* Returns a copy of @word with "@cpu", "@pid" and "@self" filled in; the caller frees it. */
static char *fill_word(const char *word, const struct bench *b)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	while (*word) {
		if (!strncmp(word, "@cpu", 4)) {
			fprintf(f, "%d", workers__cpu(b->workers));
			word += 4;
		} else if (!strncmp(word, "@pid", 4)) {
			fprintf(f, "%d", (int)workers__pid(b->workers, WORKER_TARGET));
			word += 4;
		} else if (!strncmp(word, "@self", 5)) {
			fprintf(f, "%s", b->self);
			word += 5;
		} else {
			fputc(*word++, f);
		}
	}
	return fclose(f) ? NULL : text;
}

static int fill_words(struct tool_listener *l, const struct bench *b)
{
	for (size_t i = 0; l->variant->command[i] && i < MAX_WORDS; i++) {
		l->words[i] = fill_word(l->variant->command[i], b);
		if (!l->words[i])
			return -ENOMEM;
	}
	return 0;
}

static _Noreturn void run(char **words, int output)
{
	const int nothing = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(nothing, 0);
	dup2(output, 1);
	dup2(output, 2);
	execvp(words[0], words);
	fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
	_exit(127);
}

static int spawn(struct tool_listener *l)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	l->output = pipes[0];
	l->pid = fork();
	if (!l->pid)
		run(l->words, pipes[1]);
	close(pipes[1]);
	return l->pid < 0 ? -errno : 0;
}

static bool has_said(const struct tool_listener *l, const char *what)
{
	return l->text.len && memmem(l->text.data, l->text.len, what, strlen(what));
}

/* Appends the tool's next output. Returns false at its end, or if there is none for long. */
static bool listen_on(struct tool_listener *l)
{
	struct pollfd pollfd = {.fd = l->output, .events = POLLIN};
	char some[4096];
	ssize_t n;

	if (poll(&pollfd, 1, START_MS) != 1)
		return false;
	n = read(l->output, some, sizeof(some));
	if (n > 0)
		buf__add(&l->text, some, (size_t)n);
	return n > 0;
}

int tool_listener__new(const struct variant *v, const struct bench *b, struct tool_listener **ret)
{
	_cleanup_(cleanup__tool_listener) struct tool_listener *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->variant = v;
	l->output = -1;
	err = fill_words(l, b);
	if (!err)
		err = spawn(l);
	if (err)
		return err;
	while (!has_said(l, v->marker))
		if (!listen_on(l))
			break;
	if (!has_said(l, v->marker)) {
		log_err("%s does not work here: %.*s", v->name, (int)l->text.len, (char *)l->text.data);
		return -EOPNOTSUPP;
	}
	*ret = steal_ptr(l);
	return 0;
}

void tool_listener__free(struct tool_listener *l)
{
	if (l->pid > 0) {
		kill(l->pid, SIGINT);
		while (listen_on(l))
			;
		kill(l->pid, SIGKILL);
		waitpid(l->pid, NULL, 0);
	}
	/* bpftrace prints how many of the calls it has counted; that must not be zero. */
	if (l->variant->yardstick == YARDSTICK_BPFTRACE && (!has_said(l, "@: ") || has_said(l, "@: 0\n")))
		log_err("%s has seen nothing", l->variant->name);
	cleanup__close(&l->output);
	buf__release(&l->text);
	for (size_t i = 0; l->words[i]; i++)
		free(l->words[i]);
	free(l);
}
