// SPDX-License-Identifier: GPL-2.0-only
/*
 * A capture of this machine's own kernel, without a trace PMU: software events on every CPU, a child that
 * runs, a file from it, and perf that reads it. Also what is left of a name that was taken, and after errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/capture_file.h"
#include "check.h"
#include "perfdata/record.h"

#define CPUS_MAX 64
#define RING_PAGES 64
#define SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

enum { CLOCK, DUMMY, NR_EVENTS };

struct machine {
	int nr;
	int cpus[CPUS_MAX];
	int fds[NR_EVENTS][CPUS_MAX];
	uint64_t ids[NR_EVENTS][CPUS_MAX];
	struct perf_event_mmap_page *pages[CPUS_MAX];
	struct perf_event_attr attrs[NR_EVENTS];
};

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void set_attrs(struct machine *m)
{
	m->attrs[CLOCK] = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = SAMPLE_TYPE,
		.sample_id_all = 1,
		.disabled = 1,
	};
	m->attrs[DUMMY] = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = SAMPLE_TYPE,
		.sample_id_all = 1,
		.disabled = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = 1,
		.ksymbol = 1,
		.bpf_event = 1,
		.exclude_kernel = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
}

static bool open_cpu(struct machine *m, int i)
{
	int e;

	for (e = 0; e < NR_EVENTS; e++) {
		m->fds[e][i] = (int)syscall(SYS_perf_event_open, &m->attrs[e], -1, m->cpus[i], -1, 0);
		if (m->fds[e][i] < 0 || ioctl(m->fds[e][i], PERF_EVENT_IOC_ID, &m->ids[e][i]))
			return false;
	}
	m->pages[i] = mmap(NULL, (RING_PAGES + 1) * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
			   m->fds[CLOCK][i], 0);
	return m->pages[i] != MAP_FAILED &&
	       !ioctl(m->fds[DUMMY][i], PERF_EVENT_IOC_SET_OUTPUT, m->fds[CLOCK][i]);
}

static bool open_machine(struct machine *m)
{
	int i;

	*m = (struct machine){.nr = (int)sysconf(_SC_NPROCESSORS_ONLN)};
	if (m->nr > CPUS_MAX)
		m->nr = CPUS_MAX;
	set_attrs(m);
	for (i = 0; i < m->nr; i++) {
		m->cpus[i] = i;
		if (!CHECK(open_cpu(m, i)))
			return false;
	}
	return true;
}

static void switch_machine(struct machine *m, unsigned long request)
{
	int i, e;

	for (i = 0; i < m->nr; i++)
		for (e = 0; e < NR_EVENTS; e++)
			CHECK_EQ(ioctl(m->fds[e][i], request, 0), 0);
}

static void close_machine(struct machine *m)
{
	int i, e;

	for (i = 0; i < m->nr; i++) {
		munmap(m->pages[i], (RING_PAGES + 1) * page_size());
		for (e = 0; e < NR_EVENTS; e++)
			close(m->fds[e][i]);
	}
}

/* Runs @command with a shell; its output goes to @log. Returns the exit status. */
static int run(const char *log, const char *command)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(fd, 1);
		dup2(fd, 2);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *argv[] = {(char[]){"--on-syscall"}, (char[]){"uname"}, NULL};

static struct capture_file_opts file_opts(const char *path)
{
	return (struct capture_file_opts){
		.path = path,
		.dirfd = AT_FDCWD,
		.root = "",
		.cmdline = argv,
		.version = "test",
		.sample_type = SAMPLE_TYPE,
	};
}

static void describe(const struct machine *m, struct capture_event *events, struct capture_sideband *sideband)
{
	static const char *const names[] = {"cpu-clock", "dummy:u"};
	int i;

	for (i = 0; i < NR_EVENTS; i++)
		events[i] = (struct capture_event){
			.attr = &m->attrs[i],
			.name = names[i],
			.cpus = m->cpus,
			.ids = m->ids[i],
			.nr_ids = (unsigned int)m->nr,
		};
	for (i = 0; i < m->nr; i++)
		sideband[i].records =
			(struct span){(char *)m->pages[i] + page_size(), m->pages[i]->data_head};
}

/* Captures a shell that does a little, and @records besides, into @path and, if there is one, into @second.
 */
static bool capture_with(const char *path, const char *second, struct span records)
{
	struct machine m;
	struct capture_file_opts opts = file_opts(path);
	struct capture_event events[NR_EVENTS];
	struct capture_sideband sideband[CPUS_MAX + 1];
	struct capture_desc desc = {.events = events, .nr_events = NR_EVENTS, .sideband = sideband};
	struct capture_file *file = NULL;
	bool ok = open_machine(&m);

	/* Somebody may have put probes into processes of this machine. */
	opts.user = records.len;
	if (!ok)
		return false;
	switch_machine(&m, PERF_EVENT_IOC_ENABLE);
	ok = CHECK_EQ(capture_file__new(&opts, &file), 0);
	CHECK_EQ(run("/dev/null", "for i in 1 2 3 4 5 6 7 8 9; do uname -a; done; i=0; while [ $i -lt 20000 "
				  "]; do i=$((i+1)); done"),
		 0);
	switch_machine(&m, PERF_EVENT_IOC_DISABLE);
	describe(&m, events, sideband);
	sideband[m.nr].records = records;
	desc.nr_sideband = (unsigned int)m.nr + 1;
	tsc_conv__read(m.pages[0], &desc.tsc) == 0 ? CHECK(desc.tsc.mult) : CHECK(!desc.tsc.cap_zero);
	if (ok)
		ok = CHECK_EQ(capture_file__write(file, NULL, &desc, NULL), 0);
	if (ok && second)
		ok = CHECK_EQ(capture_file__write(file, second, &desc, NULL), 0);
	capture_file__free(file);
	close_machine(&m);
	return ok;
}

static bool capture(const char *path)
{
	return capture_with(path, NULL, (struct span){NULL, 0});
}

/* Whether @log has a line with @text. */
static bool log_has(const char *log, const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(log, "r");
	char line[4096];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, text))
			return true;
	return false;
}

static void check_perf(const char *command, const char *expected)
{
	static const char *const complaints[] = {"rror",	 "nvalid",	 "nable", "ailed",
						 "out of order", "nknown event", "WARN"};
	char line[512];
	size_t i;

	snprintf(line, sizeof(line), "perf %s -i cap.data </dev/null 2>errors", command);
	if (!CHECK_EQ(run("log", line), 0) || !CHECK(log_has("log", expected)))
		fprintf(stderr, "perf %s: \"%s\" is not in its output\n", command, expected);
	for (i = 0; i < ARRAY_SIZE(complaints); i++)
		if (!CHECK(!log_has("errors", complaints[i])))
			fprintf(stderr, "perf %s complains: \"%s\"\n", command, complaints[i]);
}

static void test_perf_reads_it(void)
{
	struct stat st;

	if (!capture("cap.data"))
		return;
	CHECK_EQ(stat("cap.data", &st), 0);
	CHECK_EQ(st.st_mode, S_IFDIR | 0700);
	CHECK_EQ(stat("cap.data/data", &st), 0);
	CHECK_EQ(st.st_mode, S_IFREG | 0600);
	check_perf("script -F comm,pid,tid,cpu,time,event,ip,sym,dso", "sh");
	check_perf("script --show-task-events --show-mmap-events -F comm,tid,time,event,ip",
		   "PERF_RECORD_EXIT");
	check_perf("report --stdio --sort comm,dso,sym", "[kernel.kallsyms]");
	check_perf("report --stdio --header-only", "cmdline : ");
	check_perf("evlist -v", "cpu-clock: type");
	check_perf("buildid-list", "[kernel.kallsyms]");
	check_perf("report -D", "PERF_RECORD_FINISHED_INIT");
}

static void test_name_taken(void)
{
	struct stat before, after;

	CHECK_EQ(stat("cap.data", &before), 0);
	CHECK(capture("cap.data"));
	CHECK_EQ(stat("cap.data.old", &after), 0);
	CHECK_EQ(before.st_ino, after.st_ino);
	CHECK(capture("./cap.data"));
	CHECK_EQ(stat("cap.data.old", &after), 0);
	CHECK(before.st_ino != after.st_ino);
}

/* A process with a probe in it. */
static void test_probes(void)
{
	const struct record_mmap map = {
		.misc = PERF_RECORD_MISC_USER,
		.pid = 1,
		.tid = 1,
		.start = 0x7fffffffe000,
		.len = 4096,
		.prot = PROT_EXEC,
		.name = "[uprobes]",
	};
	_cleanup_buf_ struct buf b = {0};
	struct stat st;

	record__add_mmap2(&b, &map, record__trailer_len(SAMPLE_TYPE));
	if (!CHECK(capture_with("cap.data", "two.data", buf__span(&b))))
		return;
	CHECK_EQ(stat("cap.data/debug/uprobes", &st), 0);
	CHECK_EQ(st.st_mode, S_IFREG | 0400);
	check_perf("script --show-mmap-events", "cap.data/debug/uprobes");
	CHECK_EQ(run("log", "find cap.data/debug/.build-id -name elf | grep . && "
			    "cmp cap.data/debug/uprobes cap.data/debug/.build-id/*/*/elf"),
		 0);
	CHECK_EQ(run("log", "perf buildid-list -i cap.data/debug/uprobes | grep -E '^[0-9a-f]{40}$'"), 0);
	CHECK_EQ(run("log", "perf script --show-mmap-events -i two.data | grep two.data/debug/uprobes"), 0);
	CHECK_EQ(run("log", "cmp cap.data/debug/uprobes two.data/debug/uprobes"), 0);
	CHECK(capture("cap.data"));
	CHECK(capture("cap.data")); /* removes the directory */
}

static void add_map(struct buf *b, const char *name, uint8_t id)
{
	const struct record_mmap map = {
		.misc = PERF_RECORD_MISC_USER,
		.pid = 1,
		.tid = 1,
		.start = 0x10000,
		.len = 4096,
		.prot = PROT_EXEC,
		.build_id = {.data = {id}, .size = BUILD_ID_MAX},
		.name = name,
	};

	record__add_mmap2(b, &map, record__trailer_len(SAMPLE_TYPE));
}

/* A file to be, one.data, whose sideband has one ring. */
struct one {
	struct machine m;
	struct capture_event events[NR_EVENTS];
	struct capture_sideband sideband[CPUS_MAX + 1];
	struct capture_desc desc;
	struct capture_file *file;
};

static bool one__open(struct one *o)
{
	struct capture_file_opts opts = file_opts("one.data");

	o->file = NULL;
	o->desc = (struct capture_desc){.events = o->events, .nr_events = NR_EVENTS, .sideband = o->sideband};
	if (!open_machine(&o->m) || !CHECK_EQ(capture_file__new(&opts, &o->file), 0))
		return false;
	describe(&o->m, o->events, o->sideband);
	return true;
}

static void one__write(struct one *o, const char *name, const struct buf *records)
{
	o->sideband[0].records = buf__span(records);
	o->desc.nr_sideband = records->len > 0;
	CHECK_EQ(capture_file__write(o->file, name, &o->desc, NULL), 0);
}

static void one__close(struct one *o)
{
	capture_file__free(o->file);
	close_machine(&o->m);
}

/* Of several captures, each has the build ids of its own records only. */
static void test_build_ids(void)
{
	_cleanup_buf_ struct buf recent = {0}, task = {0}, none = {0};
	struct one o;

	add_map(&recent, "/no/recent", 1);
	add_map(&task, "/no/task", 2);
	if (!one__open(&o))
		return;
	one__write(&o, NULL, &recent);
	o.desc.tasks = buf__span(&task);
	one__write(&o, "two.data", &none);
	one__close(&o);
	CHECK_EQ(run("log", "perf buildid-list -i one.data | tee list | grep '^01.*/no/recent' && "
			    "grep kernel.kallsyms list && ! grep /no/task list && grep -c /lib list"),
		 0);
	CHECK_EQ(run("log", "perf buildid-list -i two.data | tee list | grep '^02.*/no/task' && "
			    "grep kernel.kallsyms list && ! grep -E '/no/recent|/lib' list"),
		 0);
	CHECK_EQ(run("log", "rm -r one.data two.data list"), 0);
}

static void add_aux(struct buf *b, uint64_t flags)
{
	size_t at = record__begin(b, PERF_RECORD_AUX, 0);

	buf__add_u64(b, 0);
	buf__add_u64(b, 16);
	buf__add_u64(b, flags);
	record__end(b, at, record__trailer_len(SAMPLE_TYPE));
}

/* Of the last one, as its records say. */
static void test_gaps(void)
{
	_cleanup_buf_ struct buf records = {0}, none = {0};
	struct one o;

	add_aux(&records, PERF_AUX_FLAG_OVERWRITE);
	add_aux(&records, PERF_AUX_FLAG_OVERWRITE | PERF_AUX_FLAG_PARTIAL);
	add_aux(&records, PERF_AUX_FLAG_COLLISION);
	if (!one__open(&o))
		return;
	one__write(&o, NULL, &records);
	CHECK_EQ(capture_file__gaps(o.file), 2);
	one__write(&o, "two.data", &none);
	CHECK_EQ(capture_file__gaps(o.file), 0);
	one__close(&o);
	CHECK_EQ(run("log", "rm -r one.data two.data"), 0);
}

static void test_bad_names(void)
{
	static const char *const names[] = {"nowhere/cap.data", "dir", "/dev/null", "..", ""};
	size_t i;

	CHECK_EQ(mkdir("dir", 0700), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct capture_file_opts opts = file_opts(names[i]);
		struct capture_file *file = NULL;

		CHECK(capture_file__new(&opts, &file) < 0);
		CHECK(!file);
	}
	CHECK_EQ(rmdir("dir"), 0);
}

/* Whether there is a file whose name has @part. */
static bool is_there(const char *part)
{
	char command[128];

	snprintf(command, sizeof(command), "ls -A | grep -q '%s'", part);
	return run("/dev/null", command) == 0;
}

/* A process that dies between the start of a capture and its end. */
static void test_killed(void)
{
	struct capture_file_opts opts = file_opts("killed.data");
	struct capture_file *file = NULL;
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (capture_file__new(&opts, &file) == 0)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status));
	CHECK(!is_there("killed"));
}

/* As if the disk were full. */
static void test_no_room(void)
{
	const struct rlimit small = {4096, RLIM_INFINITY};
	struct rlimit before;
	struct capture_file_opts opts = file_opts("full.data");
	struct capture_file *file = NULL;

	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
	CHECK_EQ(capture_file__new(&opts, &file), -EFBIG);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK(!file);
	CHECK(!is_there("full"));
}

/* Each has a file of its own with all in it, also in another directory. */
static void test_two_names(void)
{
	const struct span none = {NULL, 0};
	struct stat first, second;

	CHECK_EQ(mkdir("dir2", 0700), 0);
	CHECK(capture_with("dir2/first.data", "second.data", none));
	CHECK_EQ(stat("dir2/first.data", &first), 0);
	CHECK_EQ(stat("dir2/second.data", &second), 0);
	CHECK(first.st_ino != second.st_ino);
	CHECK_EQ(first.st_size, second.st_size);
	CHECK_EQ(run("/dev/null", "rm -r dir2"), 0);
}

static void test_nothing_left(void)
{
	struct capture_file_opts opts = file_opts("other.data");
	struct capture_file *file = NULL;
	struct capture_event event = {.name = "none"};
	const struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_IP};
	const struct capture_desc desc = {.events = &event, .nr_events = 1};

	event.attr = &attr;
	if (!CHECK_EQ(capture_file__new(&opts, &file), 0))
		return;
	CHECK_EQ(capture_file__write(file, NULL, &desc, NULL), -EINVAL); /* another sample type */
	capture_file__free(file);
	CHECK(!is_there("other"));
}

static void *write_none(void *arg)
{
	struct capture_event event = {.name = "none"};
	const struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_IP};
	const struct capture_desc desc = {.events = &event, .nr_events = 1};
	static int err;

	event.attr = &attr;
	err = capture_file__write(arg, NULL, &desc, NULL);
	return &err;
}

/* Who writes waits until the kernel's part is settled, and then gets as far as without. */
static void test_later(void)
{
	const struct tsc_conv tsc = {0};
	struct capture_file_opts opts = file_opts("later.data");
	struct capture_file *file = NULL;
	pthread_t writer;
	void *err;

	opts.later = true;
	if (!CHECK_EQ(capture_file__new(&opts, &file), 0))
		return;
	CHECK_EQ(pthread_create(&writer, NULL, write_none, file), 0);
	CHECK(capture_file__fd(file) >= 0);
	CHECK_EQ(capture_file__settle(file, &tsc), 0);
	CHECK_EQ(capture_file__settle(file, &tsc), 0);
	CHECK_EQ(pthread_join(writer, &err), 0);
	CHECK_EQ(*(int *)err, -EINVAL); /* another sample type */
	capture_file__free(file);
	CHECK_EQ(capture_file__new(&opts, &file), 0);
	capture_file__free(file); /* the thread still runs */
	CHECK(!is_there("later"));
}

/* The thread finds no room: so does everybody from then on. */
static void test_later_without_room(void)
{
	const struct rlimit small = {4096, RLIM_INFINITY};
	struct capture_file_opts opts = file_opts("full.data");
	const struct tsc_conv tsc = {0};
	struct capture_file *file = NULL;
	struct rlimit before;

	opts.later = true;
	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
	if (CHECK_EQ(capture_file__new(&opts, &file), 0)) {
		CHECK_EQ(capture_file__settle(file, &tsc), -EFBIG);
		CHECK_EQ(capture_file__settle(file, &tsc), -EFBIG);
		CHECK_EQ(*(int *)write_none(file), -EFBIG);
	}
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	capture_file__free(file);
	CHECK(!is_there("full"));
}

int main(void)
{
	char dir[] = "/tmp/capture_file_test.XXXXXX";

	if (!CHECK(mkdtemp(dir)) || !CHECK_EQ(chdir(dir), 0))
		return check__done();
	test_perf_reads_it();
	test_name_taken();
	test_probes();
	test_build_ids();
	test_gaps();
	test_bad_names();
	test_two_names();
	test_nothing_left();
	test_killed();
	test_no_room();
	test_later();
	test_later_without_room();
	if (!check_failed)
		CHECK_EQ(run("/dev/null", "rm -r \"$PWD\""), 0);
	else
		fprintf(stderr, "the files are in %s\n", dir);
	return check__done();
}
