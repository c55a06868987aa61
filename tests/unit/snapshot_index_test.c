// SPDX-License-Identifier: GPL-2.0-only
/* What the index and the messages say of trace that is missing in a snapshot. */
#include "check.h"
#include "root_dir.h"
#include "snapshot/snapshot_index.h"
#include "summary/losses.h"

static struct snapshot_cpu cpus[3] = {{.aux = {.cpu = 0}, .ids = {.aux = 10}},
				      {.aux = {.cpu = 4}, .ids = {.aux = 11}},
				      {.aux = {.cpu = 5}, .ids = {.aux = 12}}};
static struct snapshot_gap gaps[3] = {{.blind = 7, .overwritten = 4096}, {.blind = 8}, {.overwritten = 0}};

/* The line of the job, which a rule of this kind fired, in a directory of its own, on a machine whose files are below @root. */
static void read_line_of(const char *root, const struct snapshot_job *job, enum auxbpf_trigger_kind kind,
			 char *line, size_t size)
{
	char text[] = "rule";
	const struct trigger rule = {.kind = kind, .text = text};
	struct snapshot_index *index;
	struct snapshot_dir *open;
	struct root_dir dir;
	char path[128];
	FILE *f;

	*line = '\0';
	CHECK(root_dir__make(&dir));
	if (!CHECK_EQ(snapshot_dir__open(dir.path, &open), 0))
		return;
	if (!CHECK_EQ(snapshot_index__open(open, root, true, 0, &index), 0))
		return;
	CHECK_EQ(snapshot_index__add(index, job, &rule), 0);
	snapshot_index__close(index);
	snapshot_dir__free(open);
	snprintf(path, sizeof(path), "%s/index.ndjson", dir.path);
	f = fopen(path, "r");
	CHECK(f && fgets(line, (int)size, f));
	if (f)
		fclose(f);
	root_dir__remove(&dir);
}

static void read_line(const struct snapshot_job *job, enum auxbpf_trigger_kind kind, char *line, size_t size)
{
	read_line_of("", job, kind, line, size);
}

static bool has(const char *line, const char *text)
{
	if (strstr(line, text))
		return true;
	fprintf(stderr, "'%s' is not in %s\n", text, line);
	return false;
}

static void test_line(void)
{
	const struct snapshot_job job = {
		.snapshot = {.cpus = cpus, .nr = 3, .nr_all = 3},
		.gaps = gaps,
		.nr_gaps = 2,
		.fired = {.time = 150, .event = {.nr = -1}},
		.clocks = {{.monotonic = 100, .perf = 1000}, {.monotonic = 200, .perf = 1200}},
	};
	char line[1024];

	read_line(&job, AUXBPF_TRIGGER_EXIT, line, sizeof(line));
	CHECK(has(line, "\"trigger_ns\":1100,"));
	CHECK(has(line, "\"blind_ns\":15,\"overwritten\":4096,\"gaps\":2,\"cpus\":[{\"cpu\":0,"));
	CHECK(has(line, "\"blind_ns\":7,\"overwritten\":4096},{\"cpu\":4,"));
	CHECK(has(line, "\"blind_ns\":8,\"overwritten\":0}]"));
}

/* How far back a snapshot goes is told, unless its trace has the times of another clock. */
static void test_untimed(void)
{
	for (int untimed = 0; untimed < 2; untimed++) {
		const struct snapshot_job job = {
			.snapshot = {.cpus = cpus, .nr = 3, .nr_all = 3},
			.gaps = gaps,
			.untimed = untimed,
			.fired = {.event = {.nr = -1}},
		};
		char line[1024];

		read_line(&job, AUXBPF_TRIGGER_EXIT, line, sizeof(line));
		CHECK(has(line, "\"cpus\":[{\"cpu\":0,"));
		CHECK_EQ(!strstr(line, "\"covered_ns\":"), untimed);
	}
}

/* Time stamps of two boots are of two clocks: the line tells which boot it was. */
static void test_boot(void)
{
	const struct snapshot_job job = {
		.snapshot = {.cpus = cpus, .nr = 3, .nr_all = 3},
		.gaps = gaps,
		.fired = {.event = {.nr = -1}},
	};
	struct root_dir root;
	char line[1024];

	if (!CHECK(root_dir__make(&root)))
		return;
	read_line_of(root.path, &job, AUXBPF_TRIGGER_EXIT, line, sizeof(line));
	CHECK(!strstr(line, "\"boot\""));
	CHECK(root_dir__put(&root, "/proc/sys/kernel/random/boot_id",
			    "8f0e4c1a-0b5e-4b7e-9d57-0c4f2f7f3f11\n"));
	read_line_of(root.path, &job, AUXBPF_TRIGGER_EXIT, line, sizeof(line));
	CHECK(has(line, ",\"boot\":\"8f0e4c1a-0b5e-4b7e-9d57-0c4f2f7f3f11\","));
	root_dir__remove(&root);
}

/* If windows are told of, the line says how many there are. */
static void test_windows(void)
{
	const struct window_set asked = {.has_syscalls = true};
	struct snapshot_job job = {
		.snapshot = {.cpus = cpus, .nr = 3, .nr_all = 3},
		.gaps = gaps,
		.fired = {.event = {.nr = -1}},
	};
	char line[1024];

	read_line(&job, AUXBPF_TRIGGER_SYSCALL, line, sizeof(line));
	CHECK(!strstr(line, "windows"));
	job.snapshot.windows = (struct capture_windows){.asked = &asked, .nr = 3, .left_out = 2};
	read_line(&job, AUXBPF_TRIGGER_SYSCALL, line, sizeof(line));
	CHECK(has(line, "\"windows\":3,\"windows_left_out\":2,\"missed\":0"));
}

/* Without a trace there is none that could be missing. */
static void test_samples(void)
{
	static const uint64_t ids[1];
	struct snapshot_cpu cpu = {.ids = {.samples = ids}};
	const struct snapshot_job job = {
		.snapshot = {.cpus = &cpu, .nr = 1, .nr_all = 1},
		.gaps = gaps,
		.fired = {.event = {.nr = -1}},
	};
	char line[1024];

	read_line(&job, AUXBPF_TRIGGER_EXIT, line, sizeof(line));
	CHECK(has(line, "\"samples\":0"));
	CHECK(!strstr(line, "overwritten"));
	CHECK(!strstr(line, "gaps"));
}

/* Soft interrupts have names, hard ones numbers. */
static void test_interrupts(void)
{
	struct snapshot_job job = {
		.snapshot = {.cpus = cpus, .nr = 3, .nr_all = 3},
		.gaps = gaps,
		.fired = {.event = {.nr = -1}},
	};
	struct auxbpf_event *e = &job.fired.event;
	char line[1024];

	e->known = 1ull << AUXBPF_FIELD_IRQ | 1ull << AUXBPF_FIELD_LATENCY;
	e->values[AUXBPF_FIELD_IRQ] = 3;
	e->values[AUXBPF_FIELD_LATENCY] = 4711;
	read_line(&job, AUXBPF_TRIGGER_SOFTIRQ, line, sizeof(line));
	CHECK(has(line, "\"softirq\":\"NET_RX\",\"latency_ns\":4711,"));
	read_line(&job, AUXBPF_TRIGGER_IRQ, line, sizeof(line));
	CHECK(has(line, "\"irq\":3,\"latency_ns\":4711,"));
}

static void test_words(void)
{
	char text[80];

	CHECK_STREQ(losses__of_snapshot(0, 0, text, sizeof(text)), "");
	CHECK_STREQ(losses__of_snapshot(1, 0, text, sizeof(text)), " with 1 gap");
	CHECK_STREQ(losses__of_snapshot(0, 512, text, sizeof(text)), " with 512 overwritten");
	CHECK_STREQ(losses__of_snapshot(2, 512, text, sizeof(text)), " with 2 gaps and 512 overwritten");
	CHECK(strlen(losses__of_snapshot(UINT64_MAX, UINT64_MAX, text, sizeof(text))) < sizeof(text) - 1);
}

int main(void)
{
	test_line();
	test_untimed();
	test_boot();
	test_windows();
	test_samples();
	test_interrupts();
	test_words();
	return check__done();
}
