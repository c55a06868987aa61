// SPDX-License-Identifier: GPL-2.0-only
#include "decode/perf_decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/log.h"
#include "decode/decode_signals.h"
#include "decode/decoded.h"
#include "decode/filter_image.h"
#include "decode/switch_line.h"
#include "files/debug_dir.h"

#define MAX_ARGS 32
#define READ_SIZE (1 << 20)

/* No message is longer; a longer one is a fault of ours. */
#define LARGEST (64 << 10)

struct decoder {
	const struct decode_opts *opts;
	char *archive; /* of the programs that were traced, beside the trace */
	const struct decode_handler *handler;
	void *ctx;
	int filter; /* the shared object */
	int pipe;   /* the end that is read */
	int said;   /* what perf wrote to stderr */
	pid_t pid;
	struct decode_progress progress;
	size_t len;
	uint8_t buffer[READ_SIZE];
};

/* Replaces this process, a child, by perf. */
static void exec_perf(const struct decoder *d, int pipe)
{
	char filter[64], numbers[NR_DECODE_ARGS][32];
	const char *comm = d->opts->task.comm;
	const char *argv[MAX_ARGS] = {"perf"}, *perf = getenv("PERF");
	size_t nr = 1;

	snprintf(filter, sizeof(filter), "/proc/self/fd/%d", d->filter);
	snprintf(numbers[DECODE_ARG_FD], sizeof(numbers[0]), "%d", pipe);
	snprintf(numbers[DECODE_ARG_BEGIN], sizeof(numbers[0]), "%" PRIu64, d->opts->begin);
	snprintf(numbers[DECODE_ARG_END], sizeof(numbers[0]), "%" PRIu64, d->opts->end);
	snprintf(numbers[DECODE_ARG_SITES], sizeof(numbers[0]), "%d", d->opts->with_sites);
	snprintf(numbers[DECODE_ARG_TID], sizeof(numbers[0]), "%" PRId32, d->opts->task.tid);
	if (!access(d->archive, F_OK)) {
		argv[nr++] = "--buildid-dir";
		argv[nr++] = d->archive;
	}
	argv[nr++] = "script";
	argv[nr++] = "-i";
	argv[nr++] = d->opts->file;
	argv[nr++] = "--itrace=be";
	argv[nr++] = "--no-inline";
	if (d->opts->with_switches) {
		argv[nr++] = "--show-switch-events";
		argv[nr++] = "--ns";
	}
	argv[nr++] = "--dlfilter";
	argv[nr++] = filter;
	for (size_t i = 0; i < NR_DECODE_ARGS; i++) {
		argv[nr++] = "--dlarg";
		argv[nr++] = i != DECODE_ARG_COMM ? numbers[i] : comm ? comm : "";
	}
	/* execvp(3) does not change the words; its prototype is older than const. */
	execvp(perf ? perf : "perf", (char *const *)(uintptr_t)argv);
}

/* Never returns. The parent learns from the status that perf could not be run. */
static void run_child(const struct decoder *d, int pipe, pid_t parent)
{
	int null = open("/dev/null", O_RDWR);

	/* perf must not go on alone if auxbpf is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(d->said, STDERR_FILENO) < 0)
		_exit(126);
	exec_perf(d, pipe);
	_exit(errno == ENOENT ? 127 : 126);
}

static int start_perf(struct decoder *d)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe(ends))
		return -errno;
	/* A larger pipe saves switches to and fro; it is no fault if there is none. */
	fcntl(ends[1], F_SETPIPE_SZ, READ_SIZE);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	d->pid = fork();
	if (!d->pid)
		run_child(d, ends[1], parent);
	close(ends[1]);
	d->pipe = ends[0];
	return d->pid < 0 ? -errno : 0;
}

/* Hands over a line of perf's. */
static int hand_over_text(const struct decoder *d, const char *line)
{
	int32_t tid = d->opts->task.tid;
	struct task_switch s;

	if (!d->opts->with_switches || switch_line__read(line, &s))
		return d->handler->text(d->ctx, line);
	return tid < 0 || s.tid == tid ? d->handler->task_switch(d->ctx, &s) : 0;
}

static int hand_over(struct decoder *d, const struct decoded_head *head)
{
	const struct decode_handler *handler = d->handler;
	const struct decoded_function *function;
	const struct decoded_sample *sample;
	const struct decoded_task *task;
	const struct decoded_site *site;

	switch ((enum decoded_kind)head->kind) {
	case DECODED_BRANCH:
		decode_progress__reach(&d->progress, ((const struct decoded_branch *)head)->branch.time);
		return handler->branch(d->ctx, &((const struct decoded_branch *)head)->branch);
	case DECODED_SAMPLE:
		sample = (const struct decoded_sample *)head;
		decode_progress__reach(&d->progress, sample->sample.time);
		return handler->sample(d->ctx, &sample->sample, (const struct sample_frame *)(sample + 1));
	case DECODED_FUNCTION:
		function = (const struct decoded_function *)head;
		return handler->function(d->ctx, function->id, (const char *)(function + 1),
					 (const char *)(function + 1) + function->name_len);
	case DECODED_TASK:
		task = (const struct decoded_task *)head;
		return handler->task(d->ctx, task->tid, (const char *)(task + 1));
	case DECODED_TEXT:
		return hand_over_text(d, (const char *)((const struct decoded_text *)head + 1));
	case DECODED_SITE:
		site = (const struct decoded_site *)head;
		return handler->site(d->ctx, site->id, &site->site);
	}
	return -EBADMSG;
}

/* Hands over the messages that are whole, and keeps the rest. */
static int take_messages(struct decoder *d)
{
	size_t at = 0;
	int err = 0;

	while (!err && d->len - at >= sizeof(struct decoded_head)) {
		const struct decoded_head *head = (const struct decoded_head *)(const void *)(d->buffer + at);

		if (head->size < sizeof(*head) || head->size > LARGEST)
			return -EBADMSG;
		if (d->len - at < head->size)
			break;
		err = hand_over(d, head);
		at += head->size;
	}
	memmove(d->buffer, d->buffer + at, d->len - at);
	d->len -= at;
	return err;
}

static int read_all(struct decoder *d)
{
	int err = 0;

	while (!err) {
		ssize_t n;

		decode_progress__wait(&d->progress, d->pipe);
		n = read(d->pipe, d->buffer + d->len, READ_SIZE - d->len);
		if (!n)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			d->len += (size_t)n;
			err = take_messages(d);
		}
	}
	return err;
}

/* Logs the lines that perf wrote to stderr. */
static void log_said(const struct decoder *d)
{
	char text[4096];
	ssize_t len = pread(d->said, text, sizeof(text) - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		if (*line)
			log_err("perf: %s", line);
	}
}

/* Waits for perf's end. If it failed, that is logged, unless it was @ended by us. */
static int end_perf(struct decoder *d, bool ended)
{
	int status;

	if (ended)
		kill(d->pid, SIGKILL);
	while (waitpid(d->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	if (ended || !status)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		log_err("there is no perf, which decodes the trace: install linux-perf, or name it in PERF=");
		return -ENOENT;
	}
	log_said(d);
	log_err("perf script could not read '%s'", d->opts->file);
	return -EPROTO;
}

static int run(struct decoder *d)
{
	int err, ended;

	d->filter = filter_image__open();
	d->said = memfd_create("auxbpf-perf", MFD_CLOEXEC);
	err = d->filter < 0 ? d->filter : d->said < 0 ? -errno : start_perf(d);
	if (err) {
		log_err("cannot start perf script: %s", strerror(-err));
		return err;
	}
	decode_signals__catch(d->pid);
	decode_progress__begin(&d->progress, d->opts->file, d->opts->end, &d->opts->work);
	err = read_all(d);
	decode_progress__end(&d->progress);
	decode_signals__restore();
	ended = end_perf(d, err);
	return err ? err : ended;
}

int perf_decoder__run(const struct decode_opts *opts, const struct decode_handler *handler, void *ctx)
{
	_cleanup_free_ struct decoder *d = malloc(sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->opts = opts;
	d->handler = handler;
	d->ctx = ctx;
	d->len = 0;
	d->filter = d->pipe = d->said = -1;
	err = asprintf(&d->archive, "%s/" DEBUG_DIR, opts->file) < 0 ? -ENOMEM : run(d);
	close(d->filter);
	close(d->pipe);
	close(d->said);
	free(d->archive);
	return err;
}
