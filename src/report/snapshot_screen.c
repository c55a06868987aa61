// SPDX-License-Identifier: GPL-2.0-only
#include "report/snapshot_screen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/duration_groups.h"

static int make_groups(struct duration_groups *groups, const struct snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots__nr(snapshots); i++) {
		const struct snapshot_line *s = snapshots__at(snapshots, i);
		struct duration_group *group = duration_groups__get(groups, s->rule);

		if (!group)
			return -ENOMEM;
		group->nr++;
		if (s->has_duration)
			duration_group__add(group, s->duration);
	}
	return 0;
}

static void print_us(FILE *to, const struct histogram *h, uint64_t ns)
{
	if (h->nr)
		fprintf(to, " %9" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
	else
		fprintf(to, " %13s", "-");
}

static void print_groups(FILE *to, const struct duration_groups *groups)
{
	fputs("\n#     nr        p50 us        p90 us        max us  rule\n", to);
	for (size_t i = 0; i < groups->nr; i++) {
		const struct duration_group *group = groups->list[i];
		const struct histogram *h = &group->durations;

		fprintf(to, "%8" PRIu64, group->nr);
		print_us(to, h, histogram__permille(h, 500));
		print_us(to, h, histogram__permille(h, 900));
		print_us(to, h, h->max);
		fprintf(to, "  %s\n", group->name);
	}
}

static void print_snapshot(FILE *to, const struct snapshot_line *s)
{
	fprintf(to, "%s %s", s->time, s->name);
	if (s->comm)
		fprintf(to, ", %s %" PRId32 "/%" PRId32 ", CPU %" PRId32, s->comm, s->pid, s->tid, s->cpu);
	if (s->event)
		fprintf(to, ", %s", s->event);
	if (s->has_duration)
		fprintf(to, ", %" PRIu64 ".%03" PRIu64 " us", s->duration / 1000, s->duration % 1000);
	fprintf(to, ", %" PRIu64 " bytes, blind %" PRIu64 ".%03" PRIu64 " us: %s\n", s->bytes,
		s->blind / 1000, s->blind % 1000, s->rule);
}

/* The index does not tell of which rules the triggers were that were missed. */
static void print_numbers(FILE *to, const struct snapshots *snapshots)
{
	size_t nr = snapshots__nr(snapshots);
	uint64_t missed = 0;

	for (size_t i = 0; i < nr; i++)
		missed += snapshots__at(snapshots, i)->missed;
	fprintf(to, "# %zu snapshot%s", nr, log__plural(nr));
	if (missed)
		fprintf(to, ", %" PRIu64 " trigger%s of any rule missed before them", missed,
			log__plural(missed));
	if (snapshots->nr_removed)
		fprintf(to, "; %zu older one%s made room for them", snapshots->nr_removed,
			log__plural(snapshots->nr_removed));
	fputc('\n', to);
}

int snapshot_screen__print(FILE *to, const struct snapshots *snapshots)
{
	size_t nr = snapshots__nr(snapshots);
	struct duration_groups groups = {0};
	int err = make_groups(&groups, snapshots);

	if (!err)
		print_numbers(to, snapshots);
	if (!err && nr) {
		print_groups(to, &groups);
		fputs("\n# each\n", to);
		for (size_t i = 0; i < nr; i++)
			print_snapshot(to, snapshots__at(snapshots, i));
	}
	duration_groups__release(&groups);
	return err;
}

void snapshot_screen__print_json(FILE *to, const struct snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots__nr(snapshots); i++)
		fprintf(to, "%s\n", snapshots__at(snapshots, i)->json);
}
