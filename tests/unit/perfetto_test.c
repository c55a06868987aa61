// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traces for Perfetto, read again by libprotobuf-c: "1:Oa2" is a begin of a on the track 1 at the time 2, C an end, I an instant;
 * a letter of the category is in front of a name: (k)ernel, (u)ser, (n)ot traced, (e)rror, (w)indow,
 * (t)rigger, task on a C(P)U, (s)ample.
 */
#include "export/perfetto.h"
#include "export/perfetto_packet.h"
#include "export_synth.h"

static const char *name_of(const Perfetto__Trace *trace, const Perfetto__TrackEvent *event)
{
	const char *name = event->name;

	for (size_t i = 0; i < trace->n_packet && event->has_name_iid; i++) {
		const Perfetto__InternedData *data = trace->packet[i]->interned_data;

		for (size_t j = 0; data && j < data->n_event_names; j++) {
			if (data->event_names[j]->iid == event->name_iid)
				name = data->event_names[j]->name;
		}
		if (trace->packet[i]->track_event == event)
			break;
	}
	return name ? name : "";
}

static void write_events(const Perfetto__Trace *trace, char *to)
{
	static const char types[] = "?OCI", categories[] = "?kunewtps";

	*to = '\0';
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__TrackEvent *event = trace->packet[i]->track_event;

		CHECK_EQ(trace->packet[i]->trusted_packet_sequence_id, 1);
		CHECK_EQ(trace->packet[i]->sequence_flags, i ? 2 : 1);
		if (!event)
			continue;
		to += sprintf(to, "%" PRIu64 ":%c", event->track_uuid, types[event->type]);
		if (event->n_category_iids)
			to += sprintf(to, "%c", categories[event->category_iids[0]]);
		to += sprintf(to, "%s%" PRIu64 " ", name_of(trace, event), trace->packet[i]->timestamp);
	}
}

static Perfetto__Trace *write_trace(struct export_synth *s, size_t nr)
{
	_cleanup_free_ char *bytes = NULL;
	Perfetto__Trace *trace;
	size_t len;

	bytes = export_synth__write(s, nr, perfetto__write, &len);
	trace = perfetto__trace__unpack(NULL, len, (const uint8_t *)bytes);
	CHECK(trace);
	return trace;
}

static void test(const char *before, const char *behind, struct call_limits limits, const char *want)
{
	struct export_synth s;
	Perfetto__Trace *trace;
	char got[1024];

	export_synth__make(&s, before, behind);
	s.limits = limits;
	trace = write_trace(&s, 1);
	write_events(trace, got);
	CHECK_STREQ(got, want);
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

static void test_calls(void)
{
	const struct call_limits all = {0};

	test("begin - a0; @10; call a10 b0; @20; sys b4 A0; @25; sysret A8 b6; @40; ret b10 a15", NULL, all,
	     "1:Oua1 1:Oub10 1:OkA20 1:C25 1:C40 1:C40 ");
	test("begin - a0; @10; call a10 b0; @20; end b4 -", "@70; begin - b8; @75; ret b10 a15", all,
	     "1:Oua1 1:Oub10 1:On[not traced]20 1:C70 1:Iewhy70 1:C75 1:C75 ");
	test("begin - a0; @10; call a10 b0; @40; ret b10 a15", NULL, (struct call_limits){.depth = 1},
	     "1:Oua1 1:C40 ");
}

static const Perfetto__TrackDescriptor *track(const Perfetto__Trace *trace, size_t number)
{
	for (size_t i = 0; i < trace->n_packet; i++) {
		if (trace->packet[i]->track_descriptor && !number--)
			return trace->packet[i]->track_descriptor;
	}
	return NULL;
}

/* A thread, a main thread, which also tells of its process, and a task without numbers. */
static void test_tracks(void)
{
	struct export_synth s;
	Perfetto__Trace *trace;

	export_synth__make(&s, "begin - a0; call a4 b0", NULL);
	trace = write_trace(&s, 2);
	CHECK_EQ(track(trace, 0)->uuid, 1);
	CHECK_EQ(track(trace, 0)->thread->pid, 7);
	CHECK_EQ(track(trace, 0)->thread->tid, 8);
	CHECK_STREQ(track(trace, 0)->thread->thread_name, "a \"task\"");
	CHECK_EQ(track(trace, 1)->uuid, 2);
	CHECK(!track(trace, 2));
	perfetto__trace__free_unpacked(trace, NULL);
	s.task.tid = 7;
	trace = write_trace(&s, 1);
	CHECK_EQ(track(trace, 0)->process->pid, 7);
	CHECK_STREQ(track(trace, 0)->process->process_name, "a \"task\"");
	CHECK_EQ(track(trace, 1)->thread->tid, 7);
	perfetto__trace__free_unpacked(trace, NULL);
	s.task.pid = s.task.tid = -1;
	trace = write_trace(&s, 1);
	CHECK_STREQ(track(trace, 0)->name, "a \"task\"");
	CHECK(!track(trace, 0)->thread);
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

/* A long name has a length of more than seven bits; it is valid UTF-8, whatever its bytes were. */
static void test_names(void)
{
	struct export_synth s;
	Perfetto__Trace *trace;
	char got[1024];

	export_synth__make(&s, "begin - o0; call o4 a0", NULL);
	free(s.task.name);
	s.task.name = calloc(1, 301);
	memset(s.task.name, 'x', 300);
	trace = write_trace(&s, 1);
	CHECK_EQ(strlen(track(trace, 0)->thread->thread_name), 300);
	write_events(trace, got);
	CHECK_STREQ(got, "1:Ouoperator\"new\\ (\\377)1 1:Oua2 1:C2 1:C2 ");
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

/* Windows that overlap are on tracks of their own; one of another task is not shown. */
static void test_windows(void)
{
	char outer[] = "read", inner[] = "noop_fsync", result[] = "-2 ENOENT";
	const struct window windows[] = {
		{.tid = 3, .name = inner, .begin = 1, .end = 2, .is_over = true},
		{.number = 1,
		 .tid = 8,
		 .name = outer,
		 .result = result,
		 .begin = 1,
		 .end = 9,
		 .is_over = true,
		 .has_args = true,
		 .args = {10, 11, 12, 13, 14, 15},
		 .off = 5,
		 .moves = 2},
		{.number = 2, .tid = 8, .name = inner, .begin = 4, .end = 12, .is_over = true},
		{.number = 3, .tid = 8, .name = outer, .begin = 9},
		{.number = 4, .tid = 8, .name = inner, .begin = 12, .end = 13, .is_over = true},
	};
	const Perfetto__TrackEvent *event = NULL;
	struct export_synth s;
	Perfetto__Trace *trace;
	char got[1024];

	export_synth__make(&s, "begin - a0; call a4 b0", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(windows); i++)
		s.windows[s.nr_windows++] = &windows[i];
	trace = write_trace(&s, 1);
	write_events(trace, got);
	CHECK_STREQ(got, "2:Owread1 2:C9 3:Ownoop_fsync4 3:C12 2:Owread9 3:Ownoop_fsync12 3:C13 "
			 "1:Oua1 1:Oub2 1:C2 1:C2 ");
	CHECK_STREQ(track(trace, 1)->name, "windows");
	CHECK_EQ(track(trace, 2)->parent_uuid, 1);
	for (size_t i = 0; i < trace->n_packet && !event; i++)
		event = trace->packet[i]->track_event;
	if (!event || !CHECK_EQ(event->n_debug_annotations, 10))
		return;
	CHECK_STREQ(event->debug_annotations[6]->name, "arg5");
	CHECK_EQ(event->debug_annotations[6]->pointer_value, 15);
	CHECK_STREQ(event->debug_annotations[7]->name, "ret");
	CHECK_STREQ(event->debug_annotations[7]->string_value, "-2 ENOENT");
	CHECK_STREQ(event->debug_annotations[9]->name, "moves");
	CHECK_EQ(event->debug_annotations[9]->uint_value, 2);
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

/* Samples are on a track of their own below the calls; a path is told once. */
static void test_samples(void)
{
	const Perfetto__DebugAnnotation *const *notes = NULL;
	const Perfetto__InternedString *text = NULL;
	struct export_synth s;
	Perfetto__Trace *trace;
	char got[1024];
	size_t nr_texts = 0;

	export_synth__make(&s, "begin - a0; call a4 b0", NULL);
	export_synth__sample(&s, 3, 1, "abK");
	export_synth__sample(&s, 5, 2, "abK");
	export_synth__sample(&s, 6, 2, "");
	trace = write_trace(&s, 1);
	write_events(trace, got);
	CHECK_STREQ(got, "2:IsK3 2:IsK5 2:Ise6 1:Oua1 1:Oub2 1:C2 1:C2 ");
	CHECK_STREQ(track(trace, 1)->name, "samples");
	CHECK_EQ(track(trace, 1)->parent_uuid, 1);
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__InternedData *data = trace->packet[i]->interned_data;

		if (data && data->n_debug_annotation_string_values && !nr_texts++)
			text = data->debug_annotation_string_values[0];
		if (trace->packet[i]->track_event && !notes)
			notes = (const Perfetto__DebugAnnotation *const *)trace->packet[i]
					->track_event->debug_annotations;
	}
	CHECK_EQ(nr_texts, 2);
	if (CHECK(text && notes)) {
		CHECK_EQ(text->str.len, strlen("a;b;K_[k]"));
		CHECK(!memcmp(text->str.data, "a;b;K_[k]", text->str.len));
		CHECK_STREQ(notes[0]->string_value, "e");
		CHECK_EQ(notes[1]->uint_value, 1);
		CHECK_EQ(notes[2]->string_value_iid, text->iid);
	}
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

static const Perfetto__UiState *shown(const Perfetto__Trace *trace)
{
	for (size_t i = 0; i < trace->n_packet; i++) {
		if (trace->packet[i]->ui_state)
			return trace->packet[i]->ui_state;
	}
	return NULL;
}

/* The trigger is shown first, with what was traced of each CPU before it, and the time without trace behind it. */
static void test_trigger(void)
{
	char rule[] = "offcpu > 1ms", time[] = "2026-11-27T14:00:00Z", comm[] = "db";
	struct snapshot_cpu_time cpus[] = {{.cpu = 2, .covered = 500, .blind = 30}, {.cpu = 3, .blind = 20}};
	char name[] = "one.data";
	struct snapshot_line snapshot = {.name = name,
					 .rule = rule,
					 .time = time,
					 .comm = comm,
					 .tid = 5,
					 .cpu = 2,
					 .has_duration = true,
					 .duration = 8,
					 .trigger = 3000000,
					 .cpus = cpus,
					 .nr_cpus = 2};
	struct export_synth s;
	Perfetto__Trace *trace;
	char got[1024];

	export_synth__make(&s, "begin - a0; call a4 b0", NULL);
	s.snapshots[s.nr_snapshots++] = &snapshot;
	trace = write_trace(&s, 1);
	write_events(trace, got);
	CHECK_STREQ(
		got,
		"1:Itoffcpu > 1ms3000000 2:Ottrace2999500 2:C3000000 2:On[without trace: snapshot]3000000 "
		"2:C3000030 3:On[without trace: snapshot]3000000 3:C3000020 4:Oua1 4:Oub2 4:C2 4:C2 ");
	CHECK_STREQ(track(trace, 0)->name, "trigger");
	CHECK_STREQ(track(trace, 1)->name, "trace of CPU 2");
	CHECK_EQ(shown(trace)->timeline_start_ts, 2000000);
	CHECK_EQ(shown(trace)->timeline_end_ts, 3100000);
	perfetto__trace__free_unpacked(trace, NULL);
	/* An index of an older version does not tell when it was. */
	snapshot.trigger = 0;
	trace = write_trace(&s, 1);
	CHECK(!shown(trace));
	CHECK(!track(trace, 1));
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

/* Of several snapshots each has its trigger; what a CPU's trace covers begins behind the one before, and not all is shown first. */
static void test_triggers(void)
{
	char rule[] = "end", time[] = "now", name[] = "one.data";
	struct snapshot_cpu_time first[] = {{.cpu = 2, .covered = 500, .blind = 30},
					    {.cpu = 0, .covered = 1}};
	struct snapshot_cpu_time second[] = {{.cpu = 2, .covered = 90, .blind = 5}};
	struct snapshot_line lines[] = {
		{.name = name, .rule = rule, .time = time, .trigger = 1080, .cpus = second, .nr_cpus = 1},
		{.name = name, .rule = rule, .time = time},
		{.name = name, .rule = rule, .time = time, .trigger = 1000, .cpus = first, .nr_cpus = 2},
	};
	struct export_synth s;
	Perfetto__Trace *trace;
	char got[1024];

	export_synth__make(&s, "begin - a0; call a4 b0", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		s.snapshots[s.nr_snapshots++] = &lines[i];
	trace = write_trace(&s, 1);
	write_events(trace, got);
	CHECK_STREQ(got,
		    "1:Itend1080 1:Itend1000 2:Ottrace999 2:C1000 3:Ottrace500 3:C1000 3:On[without trace: "
		    "snapshot]1000 3:C1030 3:Ottrace1030 3:C1080 3:On[without trace: snapshot]1080 3:C1085 "
		    "4:Oua1 4:Oub2 4:C2 4:C2 ");
	CHECK_STREQ(track(trace, 1)->name, "trace of CPU 0");
	CHECK_STREQ(track(trace, 2)->name, "trace of CPU 2");
	CHECK(!shown(trace));
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

/* Writes a task's calls, and which tasks were on the CPUs, and describes all of it in @got. The caller frees and releases both. */
static Perfetto__Trace *write_switches(struct export_synth *s, const char *branches,
				       const struct task_switch *switches, size_t nr, char *got)
{
	Perfetto__Trace *trace;

	export_synth__make(s, branches, NULL);
	s->switches = switches;
	s->nr_switches = nr;
	trace = write_trace(s, 1);
	write_events(trace, got);
	return trace;
}

/* A record that two captures have counts once. If they have none in common, the task is gone in between. */
static void test_cpus_of_captures(void)
{
	const struct task_switch switches[] = {
		{.time = 1, .tid = 9, .capture = 0},
		{.time = 3, .tid = 9, .is_out = true, .capture = 0},
		{.time = 3, .tid = 8, .capture = 0},
		{.time = 3, .tid = 8, .capture = 1},
		{.time = 3, .tid = 9, .is_out = true, .capture = 1},
		{.time = 5, .tid = 8, .is_out = true, .capture = 1},
		{.time = 5, .tid = 9, .capture = 1},
		{.time = 90, .tid = 9, .is_out = true, .capture = 2},
		{.time = 90, .tid = 8, .capture = 2},
		{.time = 95, .tid = 8, .is_out = true, .capture = 2},
	};
	struct export_synth s;
	Perfetto__Trace *trace;
	char got[1024];

	trace = write_switches(&s, "begin - a0", switches, ARRAY_SIZE(switches), got);
	CHECK_STREQ(got, "1:Optid 91 1:C3 1:Opa \"task\"3 1:C5 1:Optid 95 1:C5 1:Opa \"task\"90 1:C95 2:Oua1 "
			 "2:C1 ");
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

/* Each CPU has the tasks that were on it: also one without calls, one whose record was lost, and one that was there at the end. */
static void test_cpus(void)
{
	const struct task_switch switches[] = {
		{.time = 5, .tid = 8, .cpu = 1},
		{.time = 3, .tid = 9, .cpu = 0},
		{.time = 7, .tid = 9, .cpu = 0, .is_out = true},
		{.time = 7, .tid = 0, .cpu = 0},
		{.time = 8, .tid = 0, .cpu = 0, .is_out = true},
		{.time = 8, .tid = 10, .cpu = 0},
		{.time = 9, .tid = 8, .cpu = 0},
		{.time = 9, .tid = 8, .cpu = 1, .is_out = true},
		{.time = 11, .tid = 10, .cpu = 1, .is_out = true},
		{.time = 12, .tid = 10, .cpu = 0, .is_out = true},
		{.time = 13, .tid = 0, .cpu = 0},
	};
	struct export_synth s;
	Perfetto__Trace *trace;
	char got[1024];

	trace = write_switches(&s, "begin - a0; call a4 b0", switches, ARRAY_SIZE(switches), got);
	CHECK_STREQ(got, "1:Optid 93 1:C7 1:Optid 108 1:C9 1:Opa \"task\"9 1:C13 2:Opa \"task\"5 2:C9 3:Oua1 "
			 "3:Oub2 3:C2 3:C2 ");
	CHECK_STREQ(track(trace, 0)->name, "CPU 0");
	CHECK_STREQ(track(trace, 1)->name, "CPU 1");
	perfetto__trace__free_unpacked(trace, NULL);
	export_synth__release(&s);
}

int main(void)
{
	test_cpus();
	test_cpus_of_captures();
	test_samples();
	test_trigger();
	test_triggers();
	test_calls();
	test_tracks();
	test_names();
	test_windows();
	return check__done();
}
