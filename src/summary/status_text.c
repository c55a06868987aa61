// SPDX-License-Identifier: GPL-2.0-only
#include "summary/status_text.h"

#include <stdio.h>

#define SECOND 1000000000ull

/* Writes a time as "1:02:03" or "2:03". */
static void format_clock(uint64_t ns, char *text, size_t size)
{
	unsigned long long s = ns / SECOND;

	if (s >= 3600)
		snprintf(text, size, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(text, size, "%llu:%02llu", s / 60, s % 60);
}

/* Writes a value with its unit. Few digits are enough for the eye. */
static void format_unit(double value, double step, const char *const *units, char *text, size_t size)
{
	while (value >= step && units[1]) {
		value /= step;
		units++;
	}
	snprintf(text, size, "%.*f %s", value < 10 && value > 0 ? 1 : 0, value, *units);
}

static const char *const sizes[] = {"bytes", "KiB", "MiB", "GiB", "TiB", NULL};

void status_text__format(const struct status_text *s, char *text, size_t size)
{
	static const char *const times[] = {"us", "ms", "s", NULL};
	char armed[32], bytes[32], blind[32];

	format_clock(s->armed, armed, sizeof(armed));
	format_unit((double)s->bytes, 1024, sizes, bytes, sizeof(bytes));
	format_unit((double)s->blind / 1000, 1000, times, blind, sizeof(blind));
	snprintf(text, size, "armed %s, seen %llu, snapshots %llu, missed %llu, %s, blind %s", armed,
		 (unsigned long long)s->seen, (unsigned long long)s->snapshots, (unsigned long long)s->missed,
		 bytes, blind);
}

void stream_text__format(const struct stream_text *s, char *text, size_t size)
{
	char time[32], bytes[32], rate[32];

	format_clock(s->time, time, sizeof(time));
	format_unit((double)s->bytes, 1024, sizes, bytes, sizeof(bytes));
	format_unit((double)s->rate, 1024, sizes, rate, sizeof(rate));
	snprintf(text, size, "tracing %s, %s, %s/s, lost %llu times", time, bytes, rate,
		 (unsigned long long)s->gaps);
}

void decode_text__format(const struct decode_text *s, char *text, size_t size)
{
	char part[64] = "", percent[32] = "", time[32];

	format_clock(s->time, time, sizeof(time));
	if (s->parts > 1)
		snprintf(part, sizeof(part), " %zu of %zu", s->part, s->parts);
	/* Behind an error the decoder may tell of any time. */
	if (s->all)
		snprintf(percent, sizeof(percent), ", %d%%",
			 s->done < s->all ? (int)(100.0 * (double)s->done / (double)s->all) : 100);
	snprintf(text, size, "decoding%s%s, %s: %s", part, percent, time, s->file);
}
