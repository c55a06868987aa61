/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer as a test: each input of FUZZ_INPUTS once. Each is named before: of one that breaks it, the name is
 * the last.
 */
#ifndef AUXBPF_TESTS_FUZZ_REPLAY_H
#define AUXBPF_TESTS_FUZZ_REPLAY_H

#include <dirent.h>

#include "check.h"

static void replay__run(const char *name)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ uint8_t *data = NULL;
	size_t len;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", FUZZ_INPUTS, name);
	puts(path);
	f = fopen(path, "r");
	if (!CHECK(f) || !CHECK_EQ(fseek(f, 0, SEEK_END), 0))
		return;
	len = (size_t)ftell(f);
	rewind(f);
	data = malloc(len ? len : 1);
	if (CHECK(data) && CHECK_EQ(fread(data, 1, len, f), len))
		LLVMFuzzerTestOneInput(data, len);
}

int main(void)
{
	_cleanup_closedir_ DIR *dir = opendir(FUZZ_INPUTS);
	struct dirent *entry;
	int nr = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!CHECK(dir))
		return check__done();
	while ((entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		replay__run(entry->d_name);
		nr++;
	}
	CHECK(nr > 0);
	return check__done();
}

#endif
