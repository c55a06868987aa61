/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all fuzzers share. Each is one file with LLVMFuzzerTestOneInput(), which makes it a fuzzer by libFuzzer and,
 * with FUZZ_INPUTS, a test that goes once through the inputs of that directory.
 *
 * An input of several parts has a line "%%" between two of them, so that it can be read and written by hand.
 */
#ifndef AUXBPF_TESTS_FUZZ_H
#define AUXBPF_TESTS_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "files/file_helper.h"

#define FUZZ_BETWEEN "\n%%\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for any input. Said on stdout: stderr, where parsers log, is closed while inputs are made up. */
#define FUZZ_CHECK(cond)                                                          \
	do {                                                                      \
		if (!(cond)) {                                                    \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
			fflush(stdout);                                           \
			abort();                                                  \
		}                                                                 \
	} while (0)

/* Files of others are looked into by this process (fuzz.mk): a fuzzer does not see what breaks in another one. */
int __wrap_file_helper__run(struct file_helper *helper, file_errand_fn fn, void *ctx,
			    struct file_errand *ret);
int __wrap_file_helper__run(struct file_helper *helper, file_errand_fn fn, void *ctx, struct file_errand *ret)
{
	return fn(ctx, ret);
}

/* What is left of an input. */
struct fuzz_input {
	const uint8_t *data;
	size_t len;
};

/* The next @bytes as a number; what is not there is 0. */
static inline uint64_t fuzz__number(struct fuzz_input *in, size_t bytes)
{
	uint64_t ret = 0;

	if (bytes > in->len)
		bytes = in->len;
	memcpy(&ret, in->data, bytes);
	in->data += bytes;
	in->len -= bytes;
	return ret;
}

/* The next part, in memory of its own, so that ASan sees its end. A NUL is behind it that is not counted if @text. */
static inline struct span fuzz__part(struct fuzz_input *in, bool text)
{
	const uint8_t *end = memmem(in->data, in->len, FUZZ_BETWEEN, strlen(FUZZ_BETWEEN));
	size_t len = end ? (size_t)(end - in->data) : in->len, skip = len + (end ? strlen(FUZZ_BETWEEN) : 0);
	char *copy = calloc(1, len + text);

	if (!copy && len + text)
		abort();
	if (len)
		memcpy(copy, in->data, len);
	in->data += skip;
	in->len -= skip;
	return (struct span){copy, len};
}

/* Released by _cleanup_free_. */
static inline void *fuzz__bytes(struct fuzz_input *in, size_t *len)
{
	struct span part = fuzz__part(in, false);

	*len = part.len;
	return (void *)(uintptr_t)part.data;
}

static inline char *fuzz__text(struct fuzz_input *in)
{
	return (char *)(uintptr_t)fuzz__part(in, true).data;
}

#ifdef FUZZ_INPUTS
#include "fuzz_replay.h"
#endif

#endif
