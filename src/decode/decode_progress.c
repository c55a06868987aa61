// SPDX-License-Identifier: GPL-2.0-only
#include "decode/decode_progress.h"

#include <poll.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "decode/capture_times.h"
#include "summary/status_text.h"

#define PATIENCE 1000000000ull /* so long nothing is shown, ns */
#define INTERVAL 200000000ull  /* between two lines, ns */
#define NS_PER_MS 1000000

void decode_progress__begin(struct decode_progress *progress, const char *file, uint64_t end,
			    const struct decode_work *work)
{
	*progress = (struct decode_progress){.work = *work, .last = end};
	if (work->is_quiet || !log__shows_status())
		return;
	progress->is_wanted = true;
	progress->file = text__printable(file);
	if (!work->since)
		progress->work.since = clock__ns(CLOCK_MONOTONIC);
	if (end == UINT64_MAX)
		progress->last = capture_times__last(file);
}

static void show(const struct decode_progress *progress, uint64_t now)
{
	const struct decode_text line = {
		.file = progress->file ? progress->file : "",
		.part = progress->work.part,
		.parts = progress->work.parts,
		.time = now - progress->work.since,
		.done = progress->at - progress->first,
		.all = progress->last > progress->first && progress->first ? progress->last - progress->first
									   : 0,
	};
	char text[256];

	decode_text__format(&line, text, sizeof(text));
	log__status("auxbpf: %s", text);
}

/* Shows the line if it is time. Returns how long that is not so, ms. */
static int look(struct decode_progress *progress)
{
	uint64_t now = clock__ns(CLOCK_MONOTONIC);
	uint64_t next = progress->shown ? progress->shown + INTERVAL : progress->work.since + PATIENCE;

	if (now >= next) {
		show(progress, now);
		progress->shown = now;
		next = now + INTERVAL;
	}
	return (int)((next - now) / NS_PER_MS) + 1;
}

void decode_progress__wait(struct decode_progress *progress, int fd)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};

	while (progress->is_wanted && !poll(&wanted, 1, look(progress)))
		;
}

void decode_progress__end(struct decode_progress *progress)
{
	if (progress->shown)
		log__clear_status();
	free(progress->file);
	*progress = (struct decode_progress){0};
}
