// SPDX-License-Identifier: GPL-2.0-only
/* Lines of tracepoints' formats. */
#include "check.h"
#include "rules/tracepoint_format.h"

static void test_lines(void)
{
	static const struct {
		const char *line, *name;
		enum trace_field_kind kind;
		unsigned int offset, size;
		bool is_signed;
	} cases[] = {
		{"\tfield:int error;\toffset:16;\tsize:4;\tsigned:1;", "error", TRACE_FIELD_NUMBER, 16, 4,
		 true},
		{"\tfield:unsigned long long x;\toffset:8;\tsize:8;\tsigned:0;", "x", TRACE_FIELD_NUMBER, 8,
		 8, false},
		{"field:char c;offset:65535;size:1;signed:1;", "c", TRACE_FIELD_NUMBER, 65535, 1, true},
		{" field:u16 a_1 ; offset:10; size:2; signed:0;", "a_1", TRACE_FIELD_NUMBER, 10, 2, false},
		{"field:const char * name;\toffset:8;\tsize:8;\tsigned:0;", "name", TRACE_FIELD_NUMBER, 8, 8,
		 false},
		{"field:const struct rq *rq;\toffset:8;\tsize:8;\tsigned:0;", "rq", TRACE_FIELD_NUMBER, 8, 8,
		 false},
		{"field:struct rq * rq;\toffset:8;\tsize:8;\tsigned:0;", "rq", TRACE_FIELD_NUMBER, 8, 8,
		 false},
		{"field:struct pair p;\toffset:8;\tsize:8;\tsigned:0;", "p", TRACE_FIELD_OTHER, 8, 8, false},
		{"field:union pair p;\toffset:8;\tsize:8;\tsigned:0;", "p", TRACE_FIELD_OTHER, 8, 8, false},
		{"field:unsigned __int128 v;\toffset:16;\tsize:16;\tsigned:0;", "v", TRACE_FIELD_OTHER, 16,
		 16, false},
		{"field:char comm[16];\toffset:8;\tsize:16;\tsigned:0;", "comm", TRACE_FIELD_TEXT, 8, 16,
		 false},
		{"field:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;", "name", TRACE_FIELD_TEXT, 8,
		 4, false},
		{"field:__rel_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;", "name", TRACE_FIELD_TEXT, 8,
		 4, false},
		{"field:__data_loc __u8[] buf;\toffset:8;\tsize:4;\tsigned:0;", "buf", TRACE_FIELD_OTHER, 8,
		 4, false},
		{"field:u64 args[6];\toffset:16;\tsize:48;\tsigned:0;", "args", TRACE_FIELD_OTHER, 16, 48,
		 false},
		{"field:u8 one[1];\toffset:16;\tsize:1;\tsigned:0;", "one", TRACE_FIELD_OTHER, 16, 1, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = cases[i].line;
		struct trace_field field;

		if (!CHECK(tracepoint_format__next(&text, &field)))
			continue;
		CHECK_STREQ(text, "");
		CHECK_STREQ(field.name, cases[i].name);
		CHECK_EQ(field.kind, cases[i].kind);
		CHECK_EQ(field.offset, cases[i].offset);
		CHECK_EQ(field.size, cases[i].size);
		CHECK_EQ(field.is_signed, cases[i].is_signed);
	}
}

/* What is no field is passed over, and the file goes on. */
static void test_others(void)
{
	static const char *const lines[] = {
		"name: sched_wakeup",
		"",
		"print fmt: \"field:int x; offset:1; size:2; signed:0;\", REC->x",
		"field:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
		"field:int x;\toffset:8;\tsize:4;",
		"field:int x;\toffset:8;\tsize:4;\tsigned:",
		"field:int x;\toffset:-8;\tsize:4;\tsigned:1;",
		"field:int x;\tsize:4;\toffset:8;\tsigned:1;",
		"field:int x;\toffset:65536;\tsize:4;\tsigned:1;",
		"field:int x;\toffset:8;\tsize:99999999999999999999;\tsigned:1;",
		"field:int x",
		"field:;\toffset:8;\tsize:4;\tsigned:1;",
		"field:[];\toffset:8;\tsize:4;\tsigned:1;",
		"field:int *;\toffset:8;\tsize:4;\tsigned:1",
		"field:int "
		"a234567890123456789012345678901234567890123456789012345678901234;\toffset:8;\tsize:4;\t"
		"signed:1;",
	};
	struct trace_field field;
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *at = text;

		snprintf(text, sizeof(text), "%s\n\tfield:int last;\toffset:8;\tsize:4;\tsigned:1;\n\n",
			 lines[i]);
		CHECK(tracepoint_format__next(&at, &field));
		if (!CHECK_STREQ(field.name, "last"))
			fprintf(stderr, "%s\n", lines[i]);
		CHECK(!tracepoint_format__next(&at, &field));
		CHECK_STREQ(at, "");
	}
}

int main(void)
{
	test_lines();
	test_others();
	return check__done();
}
