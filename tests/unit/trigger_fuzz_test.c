// SPDX-License-Identifier: GPL-2.0-only
/* Rules that are cut off; whole ones, those that broke something once among them, are in tests/fuzz/trigger. */
#include "../fuzz/trigger_fuzz.h"
#include "check.h"

/* Each cut at every place: what is half written is never worse than wrong. */
static void check_cuts(const char *text)
{
	char cut[256];

	for (size_t len = 0; len < strlen(text) && len < sizeof(cut); len++) {
		memcpy(cut, text, len);
		cut[len] = '\0';
		CHECK(!trigger_fuzz__check(cut));
	}
}

int main(void)
{
	check_cuts("syscall:openat,%file,!/^re/ (ret == -ENOENT || arg2 & O_CREAT) && uid == www-data");
	check_cuts("tracepoint:block:block_rq_error event.error < -1 && !(nr_sector >= 4k) || task.pid == 1");
	check_cuts("function:'/opt/a b:main' latency > 5ms && comm != \"it's\"");
	return check__done();
}
