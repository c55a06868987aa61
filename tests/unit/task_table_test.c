// SPDX-License-Identifier: GPL-2.0-only
/* What lives after forks, exits, execs and mappings, told back as the records that a snapshot begins with. */
#include <inttypes.h>
#include <malloc.h>
#include <stdarg.h>

#include "check.h"
#include "perfdata/record.h"
#include "sideband/task_table.h"

#define TRAILER 32

struct fixture {
	struct task_table *table;
	struct buf record;
	int err; /* of all that was applied */
};

static void apply(struct fixture *f)
{
	f->err |= task_table__apply(f->table, buf__span(&f->record));
	buf__truncate(&f->record, 0);
}

/* As the kernel sends them. */
static void task_record(struct fixture *f, uint32_t type, uint32_t pid, uint32_t tid, uint32_t ppid,
			uint32_t ptid)
{
	size_t at = record__begin(&f->record, type, 0);

	buf__add_u32(&f->record, pid);
	buf__add_u32(&f->record, ppid);
	buf__add_u32(&f->record, tid);
	buf__add_u32(&f->record, ptid);
	buf__add_u64(&f->record, 12345);
	record__end(&f->record, at, TRAILER);
	apply(f);
}

static void fork_process(struct fixture *f, uint32_t pid, uint32_t ppid)
{
	task_record(f, PERF_RECORD_FORK, pid, pid, ppid, ppid);
}

static void fork_thread(struct fixture *f, uint32_t pid, uint32_t tid)
{
	task_record(f, PERF_RECORD_FORK, pid, tid, pid, pid);
}

static void end_task(struct fixture *f, uint32_t pid, uint32_t tid)
{
	task_record(f, PERF_RECORD_EXIT, pid, tid, 1, 1);
}

static void name_task(struct fixture *f, uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
	record__add_comm(&f->record, pid, tid, comm, TRAILER);
	((struct perf_event_header *)(void *)f->record.data)->misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	apply(f);
}

/* All of them have the same number. */
static void set_namespaces(struct fixture *f, uint32_t pid, uint32_t tid, uint64_t ino)
{
	struct record_namespaces ns = {.pid = pid, .tid = tid};

	for (size_t i = 0; i < NR_NAMESPACES; i++)
		ns.links[i] = (struct perf_ns_link_info){4, ino};
	record__add_namespaces(&f->record, &ns, TRAILER);
	apply(f);
}

static void map_file(struct fixture *f, uint32_t pid, uint64_t start, uint64_t end, const char *name)
{
	const struct record_mmap map = {
		.misc = PERF_RECORD_MISC_USER,
		.pid = pid,
		.tid = pid,
		.start = start,
		.len = end - start,
		.pgoff = 0x10000,
		.ino = 7,
		.prot = 5,
		.flags = 2,
		.name = name,
	};

	record__add_mmap2(&f->record, &map, TRAILER);
	apply(f);
}

static void _printf_format_(2, 3) print(struct buf *b, const char *fmt, ...)
{
	char text[256];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf__add(b, text, (size_t)len);
}

static void tell(struct buf *b, const struct perf_event_header *record)
{
	struct record_namespaces ns;
	struct record_task task;
	struct record_mmap map;
	uint32_t pid, tid;
	const char *comm = record__comm(record, &pid, &tid);

	if (comm)
		print(b, "comm %u/%u %s\n", pid, tid, comm);
	if (record__task(record, &task))
		print(b, "fork %u/%u of %u%s\n", task.pid, task.tid, task.ppid,
		      record->misc & PERF_RECORD_MISC_FORK_EXEC ? "" : ", maps copied");
	if (record__namespaces(record, &ns))
		print(b, "ns %u/%u %" PRIu64 "\n", ns.pid, ns.tid, (uint64_t)ns.links[MNT_NS_INDEX].ino);
	if (record__mmap(record, &map))
		print(b, "map %u/%u %" PRIx64 "-%" PRIx64 " @%" PRIx64 " %s%s\n", map.pid, map.tid, map.start,
		      map.start + map.len, map.pgoff, map.name, map.build_id.size ? " id" : "");
}

/* Checks what the table tells, line by line. */
static void check_table(const struct fixture *f, const char *expect, int line)
{
	_cleanup_buf_ struct buf records = {0}, text = {0};
	const struct perf_event_header *record;
	size_t pos = 0;

	task_table__add_records(f->table, &records, TRAILER);
	CHECK_EQ(buf__error(&records), 0);
	while ((record = record__next(buf__span(&records), &pos)))
		tell(&text, record);
	CHECK_EQ(pos, records.len);
	buf__add(&text, "", 1);
	if (!CHECK_STREQ((char *)text.data, expect))
		fprintf(stderr, "from line %d\n", line);
}

#define CHECK_TABLE(f, expect) check_table(f, expect, __LINE__)

static struct fixture begin_with(size_t max)
{
	struct fixture f = {0};

	CHECK_EQ(task_table__new(max, &f.table), 0);
	return f;
}

static struct fixture begin(void)
{
	return begin_with(64 << 20);
}

static void end(struct fixture *f)
{
	CHECK_EQ(f->err, 0);
	task_table__free(f->table);
	buf__release(&f->record);
}

static void test_fork_exec_exit(void)
{
	struct fixture f = begin();

	CHECK_TABLE(&f, "");
	fork_process(&f, 10, 1);
	name_task(&f, 10, 10, "sh", true);
	map_file(&f, 10, 0x1000, 0x2000, "/bin/sh");
	fork_process(&f, 11, 10);
	CHECK_TABLE(&f, "fork 10/10 of 1\ncomm 10/10 sh\nmap 10/10 1000-2000 @10000 /bin/sh\n"
			"fork 11/11 of 10\ncomm 11/11 sh\nmap 11/11 1000-2000 @10000 /bin/sh\n");
	/* The child maps for itself. */
	map_file(&f, 11, 0x3000, 0x4000, "/lib/a");
	CHECK_TABLE(&f, "fork 10/10 of 1\ncomm 10/10 sh\nmap 10/10 1000-2000 @10000 /bin/sh\n"
			"fork 11/11 of 10\ncomm 11/11 sh\nmap 11/11 1000-2000 @10000 /bin/sh\n"
			"map 11/11 3000-4000 @10000 /lib/a\n");
	name_task(&f, 11, 11, "ls", true);
	map_file(&f, 11, 0x5000, 0x6000, "/bin/ls");
	name_task(&f, 10, 10, "shell", false); /* a name alone */
	CHECK_TABLE(&f, "fork 10/10 of 1\ncomm 10/10 shell\nmap 10/10 1000-2000 @10000 /bin/sh\n"
			"fork 11/11 of 10\ncomm 11/11 ls\nmap 11/11 5000-6000 @10000 /bin/ls\n");
	end_task(&f, 10, 10);
	CHECK_TABLE(&f, "fork 11/11 of 10\ncomm 11/11 ls\nmap 11/11 5000-6000 @10000 /bin/ls\n");
	end_task(&f, 11, 11);
	CHECK_TABLE(&f, "");
	end(&f);
}

static void test_namespaces(void)
{
	struct fixture f = begin();

	fork_process(&f, 10, 1);
	set_namespaces(&f, 10, 10, 7);
	fork_thread(&f, 10, 11);
	fork_process(&f, 20, 10);
	CHECK_TABLE(
		&f,
		"fork 10/10 of 1\nns 10/10 7\nfork 10/11 of 10\nns 10/11 7\nfork 20/20 of 10\nns 20/20 7\n");
	/* A thread goes into others, and a process that is made in others; one that nobody knows is none. */
	set_namespaces(&f, 10, 11, 8);
	set_namespaces(&f, 20, 20, 9);
	set_namespaces(&f, 30, 30, 9);
	CHECK_TABLE(
		&f,
		"fork 10/10 of 1\nns 10/10 7\nfork 10/11 of 10\nns 10/11 8\nfork 20/20 of 10\nns 20/20 9\n");
	end_task(&f, 10, 10);
	set_namespaces(&f, 10, 11, 7);
	CHECK_TABLE(&f, "fork 10/11 of 10\nns 10/11 7\nfork 20/20 of 10\nns 20/20 9\n");
	end(&f);
}

static size_t nr_tasks(const struct fixture *f)
{
	_cleanup_buf_ struct buf records = {0};
	const struct perf_event_header *record;
	size_t pos = 0, nr = 0;

	task_table__add_records(f->table, &records, 0);
	while ((record = record__next(buf__span(&records), &pos)))
		nr += record->type == PERF_RECORD_FORK;
	return nr;
}

static void test_threads(void)
{
	struct fixture f = begin();

	fork_process(&f, 10, 1);
	name_task(&f, 10, 10, "app", true);
	map_file(&f, 10, 0x1000, 0x2000, "/app");
	fork_thread(&f, 10, 12);
	fork_thread(&f, 10, 13);
	name_task(&f, 10, 13, "worker", false);
	end_task(&f, 10, 10); /* the first thread ends before the others */
	CHECK_TABLE(&f, "map 10/10 1000-2000 @10000 /app\n"
			"fork 10/13 of 10\ncomm 10/13 worker\nfork 10/12 of 10\ncomm 10/12 app\n");
	/* 13 calls execve(): it becomes 10, of its own number nothing is heard again. */
	end_task(&f, 10, 12);
	name_task(&f, 10, 10, "new", true);
	CHECK_TABLE(&f, "fork 10/10 of 1\ncomm 10/10 new\n");
	end_task(&f, 10, 10);
	CHECK_TABLE(&f, "");
	end(&f);
}

static void test_overlaps(void)
{
	struct fixture f = begin();

	fork_process(&f, 5, 1);
	map_file(&f, 5, 0x1000, 0x9000, "a");
	map_file(&f, 5, 0x3000, 0x4000, "b"); /* splits */
	CHECK_TABLE(&f, "fork 5/5 of 1\nmap 5/5 1000-3000 @10000 a\nmap 5/5 3000-4000 @10000 b\n"
			"map 5/5 4000-9000 @13000 a\n");
	map_file(&f, 5, 0x2000, 0x5000, "c"); /* cuts at both sides, covers one */
	CHECK_TABLE(&f, "fork 5/5 of 1\nmap 5/5 1000-2000 @10000 a\nmap 5/5 2000-5000 @10000 c\n"
			"map 5/5 5000-9000 @14000 a\n");
	map_file(&f, 5, 0x0000, 0x1000, "d"); /* touches */
	map_file(&f, 5, 0x9000, 0xa000, "e");
	map_file(&f, 5, 0x8000, 0x9800, "f");
	CHECK_TABLE(&f, "fork 5/5 of 1\nmap 5/5 0-1000 @10000 d\nmap 5/5 1000-2000 @10000 a\n"
			"map 5/5 2000-5000 @10000 c\nmap 5/5 5000-8000 @14000 a\n"
			"map 5/5 8000-9800 @10000 f\nmap 5/5 9800-a000 @10800 e\n");
	map_file(&f, 5, 0x0000, 0x10000, "all");
	CHECK_TABLE(&f, "fork 5/5 of 1\nmap 5/5 0-10000 @10000 all\n");
	map_file(&f, 5, 0x0000, 0x10000, "all");
	map_file(&f, 5, 0x5000, 0x5000, "nothing");
	CHECK_TABLE(&f, "fork 5/5 of 1\nmap 5/5 0-10000 @10000 all\n");
	end(&f);
}

static void test_what_is_mapped(void)
{
	struct record_mmap map = {.misc = PERF_RECORD_MISC_KERNEL,
				  .pid = (uint32_t)-1,
				  .len = 0x1000,
				  .prot = 5,
				  .name = "[kernel.kallsyms]_text"};
	struct fixture f = begin();

	record__add_mmap(&f.record, &map, TRAILER); /* the kernel's: not of a task */
	apply(&f);
	CHECK_TABLE(&f, "");
	fork_process(&f, 5, 1);
	map_file(&f, 5, 0x1000, 0x4000, "a");
	/* Data, in place of code. */
	map = (struct record_mmap){.misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA,
				   .pid = 5,
				   .tid = 5,
				   .start = 0x2000,
				   .len = 0x1000,
				   .prot = 3,
				   .name = "data"};
	record__add_mmap2(&f.record, &map, TRAILER);
	apply(&f);
	/* A mapping told without detail, and one with a build id. */
	map.misc = PERF_RECORD_MISC_USER;
	map.start = 0x8000;
	map.name = "old";
	record__add_mmap(&f.record, &map, TRAILER);
	apply(&f);
	map.prot = 5;
	map.start = 0x9000;
	map.build_id = (struct build_id){.data = {1}, .size = 20};
	map.name = "new";
	record__add_mmap2(&f.record, &map, TRAILER);
	apply(&f);
	/* Of a file, what is only read. */
	map.misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA;
	map.prot = 1;
	map.start = 0xa000;
	map.build_id = (struct build_id){0};
	map.name = "/table";
	record__add_mmap2(&f.record, &map, TRAILER);
	apply(&f);
	CHECK_TABLE(&f,
		    "fork 5/5 of 1\nmap 5/5 1000-2000 @10000 a\nmap 5/5 3000-4000 @12000 a\n"
		    "map 5/5 8000-9000 @0 old\nmap 5/5 9000-a000 @0 new id\nmap 5/5 a000-b000 @0 /table\n");
	end(&f);
}

static void test_synthesised_records(void)
{
	_cleanup_buf_ struct buf records = {0};
	struct fixture f = begin(), copy = begin();

	fork_process(&f, 1, 0);
	map_file(&f, 1, 0x1000, 0x2000, "/init");
	fork_process(&f, 20, 1);
	name_task(&f, 20, 20, "app", true);
	map_file(&f, 20, 0x4000, 0x5000, "/app");
	fork_thread(&f, 20, 21);
	/* What one table tells another one takes: maps that follow are not the parent's. */
	task_table__add_records(f.table, &records, TRAILER);
	CHECK_EQ(task_table__apply(copy.table, buf__span(&records)), 0);
	CHECK_TABLE(&copy, "fork 1/1 of 0\nmap 1/1 1000-2000 @10000 /init\n"
			   "fork 20/20 of 1\ncomm 20/20 app\nmap 20/20 4000-5000 @10000 /app\n"
			   "fork 20/21 of 20\ncomm 20/21 app\n");
	end(&f);
	end(&copy);
}

static void test_lost_and_late(void)
{
	struct fixture f = begin();

	end_task(&f, 99, 99);
	name_task(&f, 98, 98, "gone", false); /* named by somebody else when it had ended */
	CHECK_TABLE(&f, "");
	fork_process(&f, 10, 1);
	map_file(&f, 10, 0x1000, 0x2000, "/sh");
	/* The child's records come before its FORK: what it executed is not undone. */
	name_task(&f, 11, 11, "ls", true);
	map_file(&f, 11, 0x5000, 0x6000, "/ls");
	fork_process(&f, 11, 10);
	/* This one only mapped something more. */
	map_file(&f, 12, 0x5000, 0x6000, "/lib");
	fork_process(&f, 12, 10);
	CHECK_TABLE(&f, "fork 10/10 of 1\nmap 10/10 1000-2000 @10000 /sh\n"
			"fork 11/11 of 10\ncomm 11/11 ls\nmap 11/11 5000-6000 @10000 /ls\n"
			"fork 12/12 of 10\nmap 12/12 1000-2000 @10000 /sh\n"
			"map 12/12 5000-6000 @10000 /lib\n");
	/* EXITs of 11 and its thread were lost, the numbers are used again. */
	fork_thread(&f, 11, 13);
	fork_process(&f, 11, 12);
	fork_thread(&f, 11, 14);
	fork_thread(&f, 11, 14); /* twice */
	fork_thread(&f, 12, 14); /* not there any more, but here */
	end_task(&f, 11, 14);	 /* late: it is another's */
	end_task(&f, 10, 10);
	CHECK_TABLE(&f, "fork 11/11 of 12\nmap 11/11 1000-2000 @10000 /sh\nmap 11/11 5000-6000 @10000 /lib\n"
			"fork 12/12 of 10\nmap 12/12 1000-2000 @10000 /sh\n"
			"map 12/12 5000-6000 @10000 /lib\nfork 12/14 of 12\n");
	end(&f);
}

static size_t memory_in_use(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* 100,000 processes that live shortly, 200 at a time. */
static void test_many(void)
{
	struct fixture f = begin();
	size_t in_use = 0;

	fork_process(&f, 1, 0);
	for (uint64_t i = 0; i < 50; i++)
		map_file(&f, 1, i << 16, (i << 16) + 0x8000, "/lib/one");
	for (uint32_t pid = 1000; pid < 101000; pid++) {
		fork_process(&f, pid, 1);
		fork_thread(&f, pid, pid + 1000000);
		if (pid % 2) {
			name_task(&f, pid, pid, "short", true);
			map_file(&f, pid, 0x1000, 0x2000, "/bin/short");
		}
		if (pid >= 1200) {
			end_task(&f, pid - 200, pid - 200);
			end_task(&f, pid - 200, pid - 200 + 1000000);
		}
		if (pid == 10000)
			in_use = memory_in_use();
	}
	CHECK_EQ(memory_in_use(), in_use);
	for (uint32_t pid = 100800; pid < 101000; pid++)
		name_task(&f, pid, pid, "last", true);
	CHECK_EQ(nr_tasks(&f), 201);
	end(&f);
}

static size_t nr_maps(const struct fixture *f, uint32_t pid)
{
	_cleanup_buf_ struct buf records = {0};
	const struct perf_event_header *record;
	struct record_mmap map;
	size_t pos = 0, nr = 0;

	task_table__add_records(f->table, &records, 0);
	while ((record = record__next(buf__span(&records), &pos)))
		nr += record__mmap(record, &map) && map.pid == pid;
	return nr;
}

/* From page @first on, a page each with one between them. */
static void map_pages(struct fixture *f, uint32_t pid, uint64_t first, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		map_file(f, pid, (first + 2 * i) << 12, (first + 2 * i + 1) << 12, "/lib/file");
}

/* One record is 88 bytes: all of 1,000 have room, and a share of nine processes is that of 55. */
static void test_too_many_maps(void)
{
	struct fixture f = begin_with(88 * 1000);
	size_t in_use;

	for (uint32_t pid = 1; pid <= 8; pid++) {
		fork_process(&f, pid, 0);
		map_pages(&f, pid, 1, 20);
	}
	fork_process(&f, 100, 0);
	map_pages(&f, 100, 1, 840);
	CHECK_EQ(task_table__left_out(f.table), 0);
	CHECK_EQ(nr_maps(&f, 100), 840);
	in_use = memory_in_use();
	map_pages(&f, 100, 10001, 50000);
	CHECK(memory_in_use() <= in_use); /* no figures with sanitizers */
	CHECK_EQ(nr_maps(&f, 100), 56);
	CHECK_EQ(task_table__left_out(f.table), 840 + 50000 - 56);
	/* Others lose nothing, and have as much room as before. */
	for (uint32_t pid = 1; pid <= 8; pid++)
		CHECK_EQ(nr_maps(&f, pid), 20);
	map_pages(&f, 1, 1001, 600);
	CHECK_EQ(nr_maps(&f, 1), 620);
	/* What is left out is not what was there before. */
	map_file(&f, 100, 10003 << 12, 10004 << 12, "/lib/new");
	CHECK_EQ(nr_maps(&f, 100), 55);
	end(&f);
}

/* Children have what their parent has: that counts for each, and they have no room of their own by that. */
static void test_too_many_children(void)
{
	struct fixture f = begin_with(88 * 1000);

	fork_process(&f, 1, 0);
	map_pages(&f, 1, 1, 20);
	fork_process(&f, 2, 0);
	map_pages(&f, 2, 1, 400);
	for (uint32_t pid = 100; pid < 200; pid++)
		fork_process(&f, pid, 2);
	CHECK_EQ(nr_maps(&f, 1), 20);
	CHECK(task_table__left_out(f.table) >= 400);
	for (uint32_t pid = 100; pid < 200; pid++)
		end_task(&f, pid, pid);
	name_task(&f, 2, 2, "new", true);
	fork_process(&f, 3, 0);
	map_pages(&f, 3, 1, 950);
	CHECK_EQ(nr_maps(&f, 3), 950);
	end(&f);
}

/* A copy and its original go on alone, though they share what was mapped. */
static void test_copy(void)
{
	struct fixture f = begin(), copy = {0};

	fork_process(&f, 10, 1);
	name_task(&f, 10, 10, "sh", true);
	set_namespaces(&f, 10, 10, 7);
	map_file(&f, 10, 0x1000, 0x4000, "/bin/sh");
	fork_thread(&f, 10, 11);
	CHECK_EQ(task_table__copy(f.table, &copy.table), 0);
	map_file(&f, 10, 0x2000, 0x3000, "/lib/a");
	name_task(&copy, 10, 11, "worker", false);
	CHECK_TABLE(&f, "fork 10/10 of 1\nns 10/10 7\ncomm 10/10 sh\nmap 10/10 1000-2000 @10000 /bin/sh\n"
			"map 10/10 2000-3000 @10000 /lib/a\nmap 10/10 3000-4000 @12000 /bin/sh\n"
			"fork 10/11 of 10\nns 10/11 7\ncomm 10/11 sh\n");
	end(&f);
	CHECK_TABLE(&copy, "fork 10/10 of 1\nns 10/10 7\ncomm 10/10 sh\nmap 10/10 1000-4000 @10000 /bin/sh\n"
			   "fork 10/11 of 10\nns 10/11 7\ncomm 10/11 worker\n");
	end_task(&copy, 10, 11);
	end_task(&copy, 10, 10);
	CHECK_TABLE(&copy, "");
	end(&copy);
}

/* Compares the records that lead from the one table to the other with @expect. */
static void check_changes(const struct fixture *known, const struct fixture *living,
			  const struct pid_set *told, const char *expect)
{
	_cleanup_buf_ struct buf records = {0}, text = {0};
	const struct perf_event_header *record;
	struct record_task task;
	size_t pos = 0;

	task_table__add_changes(known->table, living->table, told, 77, &records, TRAILER);
	CHECK_EQ(buf__error(&records), 0);
	while ((record = record__next(buf__span(&records), &pos)))
		if (record->type == PERF_RECORD_EXIT && record__task(record, &task))
			print(&text, "exit %u/%u\n", task.pid, task.tid);
		else
			tell(&text, record);
	buf__add(&text, "", 1);
	CHECK_STREQ((char *)text.data, expect);
}

static void test_changes(void)
{
	struct fixture known = begin(), living = begin();
	struct pid_set told = {0};

	for (uint32_t pid = 10; pid < 14; pid++) {
		fork_process(&known, pid, 1);
		name_task(&known, pid, pid, "sh", true);
		map_file(&known, pid, 0x1000, 0x2000, "/bin/sh");
		map_file(&known, pid, 0x3000, 0x4000, "/lib/a");
		fork_process(&living, pid, 1);
		name_task(&living, pid, pid, "sh", true);
		map_file(&living, pid, 0x3000, 0x4000, pid == 11 ? "/lib/b" : "/lib/a");
	}
	/* 10 is the same; another file in 11, another name of 12, which was told of meanwhile. */
	name_task(&living, 12, 12, "new", false);
	CHECK_EQ(pid_set__add(&told, 12), 0);
	set_namespaces(&living, 13, 13, 9);
	check_changes(&known, &living, &told,
		      "fork 11/11 of 1\ncomm 11/11 sh\nmap 11/11 3000-4000 @10000 /lib/b\n"
		      "fork 13/13 of 1\nns 13/13 9\ncomm 13/13 sh\nmap 13/13 3000-4000 @10000 /lib/a\n");
	/* Threads that are not there any more; of one that was told of that may be because it is new. */
	fork_thread(&known, 10, 20);
	fork_thread(&known, 10, 21);
	CHECK_EQ(pid_set__add(&told, 21), 0);
	CHECK_EQ(pid_set__add(&told, 11), 0);
	CHECK_EQ(pid_set__add(&told, 13), 0);
	check_changes(&known, &living, &told, "exit 10/20\n");
	fork_thread(&living, 10, 22);
	check_changes(&known, &living, &told, "exit 10/20\nfork 10/22 of 10\ncomm 10/22 sh\n");
	pid_set__release(&told);
	end(&known);
	end(&living);
}

/* Who has no more than its share keeps what is known: it has mapped very much, and each time another part is read. */
static void test_changes_of_bounded(void)
{
	struct fixture known = begin_with(88 * 100), living = begin();
	const struct pid_set told = {0};

	fork_process(&known, 1, 0);
	map_pages(&known, 1, 1, 200);
	fork_process(&living, 1, 0);
	map_pages(&living, 1, 1000, 10);
	check_changes(&known, &living, &told, "");
	end(&known);
	end(&living);
}

int main(void)
{
	test_copy();
	test_changes();
	test_changes_of_bounded();
	test_too_many_maps();
	test_too_many_children();
	test_fork_exec_exit();
	test_namespaces();
	test_threads();
	test_overlaps();
	test_what_is_mapped();
	test_synthesised_records();
	test_lost_and_late();
	test_many();
	return check__done();
}
