// SPDX-License-Identifier: GPL-2.0-only
/* What a recorder is told of a trigger and of a snapshot, and what is counted of it. The disk is a real directory. */
#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "check.h"
#include "snapshot/snapshot_admission.h"
#include "snapshot/snapshot_index.h"

#define SECOND 1000000000ull
#define KIB 1024u
#define NAME "auxbpf-20260101T000000Z-000001.data"

static struct auxbpf_trigger_state states[AUXBPF_MAX_TRIGGERS];

/* Never looked into, but the header says that it is there. */
#define TRIGGERS ((struct gate_triggers *)&(char){0})

/* In place of the map that the programs write. */
struct auxbpf_trigger_state *gate_triggers__state(const struct gate_triggers *gt, uint32_t rule)
{
	return &states[rule];
}

static const struct trigger_set two = {.nr = 2};
static char path[64];
static struct snapshot_dir *dir;
static struct snapshot_store *store;
static struct snapshot_index *snapshot_index;

static void note_removed(void *ctx, const char *name)
{
}

static bool open_dir(void)
{
	snprintf(path, sizeof(path), "/tmp/auxbpf-admission-XXXXXX");
	return mkdtemp(path) && !snapshot_dir__open(path, &dir) &&
	       !snapshot_store__open(dir, note_removed, NULL, &store) &&
	       !snapshot_index__open(dir, "", false, 0, &snapshot_index);
}

static void close_dir(void)
{
	char command[128];

	snapshot_index__close(snapshot_index);
	snapshot_store__free(store);
	snapshot_dir__free(dir);
	snprintf(command, sizeof(command), "rm -rf %s", path);
	CHECK_EQ(system(command), 0);
}

/* As the writer leaves it. */
static void make_snapshot(size_t bytes)
{
	char command[256];

	snprintf(command, sizeof(command), "cd %s && mkdir -p %s && head -c %zu /dev/urandom >%s/data", path,
		 NAME, bytes, NAME);
	CHECK_EQ(system(command), 0);
}

static void begin(struct snapshot_admission *a, const struct snapshot_limits_opts *opts)
{
	memset(states, 0, sizeof(states));
	CHECK_EQ(snapshot_admission__init(a, opts, &two, TRIGGERS), 0);
	snapshot_admission__open(a, dir, store, snapshot_index);
}

static enum snapshot_verdict ask(struct snapshot_admission *a, uint32_t rule, uint64_t time)
{
	bool yields;

	return snapshot_admission__ask(a, rule, time, &yields);
}

static uint64_t left_out(const struct snapshot_admission *a, uint32_t rule, enum snapshot_verdict why)
{
	return snapshot_limits__count(a->counts.limits, rule, why) + a->counts.counts[rule].unkept[why];
}

/* A rule that had one has to wait, another one has not; what the programs leave out then is counted as that. */
static void test_cool_down(void)
{
	const struct snapshot_limits_opts opts = {.cool_down = 3600 * SECOND};
	struct snapshot_admission a;
	uint64_t now = clock__ns(CLOCK_MONOTONIC);

	begin(&a, &opts);
	CHECK_EQ(ask(&a, 0, now), SNAPSHOT_TAKE);
	snapshot_admission__took(&a, 0, now);
	snapshot_admission__settle(&a, 0, SNAPSHOT_TAKE);
	CHECK_EQ(states[0].quiet_until, now + opts.cool_down);
	CHECK_EQ(states[1].quiet_until, 0);
	CHECK_EQ(ask(&a, 0, now + 1), SNAPSHOT_COOL_DOWN);
	CHECK_EQ(ask(&a, 1, now + 1), SNAPSHOT_TAKE);
	CHECK_EQ(left_out(&a, 0, SNAPSHOT_COOL_DOWN), 1);
	states[0].quiet = 7;
	snapshot_admission__settle(&a, 0, SNAPSHOT_COOL_DOWN);
	CHECK_EQ(left_out(&a, 0, SNAPSHOT_COOL_DOWN), 8);
	CHECK_EQ(states[0].missed, 0);
	snapshot_admission__release(&a);
}

/* The recording is complete with the last one that is taken, whether or not it becomes a file. */
static void test_count(void)
{
	const struct snapshot_limits_opts opts = {.max_count = 2};
	struct snapshot_admission a;

	begin(&a, &opts);
	CHECK_EQ(ask(&a, 0, 1), SNAPSHOT_TAKE);
	snapshot_admission__took(&a, 0, 1);
	CHECK(!snapshot_admission__is_complete(&a));
	snapshot_admission__took(&a, 1, 2);
	CHECK(snapshot_admission__is_complete(&a));
	CHECK_EQ(ask(&a, 1, 3), SNAPSHOT_COUNT);
	snapshot_admission__unkept(&a, 0, -EIO);
	CHECK_EQ(left_out(&a, 0, SNAPSHOT_TAKE), 2); /* one taken, one of these lost */
	CHECK(snapshot_admission__is_complete(&a));
	snapshot_admission__release(&a);
}

/* Without a spare a trigger is missed; a rule that has one leaves the last to others. */
static void test_spares(void)
{
	const struct snapshot_limits_opts opts = {0};
	struct snapshot_admission a;
	bool yields = true;

	begin(&a, &opts);
	snapshot_admission__spare(&a, 0, 1, 1);
	CHECK_EQ(snapshot_admission__ask(&a, 0, 1, &yields), SNAPSHOT_TAKE);
	CHECK(yields);
	snapshot_admission__miss(&a, 0);
	CHECK_EQ(states[0].missed, 1);
	CHECK_EQ(snapshot_admission__ask(&a, 1, 1, &yields), SNAPSHOT_TAKE);
	CHECK(!yields);
	snapshot_admission__release(&a);
}

/* What is too large for the directory is left out, and said by its verdict; what fits is known to the store. */
static void test_room(void)
{
	const struct snapshot_limits_opts opts = {.max_bytes = 1024 * KIB};
	struct snapshot_admission a;
	struct snapshot_room room;

	begin(&a, &opts);
	CHECK_EQ(snapshot_admission__make_room(&a, 4096 * KIB), SNAPSHOT_BYTES);
	snapshot_admission__unkept(&a, 0, SNAPSHOT_BYTES);
	CHECK_EQ(left_out(&a, 0, SNAPSHOT_BYTES), 1);
	CHECK_EQ(snapshot_admission__make_room(&a, 64 * KIB), 0);
	CHECK(!snapshot_admission__extend(&a, 4096 * KIB));
	CHECK(snapshot_admission__extend(&a, 900 * KIB));
	CHECK(!snapshot_admission__is_full(&a));
	make_snapshot(900 * KIB);
	snapshot_admission__wrote(&a, NAME);
	room = snapshot_disk__seen(&a.disk);
	CHECK(room.used >= 900 * KIB);
	CHECK_EQ(snapshot_admission__make_room(&a, 200 * KIB), SNAPSHOT_BYTES);
	snapshot_admission__release(&a);
}

int main(void)
{
	if (!CHECK(open_dir()))
		return check__done();
	test_cool_down();
	test_count();
	test_spares();
	test_room();
	close_dir();
	return check__done();
}
