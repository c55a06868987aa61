// SPDX-License-Identifier: GPL-2.0-only
/* A directory with snapshots and other things: what counts, what goes when room is needed, what never does.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/log.h"
#include "check.h"
#include "snapshot/snapshot_store.h"

#define FIRST "auxbpf-20260101T000000Z-000009.data"
#define SECOND "auxbpf-20260101T000001Z-000001.data"
#define THIRD "auxbpf-20260101T000001Z-000002.data"
#define PAGE 4096

static char dir[] = "/tmp/auxbpf-store-XXXXXX";

static bool is_there(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* A file of @pages pages that begins with @text. */
static void make_file(const char *name, const char *text, unsigned int pages)
{
	static char page[PAGE];
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		exit(1);
	memset(page, 0, sizeof(page));
	memcpy(page, text, strlen(text));
	for (unsigned int i = 0; i < pages; i++)
		fwrite(page, 1, sizeof(page), f);
	fclose(f);
}

static void unlink_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static void make_dir(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	mkdir(path, 0700);
}

/* What @nr directories with a few files take, which is nothing on some file systems. */
static uint64_t dirs(unsigned int nr)
{
	struct stat st;

	return stat(dir, &st) ? 0 : nr * (uint64_t)st.st_blocks * 512 / PAGE;
}

/* Two with a kernel in common, one that is a file, and what only looks like snapshots. */
static void fill(void)
{
	char from[256], to[256];

	make_dir(FIRST);
	make_file(FIRST "/data", "PERFILE2", 2);
	make_dir(FIRST "/kcore_dir");
	make_file(FIRST "/kcore_dir/kcore", "", 10);
	make_dir(SECOND);
	make_file(SECOND "/data", "PERFILE2", 3);
	make_dir(SECOND "/kcore_dir");
	snprintf(from, sizeof(from), "%s/" FIRST "/kcore_dir/kcore", dir);
	snprintf(to, sizeof(to), "%s/" SECOND "/kcore_dir/kcore", dir);
	if (link(from, to))
		exit(1);
	make_file(THIRD, "PERFILE2", 4);
	make_file("index.ndjson", "{}", 1);
	make_file("perf.data", "PERFILE2", 1);
	make_file("auxbpf-20200101T000000Z-000001.data", "no capture", 1);
	make_file("auxbpf-20200101T000000Z-000002.data.old", "PERFILE2", 1);
	snprintf(to, sizeof(to), "%s/auxbpf-20200101T000000Z-000003.data", dir);
	if (symlink(THIRD, to))
		exit(1);
	make_dir("auxbpf-20200101T000000Z-000004.data");
	make_file("auxbpf-20200101T000000Z-000004.data/data", "PERFILE2", 1);
	make_file("auxbpf-20200101T000000Z-000004.data/notes", "mine", 1);
}

static uint64_t used(struct snapshot_store *store)
{
	struct snapshot_room room;

	snapshot_store__room(store, 0, &room);
	return room.used / PAGE;
}

static void check_others(void)
{
	CHECK(is_there("index.ndjson"));
	CHECK(is_there("perf.data"));
	CHECK(is_there("auxbpf-20200101T000000Z-000001.data"));
	CHECK(is_there("auxbpf-20200101T000000Z-000002.data.old"));
	CHECK(is_there("auxbpf-20200101T000000Z-000003.data"));
	CHECK(is_there("auxbpf-20200101T000000Z-000004.data/data"));
	CHECK(is_there("auxbpf-20200101T000000Z-000004.data/notes"));
}

static unsigned int nr_told;

static void note_removed(void *ctx, const char *name)
{
	CHECK(!is_there(name));
	nr_told++;
}

static struct snapshot_dir *open_dir;

static int open_store(struct snapshot_store **ret)
{
	return snapshot_store__open(open_dir, note_removed, NULL, ret);
}

/* That with a stranger's file in it has the right name and looks like a capture: it counts, and is left. */
static void test_remove(void)
{
	struct snapshot_store *store;

	CHECK_EQ(open_store(&store), 0);
	CHECK_EQ(used(store), 2 + 10 + 3 + 4 + 2 + dirs(5));
	snapshot_store__remove(store, 0, 0);
	CHECK(is_there(FIRST));
	/* What two share is freed with the second of them. */
	snapshot_store__remove(store, 1, 0);
	CHECK(!is_there(FIRST));
	CHECK(is_there(SECOND));
	CHECK_EQ(used(store), 10 + 3 + 4 + 2 + dirs(3));
	snapshot_store__remove(store, 13 * PAGE, 0);
	CHECK(!is_there(SECOND));
	CHECK(is_there(THIRD));
	CHECK_EQ(snapshot_store__removed(store), 2);
	CHECK_EQ(nr_told, 2);
	snapshot_store__remove(store, UINT64_MAX, 1);
	CHECK(is_there(THIRD));
	snapshot_store__remove(store, UINT64_MAX, 0);
	CHECK(!is_there(THIRD));
	check_others();
	CHECK_EQ(nr_told, 3);
	CHECK_EQ(snapshot_store__removed(store), 3);
	snapshot_store__free(store);
}

/* A name goes on where the last one ended, of whatever session. */
static void test_names(void)
{
	const struct timespec time = {.tv_sec = 1767225601};
	struct snapshot_store *store;
	char name[64];

	CHECK_EQ(open_store(&store), 0);
	snapshot_store__name(store, &time, name, sizeof(name));
	CHECK_STREQ(name, "auxbpf-20260101T000001Z-000003.data");
	snapshot_store__free(store);
	make_file("auxbpf-20270101T000000Z-999999.data", "PERFILE2", 1);
	CHECK_EQ(open_store(&store), 0);
	snapshot_store__name(store, &time, name, sizeof(name));
	CHECK_STREQ(name, "auxbpf-20260101T000001Z-000000.data");
	snapshot_store__free(store);
	unlink_file("auxbpf-20270101T000000Z-999999.data");
}

static void test_add(void)
{
	struct snapshot_store *store;
	struct snapshot_room room;
	struct timespec time = {.tv_sec = 1767225600};
	char name[64];

	CHECK_EQ(open_store(&store), 0);
	snapshot_store__name(store, &time, name, sizeof(name));
	CHECK_STREQ(name, "auxbpf-20260101T000000Z-000005.data");
	make_file(name, "PERFILE2", 5);
	snapshot_store__add(store, name, 3 * PAGE);
	CHECK_EQ(used(store), 2 + 5 + dirs(1));
	snapshot_store__name(store, &time, name, sizeof(name));
	make_file(name, "PERFILE2", 5);
	snapshot_store__add(store, name, 3 * PAGE);
	/* A file has something besides its payload. */
	snapshot_store__room(store, 7 * PAGE, &room);
	CHECK_EQ(room.need, 9 * PAGE);
	CHECK(room.free > 0);
	snapshot_store__room(store, 0, &room);
	CHECK_EQ(room.need, 2 * PAGE);
	snapshot_store__remove(store, 1, 0);
	CHECK(!is_there("auxbpf-20260101T000000Z-000005.data"));
	CHECK(is_there(name));
	snapshot_store__free(store);
}

/* What a recorder that was killed has left goes at the next start; with something else in it it stays and counts. */
static void test_left_over(void)
{
	static const char ours[] = ".auxbpf-20260101T000001Z-000003.data.4711";
	static const char odd[] = ".auxbpf-20260101T000001Z-000004.data.4712";
	static const char other[] = ".notes.4713";
	struct snapshot_store *store;
	struct snapshot_room room;
	char path[256];

	make_dir(ours);
	snprintf(path, sizeof(path), "%s/data", ours);
	make_file(path, "half", 1);
	make_dir(odd);
	snprintf(path, sizeof(path), "%s/notes", odd);
	make_file(path, "mine", 2);
	make_dir(other);
	CHECK_EQ(open_store(&store), 0);
	CHECK(!is_there(ours));
	CHECK(is_there(path));
	CHECK(is_there(other));
	snapshot_store__room(store, 0, &room);
	CHECK_EQ(room.index / PAGE, 2 + dirs(1));
	unlink_file(path);
	CHECK_EQ(snapshot_store__look(store), 0);
	CHECK(!is_there(odd));
	snapshot_store__room(store, 0, &room);
	CHECK_EQ(room.index, 0);
	snapshot_store__free(store);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	log__set_level(LOG_ERROR);
	if (!CHECK_EQ(snapshot_dir__open(dir, &open_dir), 0))
		return check__done();
	fill();
	test_names();
	test_remove();
	test_add();
	test_left_over();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	snapshot_dir__free(open_dir);
	return system(command) ? 1 : check__done();
}
