// SPDX-License-Identifier: GPL-2.0-only
/* The inputs with which the fuzzer of rules begins, those that broke something once among them. */
#include <dirent.h>

#include "../fuzz/trigger_fuzz.h"
#include "check.h"

#define INPUTS "tests/fuzz/trigger"

static void check_input(const char *name)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[512], text[65536];
	const char *wrong;

	snprintf(path, sizeof(path), INPUTS "/%s", name);
	f = fopen(path, "r");
	if (!CHECK(f))
		return;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	wrong = trigger_fuzz__check(text);
	if (!CHECK(!wrong))
		fprintf(stderr, "%s: %s is wrong\n", path, wrong);
}

/* Each cut at every place: what is half written is never worse than wrong. */
static void check_cuts(const char *text)
{
	char cut[256];

	for (size_t len = 0; len < strlen(text) && len < sizeof(cut); len++) {
		memcpy(cut, text, len);
		cut[len] = '\0';
		CHECK(!trigger_fuzz__check_rule(cut));
	}
}

int main(void)
{
	_cleanup_closedir_ DIR *dir = opendir(INPUTS);
	struct dirent *entry;

	if (!CHECK(dir))
		return check__done();
	while ((entry = readdir(dir))) {
		if (*entry->d_name != '.')
			check_input(entry->d_name);
	}
	check_cuts("syscall:openat,%file,!/^re/ (ret == -ENOENT || arg2 & O_CREAT) && uid == www-data");
	check_cuts("tracepoint:block:block_rq_error event.error < -1 && !(nr_sector >= 4k) || task.pid == 1");
	check_cuts("function:'/opt/a b:main' latency > 5ms && comm != \"it's\"");
	return check__done();
}
