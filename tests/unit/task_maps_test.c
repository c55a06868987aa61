// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mappings of a process: what is where after any order of them, that forked processes go their own ways, and
 * that one more mapping costs no more the more there are. What is allocated is counted: the linker puts
 * __wrap_malloc() in malloc()'s place.
 */
#include <linux/mman.h>
#include <stdbool.h>

#include "check.h"
#include "sideband/task_maps.h"

#define PAGE 4096ull
#define NR_PAGES 512
#define MANY 20000

/* The deepest that a random tree of MANY nodes may be, by far, and what one node may take. */
#define DEPTH_MAX 100
#define NODE_MAX 128

static size_t allocated;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	allocated += size;
	return __real_malloc(size);
}

static uint64_t seed = 1;

static unsigned int random_below(unsigned int limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(seed >> 33) % limit;
}

static struct record_mmap page_map(uint64_t page, uint64_t nr, uint64_t ino)
{
	return (struct record_mmap){
		.misc = PERF_RECORD_MISC_USER,
		.start = page * PAGE,
		.len = nr * PAGE,
		.pgoff = page * PAGE,
		.ino = ino,
		.prot = PROT_READ | PROT_EXEC,
		.name = "/lib/one",
	};
}

/* Which inode is at which page, 0: none. */
struct model {
	uint64_t pages[NR_PAGES];
};

static void compare(const struct task_maps *maps, const struct model *wanted)
{
	struct model found = {0};
	struct record_mmap map;
	uint64_t end = 0;
	bool in_order = true, at_offset = true;

	for (size_t i = 0; i < task_maps__nr(maps); i++) {
		task_maps__get(maps, i, &map);
		in_order &= map.start >= end && map.len;
		end = map.start + map.len;
		at_offset &= map.pgoff == map.start;
		for (uint64_t at = map.start; at < end; at += PAGE)
			found.pages[at / PAGE] = map.ino;
	}
	CHECK(in_order);
	CHECK(at_offset);
	CHECK(!memcmp(&found, wanted, sizeof(found)));
}

static void put_random(struct task_maps **maps, struct model *model, uint64_t ino)
{
	unsigned int page = random_below(NR_PAGES),
		     nr = 1 + random_below(random_below(20) ? 8 : NR_PAGES - page);
	struct record_mmap map;

	if (nr > NR_PAGES - page)
		nr = NR_PAGES - page;
	map = page_map(page, nr, ino);
	if (!random_below(4)) { /* not executable: a hole */
		map.prot = PROT_READ | PROT_WRITE;
		ino = 0;
	}
	CHECK_EQ(task_maps__put(maps, &map), 0);
	for (unsigned int i = 0; i < nr; i++)
		model->pages[page + i] = ino;
}

static void test_any_order(void)
{
	struct task_maps *maps = NULL, *child;
	struct model model = {0}, then;

	for (unsigned int round = 0; round < 200; round++) {
		child = task_maps__share(maps);
		then = model;
		for (uint64_t i = 0; i < 20; i++)
			put_random(&maps, &model, 1 + round * 100 + i);
		compare(maps, &model);
		compare(child, &then);
		if (round % 2) {
			put_random(&child, &then, 1);
			compare(child, &then);
			compare(maps, &model);
		}
		task_maps__release(child);
	}
	task_maps__release(maps);
}

/* In which order they come does not matter. */
static void test_cost(unsigned int stride)
{
	struct task_maps *maps = NULL, *child;
	struct record_mmap map;
	size_t before = allocated;

	for (uint64_t i = 0; i < MANY; i++) {
		map = page_map(i * stride % MANY * 2, 1, i + 1);
		CHECK_EQ(task_maps__put(&maps, &map), 0);
	}
	CHECK_EQ(task_maps__nr(maps), MANY);
	CHECK(allocated - before < (size_t)MANY * 4 * NODE_MAX);
	child = task_maps__share(maps);
	before = allocated;
	map = page_map(MANY + 1, 1, 1);
	CHECK_EQ(task_maps__put(&child, &map), 0);
	CHECK(allocated - before < 2ul * DEPTH_MAX * NODE_MAX);
	CHECK_EQ(task_maps__nr(maps), MANY);
	CHECK_EQ(task_maps__nr(child), MANY + 1);
	task_maps__release(maps);
	task_maps__release(child);
}

/* As many bytes as their records have. */
static void test_bytes(void)
{
	struct task_maps *maps = NULL, *child;
	struct record_mmap map = page_map(0, 10, 1);
	struct buf records = {0};

	CHECK_EQ(task_maps__bytes(maps), 0);
	CHECK_EQ(task_maps__put(&maps, &map), 0);
	map = page_map(4, 1, 2);
	map.name = "/lib/another";
	CHECK_EQ(task_maps__put(&maps, &map), 0);
	CHECK_EQ(task_maps__nr(maps), 3);
	for (size_t i = 0; i < task_maps__nr(maps); i++) {
		task_maps__get(maps, i, &map);
		record__add_mmap2(&records, &map, 0);
	}
	CHECK_EQ(task_maps__bytes(maps), records.len);
	child = task_maps__share(maps);
	map = page_map(0, 10, 3);
	CHECK_EQ(task_maps__put(&child, &map), 0);
	CHECK_EQ(task_maps__bytes(maps), records.len);
	CHECK(task_maps__bytes(child) < records.len / 2);
	CHECK_EQ(task_maps__cut(&child, 0, 10 * PAGE), 0);
	CHECK_EQ(task_maps__bytes(child), 0);
	buf__release(&records);
	task_maps__release(maps);
	task_maps__release(child);
}

int main(void)
{
	test_any_order();
	test_cost(1);
	test_cost(MANY - 1);
	test_cost(7919);
	test_bytes();
	return check__done();
}
