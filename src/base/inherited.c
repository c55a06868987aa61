// SPDX-License-Identifier: GPL-2.0-only
#include "base/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"

static const struct {
	int signal;
	void (*handler)(int signal);
} changed[] = {
	{SIGCHLD, SIG_DFL}, {SIGINT, SIG_DFL}, {SIGTERM, SIG_DFL}, {SIGPIPE, SIG_IGN}, {SIGXFSZ, SIG_IGN},
};

static struct {
	bool has_files;
	struct rlimit files;
	bool is_changed; /* the signals are changed */
	sigset_t blocked;
	struct sigaction actions[ARRAY_SIZE(changed)];
	bool closed[STDERR_FILENO + 1];
} found;

void inherited__open_standard(void)
{
	/* open() returns the lowest descriptor that is free. */
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		found.closed[fd] = fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) == fd;
}

static void change_signals(void)
{
	sigset_t usr2;

	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigprocmask(SIG_BLOCK, &usr2, &found.blocked);
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		sigaction(changed[i].signal, &(struct sigaction){.sa_handler = changed[i].handler},
			  &found.actions[i]);
	found.is_changed = true;
}

void inherited__change(void)
{
	struct rlimit files;

	change_signals();
	found.has_files = !getrlimit(RLIMIT_NOFILE, &found.files);
	if (!found.has_files)
		return;
	files = found.files;
	files.rlim_cur = files.rlim_max;
	/* A limit that stays is no error: a warning comes when more files are needed. */
	if (setrlimit(RLIMIT_NOFILE, &files))
		log_debug("the limit of open files stays as it is: %s", strerror(errno));
}

/* How many files inherited__raise_files() was asked for. */
static uint64_t needed;

void inherited__raise_files(uint64_t nr)
{
	const struct rlimit wanted = {nr, nr};
	struct rlimit files;

	needed = nr;
	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= nr)
		return;
	if (setrlimit(RLIMIT_NOFILE, &wanted))
		log_warn("no more than %llu files can be open, and %llu may be needed for so many CPUs and "
			 "events: %s; raise the limit (ulimit -Hn, LimitNOFILE=), or name fewer CPUs with -C",
			 (unsigned long long)files.rlim_cur, (unsigned long long)nr, strerror(errno));
}

unsigned int inherited__share_files(unsigned int wanted, unsigned int users)
{
	const uint64_t all = needed + (uint64_t)wanted * users;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= all ||
	    !setrlimit(RLIMIT_NOFILE, &(const struct rlimit){all, all}))
		return wanted;
	return files.rlim_cur > needed ? (unsigned int)((files.rlim_cur - needed) / users) : 0;
}

void inherited__restore(void)
{
	if (found.has_files)
		setrlimit(RLIMIT_NOFILE, &found.files);
	for (size_t i = 0; found.is_changed && i < ARRAY_SIZE(changed); i++)
		sigaction(changed[i].signal, &found.actions[i], NULL);
	if (found.is_changed)
		sigprocmask(SIG_SETMASK, &found.blocked, NULL);
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (found.closed[fd])
			close(fd);
	}
}
