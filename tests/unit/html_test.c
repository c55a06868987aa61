// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data of a page, as bytes: "Oa0 Ob9 Cb39" are begins and ends as in speedscope_test.c; capital letters are functions of the
 * kernel, "@3" in front of a begin is another CPU, "-" one without its end, "!70 why" an error, ".2 eab5" a sample. What a browser
 * makes of them is tested by page.bats.
 */
#include <json.h>

#include "export/html.h"
#include "export_synth.h"

#define LANE "<script type=\"text/plain\" class=\"lane\">"
#define CAPTURE "<script type=\"application/json\" id=\"capture\">\n"

struct bytes {
	uint8_t at[4096];
	size_t nr, next;
};

static uint32_t value_of(char letter)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return letter == '=' ? 0 : (uint32_t)(strchr(letters, letter) - letters);
}

/* Reads base64 up to the end of its element. */
static void read_base64(const char *text, struct bytes *to)
{
	size_t len = strcspn(text, "<");

	CHECK_EQ(len % 4, 0);
	to->nr = to->next = 0;
	for (size_t i = 0; i < len; i += 4) {
		uint32_t group = value_of(text[i]) << 18 | value_of(text[i + 1]) << 12 |
				 value_of(text[i + 2]) << 6 | value_of(text[i + 3]);

		for (int shift = 16; shift >= 0; shift -= 8)
			to->at[to->nr++] = (uint8_t)(group >> shift);
		CHECK(to->nr < sizeof(to->at));
	}
	for (size_t i = len; i && text[i - 1] == '='; i--)
		to->nr--;
}

static uint64_t read_number(struct bytes *from)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	do {
		value |= (uint64_t)(from->at[from->next] & 0x7f) << shift;
		shift += 7;
	} while (from->at[from->next++] & 0x80);
	return value;
}

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

static const char *item(struct json_object *list, size_t i)
{
	return json_object_get_string(json_object_array_get_idx(list, i));
}

static struct json_object *read_capture(const char *page)
{
	const char *at = strstr(page, CAPTURE), *end;
	struct json_object *capture;
	_cleanup_free_ char *json = NULL;

	CHECK(at);
	at += strlen(CAPTURE);
	end = strchr(at, '<');
	CHECK_STREQ(end, "</script>\n");
	json = strndup(at, (size_t)(end - at));
	capture = json_tokener_parse(json);
	CHECK(capture);
	return capture;
}

static size_t describe_begin(struct bytes *bytes, struct json_object *functions, uint64_t time, char *to)
{
	struct json_object *function = json_object_array_get_idx(functions, read_number(bytes));
	uint8_t flags = bytes->at[bytes->next++];
	size_t len = 0;

	if (flags & HTML_OTHER_CPU)
		len += (size_t)sprintf(to, "@%" PRIu64 " ", read_number(bytes) - 1);
	return len + (size_t)sprintf(to + len, "%s%c%" PRIu64 "%s ",
				     (flags & HTML_GAP) == HTML_GAP ? ""
				     : (flags & HTML_KERNEL)	    ? "K"
								    : "U",
				     *item(function, 0), time, flags & HTML_OVER ? "" : "-");
}

/* Writes a sample as ".CPU path TIME", with the numbers of its paths' functions, the event first. */
static size_t describe_sample(struct bytes *bytes, struct json_object *capture, uint64_t time, char *to)
{
	struct json_object *paths = get(capture, "paths"), *functions = get(capture, "functions");
	int64_t path = (int64_t)read_number(bytes);
	size_t len = (size_t)sprintf(to, ".%" PRIu64 " ", read_number(bytes) - 1);
	char names[16] = "", *at = names + sizeof(names) - 1;

	while (path >= 0) {
		struct json_object *pair = json_object_array_get_idx(paths, (size_t)path);
		size_t function = (size_t)json_object_get_int(json_object_array_get_idx(pair, 1));

		*--at = *item(json_object_array_get_idx(functions, function), 0);
		CHECK(json_object_get_int64(json_object_array_get_idx(pair, 0)) < path);
		path = json_object_get_int64(json_object_array_get_idx(pair, 0));
	}
	return len + (size_t)sprintf(to + len, "%s%" PRIu64 " ", at, time);
}

/* Writes the events of the first lane as text. */
static void describe_events(const char *page, char *to)
{
	struct json_object *capture = read_capture(page), *functions = get(capture, "functions");
	static struct bytes bytes;
	uint64_t time = 0;

	read_base64(strstr(page, LANE) + strlen(LANE), &bytes);
	*to = '\0';
	while (bytes.next < bytes.nr) {
		uint64_t head = read_number(&bytes);

		time += head >> 2;
		if ((head & 3) == HTML_BEGIN) {
			to += describe_begin(&bytes, functions, time, to);
		} else if ((head & 3) == HTML_END) {
			to += sprintf(to, "C%" PRIu64 " ", time);
		} else if ((head & 3) == HTML_SAMPLE) {
			to += describe_sample(&bytes, capture, time, to);
		} else {
			size_t len = read_number(&bytes);

			to += sprintf(to, "!%" PRIu64 "%.*s ", time, (int)len, &bytes.at[bytes.next]);
			bytes.next += len;
		}
	}
	json_object_put(capture);
}

static void test_events(const char *before, const char *behind, struct call_limits limits, const char *want)
{
	_cleanup_free_ char *page = NULL;
	struct export_synth s;
	char got[1024];
	size_t len;

	export_synth__make(&s, before, behind);
	s.limits = limits;
	page = export_synth__write(&s, 1, html__write, &len);
	describe_events(page, got);
	CHECK_STREQ(got, want);
	export_synth__release(&s);
}

static void test_all_events(void)
{
	const struct call_limits all = {0};

	test_events("begin - a0; @10; call a10 b0; @20; sys b4 A0; @25; sysret A8 b6; @40; ret b10 a15", NULL,
		    all, "@3 Ua0- Ub9 KA19 C24 C39 C39 ");
	/* One that was not seen to begin, and what had called it. */
	test_events("@5; begin - c30; @10; ret c40 b15; @20; call b20 d0", NULL, all,
		    "@3 Ub0- Uc0 C5 Ud15- C15 C15 ");
	test_events("begin - a0; @10; call a10 b0; @20; end b4 -", "@70; begin - b8; @75; ret b10 a15", all,
		    "@3 Ua0- Ub9 [19 C69 !69why C74 C74 ");
	test_events("begin - a0; @10; call a10 b0; @40; ret b10 a15", NULL, (struct call_limits){.depth = 1},
		    "@3 Ua0- C39 ");
	test_events("begin - a0", NULL, (struct call_limits){.min_duration = 5}, "");
	/* Numbers of more than one byte, up to times that are far apart. */
	test_events("begin - a0; @100000000000000; call a10 b0; @100000000000100; ret b8 a15", NULL, all,
		    "@3 Ua0- Ub99999999999999 C100000000000099 C100000000000099 ");
	/* A decoder that has gone astray may tell of such a time: it takes more events to get there. */
	test_events("begin - a0; @18000000000000000000; call a10 b0; ret b8 a15", NULL, all,
		    "@3 Ua0- Ub4611686018427387903 C9223372036854775806 C13835058055282163709 ");
}

/* Samples stand between the calls, by time, also those before and behind all calls; or there are no calls. */
static void test_samples(void)
{
	_cleanup_free_ char *page = NULL, *alone = NULL;
	struct export_synth s;
	char got[1024];
	size_t len;

	export_synth__make(&s, "@10; begin - a0; @20; call a10 b0; @20; end b4 -",
			   "@70; begin - b8; @75; ret b10 a15");
	export_synth__sample(&s, 5, 1, "ab");
	export_synth__sample(&s, 10, 2, "abK");
	export_synth__sample(&s, 30, 2, "ab");
	export_synth__sample(&s, 75, 0, "");
	export_synth__sample(&s, 90, 0, "c");
	page = export_synth__write(&s, 1, html__write, &len);
	describe_events(page, got);
	CHECK_STREQ(got, ".1 eab0 .2 eabK5 @3 Ua5- Ub15 [15 .2 eab25 C65 !65why .0 e70 C70 C70 .0 ec85 ");
	export_synth__release(&s);
	export_synth__make(&s, "begin - a0", NULL);
	call_tree__clear(&s.task.tree);
	export_synth__sample(&s, 1000, 1, "ab");
	export_synth__sample(&s, 1001, 0, "ab");
	alone = export_synth__write(&s, 1, html__write, &len);
	describe_events(alone, got);
	CHECK_STREQ(got, ".1 eab0 .0 eab1 ");
	export_synth__release(&s);
}

/* Functions, tasks and windows have the names of strangers. */
static void test_capture(void)
{
	_cleanup_free_ char *page = NULL;
	struct window window = {.number = 4,
				.name = strdup("</script>"),
				.comm = strdup("<!--<script>"),
				.result = strdup("-2 ENOENT"),
				.pid = 7,
				.tid = 8,
				.begin = 5000000000,
				.end = 5000000007,
				.is_over = true,
				.off = 3,
				.moves = 2,
				.args = {1, UINT64_MAX},
				.has_args = true};
	struct json_object *capture, *lane, *function, *shown;
	struct export_synth s;
	size_t len;

	export_synth__make(&s, "@5000000001; begin - o0; sys o10 A0; @5000000009; sysret A4 o12", NULL);
	s.windows[s.nr_windows++] = &window;
	page = export_synth__write(&s, 2, html__write, &len);
	CHECK_EQ(strncmp(page, "<!DOCTYPE html>\n", 16), 0);
	CHECK(strstr(page, "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "));
	capture = read_capture(page);
	CHECK_STREQ(text(capture, "capture"), "cap\"ture");
	CHECK_STREQ(text(capture, "base"), "5000000000");
	CHECK_EQ(json_object_array_length(get(capture, "lanes")), 2);
	lane = json_object_array_get_idx(get(capture, "lanes"), 1);
	CHECK_STREQ(text(lane, "name"), "a \"task\"");
	CHECK_EQ(json_object_get_int(get(lane, "pid")), 7);
	CHECK_EQ(json_object_get_int(get(lane, "tid")), 8);
	CHECK_EQ(json_object_get_int(get(lane, "calls")), 2);
	CHECK_EQ(json_object_array_length(get(capture, "functions")), 2);
	function = json_object_array_get_idx(get(capture, "functions"), 0);
	CHECK_STREQ(item(function, 0), "operator\"new\\ (\\377)");
	CHECK_STREQ(item(function, 1), "prog");
	shown = json_object_array_get_idx(get(capture, "windows"), 0);
	CHECK_EQ(json_object_get_int(get(shown, "window")), 4);
	CHECK_STREQ(text(shown, "name"), "</script>");
	CHECK_STREQ(text(shown, "comm"), "<!--<script>");
	CHECK_STREQ(text(shown, "result"), "-2 ENOENT");
	CHECK_STREQ(item(get(shown, "args"), 1), "18446744073709551615");
	CHECK_EQ(json_object_get_int64(get(shown, "begin")), 0);
	CHECK_EQ(json_object_get_int64(get(shown, "end")), 7);
	CHECK_EQ(json_object_get_int64(get(shown, "off")), 3);
	json_object_put(capture);
	free(window.name);
	free(window.comm);
	free(window.result);
	export_synth__release(&s);
}

static void test_trigger(void)
{
	_cleanup_free_ char *page = NULL, *without = NULL;
	char rule[] = "latency > <1ms", time[] = "2026-11-27T14:00:00Z", comm[] = "db";
	char name[] = "one.data";
	struct snapshot_line snapshot = {.name = name,
					 .rule = rule,
					 .time = time,
					 .comm = comm,
					 .pid = 4,
					 .tid = 5,
					 .cpu = 2,
					 .trigger = 5000000100};
	struct snapshot_line other = {.name = name, .rule = rule, .time = time, .trigger = 5000000900};
	struct json_object *capture, *trigger, *triggers;
	struct export_synth s;
	size_t len;

	export_synth__make(&s, "@5000000000; begin - a0; call a4 b0", NULL);
	s.snapshots[s.nr_snapshots++] = &snapshot;
	s.snapshots[s.nr_snapshots++] = &other;
	page = export_synth__write(&s, 1, html__write, &len);
	capture = read_capture(page);
	triggers = get(capture, "triggers");
	CHECK_EQ(json_object_array_length(triggers), 2);
	CHECK_EQ(json_object_get_int64(get(json_object_array_get_idx(triggers, 1), "time")), 900);
	trigger = json_object_array_get_idx(triggers, 0);
	CHECK_EQ(json_object_get_int64(get(trigger, "time")), 100);
	CHECK_STREQ(text(trigger, "utc"), time);
	CHECK_STREQ(text(trigger, "rule"), rule);
	CHECK_STREQ(text(trigger, "comm"), comm);
	CHECK_EQ(json_object_get_int(get(trigger, "tid")), 5);
	CHECK_STREQ(text(trigger, "snapshot"), name);
	json_object_put(capture);
	/* An index of an older version does not tell when it was. */
	snapshot.trigger = other.trigger = 0;
	without = export_synth__write(&s, 1, html__write, &len);
	capture = read_capture(without);
	CHECK_STREQ(text(capture, "base"), "5000000000");
	CHECK_EQ(json_object_array_length(get(capture, "triggers")), 0);
	json_object_put(capture);
	export_synth__release(&s);
}

static void test_nothing(void)
{
	_cleanup_free_ char *page = NULL;
	struct export_synth s;
	struct json_object *capture;
	size_t len;

	export_synth__make(&s, "begin - a0", NULL);
	page = export_synth__write(&s, 0, html__write, &len);
	CHECK(!strstr(page, LANE));
	capture = read_capture(page);
	CHECK_EQ(json_object_array_length(get(capture, "lanes")), 0);
	json_object_put(capture);
	export_synth__release(&s);
}

int main(void)
{
	test_all_events();
	test_capture();
	test_samples();
	test_trigger();
	test_nothing();
	return check__done();
}
