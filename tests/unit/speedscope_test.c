// SPDX-License-Identifier: GPL-2.0-only
#include <json.h>

#include "export/speedscope.h"
#include "export_synth.h"

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	CHECK(json_object_object_get_ex(object, key, &value));
	return value;
}

static const char *text(struct json_object *object, const char *key)
{
	return json_object_get_string(get(object, key));
}

/* Writes the events of a profile as "Oa0 Ob9 ...", with the first letters of the frames' names. */
static void write_events(struct json_object *file, struct json_object *profile, char *to)
{
	struct json_object *events = get(profile, "events"), *frames = get(get(file, "shared"), "frames");

	*to = '\0';
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		struct json_object *frame =
			json_object_array_get_idx(frames, (size_t)json_object_get_int(get(event, "frame")));

		to += sprintf(to, "%s%s%c%" PRIu64, i ? " " : "", text(event, "type"), *text(frame, "name"),
			      json_object_get_uint64(get(event, "at")));
	}
}

static struct json_object *write_file(struct export_synth *s, size_t nr)
{
	_cleanup_free_ char *bytes = NULL;
	struct json_object *file;
	size_t len;

	bytes = export_synth__write(s, nr, speedscope__write, &len);
	file = json_tokener_parse(bytes);
	CHECK(file);
	return file;
}

static void test_events(const char *before, const char *behind, struct call_limits limits, const char *want)
{
	struct export_synth s;
	struct json_object *file, *profile;
	char got[1024];

	export_synth__make(&s, before, behind);
	s.limits = limits;
	file = write_file(&s, 1);
	profile = json_object_array_get_idx(get(file, "profiles"), 0);
	write_events(file, profile, got);
	CHECK_STREQ(got, want);
	json_object_put(file);
	export_synth__release(&s);
}

static void test_all_events(void)
{
	const struct call_limits all = {0};

	test_events("begin - a0; @10; call a10 b0; @20; sys b4 A0; @25; sysret A8 b6; @40; ret b10 a15", NULL,
		    all, "Oa0 Ob9 OA19 CA24 Cb39 Ca39");
	test_events("@5; begin - c30; @10; ret c40 b15; @20; call b20 d0", NULL, all,
		    "Ob0 Oc0 Cc5 Od15 Cd15 Cb15");
	/* An error takes no time, and is not there. */
	test_events("begin - a0; @10; call a10 b0; @20; end b4 -", "@70; begin - b8; @75; ret b10 a15", all,
		    "Oa0 Ob9 O[19 C[69 Cb74 Ca74");
	test_events("begin - a0; @10; call a10 b0; @40; ret b10 a15", NULL, (struct call_limits){.depth = 1},
		    "Oa0 Ca39");
	test_events("begin - a0", NULL, (struct call_limits){.min_duration = 5}, "");
}

/* The names are those of strangers. */
static void test_file(void)
{
	struct export_synth s;
	struct json_object *file, *frame, *profile;

	export_synth__make(&s, "@5000000001; begin - o0; sys o10 A0; @5000000009; sysret A4 o12", NULL);
	file = write_file(&s, 2);
	CHECK_STREQ(text(file, "$schema"), "https://www.speedscope.app/file-format-schema.json");
	CHECK_STREQ(text(file, "name"), "cap\"ture, from 5.000000001");
	CHECK_EQ(json_object_array_length(get(file, "profiles")), 2);
	profile = json_object_array_get_idx(get(file, "profiles"), 1);
	CHECK_STREQ(text(profile, "type"), "evented");
	CHECK_STREQ(text(profile, "unit"), "nanoseconds");
	CHECK_STREQ(text(profile, "name"), "a \"task\" 7/8");
	CHECK_EQ(json_object_get_int64(get(profile, "startValue")), 0);
	CHECK_EQ(json_object_get_int64(get(profile, "endValue")), 8);
	CHECK_EQ(json_object_array_length(get(get(file, "shared"), "frames")), 2);
	frame = json_object_array_get_idx(get(get(file, "shared"), "frames"), 0);
	CHECK_STREQ(text(frame, "name"), "operator\"new\\ (\\377)");
	CHECK_STREQ(text(frame, "file"), "prog");
	json_object_put(file);
	export_synth__release(&s);
}

static void test_nothing(void)
{
	struct export_synth s;
	struct json_object *file;

	export_synth__make(&s, "begin - a0", NULL);
	file = write_file(&s, 0);
	CHECK_EQ(json_object_array_length(get(file, "profiles")), 0);
	json_object_put(file);
	export_synth__release(&s);
}

/* Samples of one event, whose name is not shown: a path each, with how many there are of it. */
static void test_samples(void)
{
	static const struct sample_frame in_b[] = {{'b', 0}, {'a', 0}}, in_a[] = {{'a', 0}};
	struct sample sample = {.event = 'e', .nr = 2};
	struct json_object *file, *profile;
	struct export_synth s;

	export_synth__make(&s, "begin - a0; call a4 b0", NULL);
	s.is_sampled = true;
	for (int i = 0; i < 3; i++)
		CHECK(sample_paths__add(&s.task.samples, &s.names, &sample, in_b));
	sample.nr = 1;
	CHECK(sample_paths__add(&s.task.samples, &s.names, &sample, in_a));
	file = write_file(&s, 1);
	CHECK_STREQ(text(file, "name"), "cap\"ture");
	profile = json_object_array_get_idx(get(file, "profiles"), 0);
	CHECK_STREQ(text(profile, "type"), "sampled");
	CHECK_STREQ(text(profile, "samples"), "[ [ 0 ], [ 0, 1 ] ]");
	CHECK_STREQ(text(profile, "weights"), "[ 1, 3 ]");
	CHECK_EQ(json_object_get_int(get(profile, "endValue")), 4);
	json_object_put(file);
	export_synth__release(&s);
}

/* A profile tells of which snapshot it is, if there are several. */
static void test_captures(void)
{
	struct json_object *file;
	struct export_synth s;

	export_synth__make(&s, "begin - a0", NULL);
	s.task.capture = "one.data";
	file = write_file(&s, 1);
	CHECK_STREQ(text(json_object_array_get_idx(get(file, "profiles"), 0), "name"),
		    "one.data: a \"task\" 7/8");
	json_object_put(file);
	export_synth__release(&s);
}

int main(void)
{
	test_captures();
	test_samples();
	test_all_events();
	test_file();
	test_nothing();
	return check__done();
}
