/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tested function says on stderr: said__begin(), the call, said__end(). A failed check in between would be taken
 * for something said, so there is none.
 */
#ifndef TESTS_UNIT_SAID_H
#define TESTS_UNIT_SAID_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct said {
	int stderr_fd, file;
};

static inline struct said said__begin(void)
{
	struct said said = {dup(STDERR_FILENO), memfd_create("said", MFD_CLOEXEC)};

	if (said.stderr_fd < 0 || dup2(said.file, STDERR_FILENO) < 0)
		abort();
	return said;
}

/* Puts stderr back; @text has what was said meanwhile, as far as there is room for it. */
static inline void said__end(struct said said, char *text, size_t size)
{
	ssize_t len = pread(said.file, text, size - 1, 0);

	dup2(said.stderr_fd, STDERR_FILENO);
	text[len > 0 ? len : 0] = '\0';
	close(said.stderr_fd);
	close(said.file);
}

#endif
