// SPDX-License-Identifier: GPL-2.0-only
/* Which snapshots of a directory are exported. */
#include <errno.h>

#include "check.h"
#include "export/capture_list.h"
#include "root_dir.h"

#define LINE(name, rule, more)                                                         \
	"{\"schema\":\"auxbpf-snapshot-1\",\"snapshot\":\"" name "\",\"rule\":\"" rule \
	"\",\"time\":\"now\"" more "}\n"

static struct root_dir dir;

/* Checks the names of the files that are listed, with a blank behind each. */
static void check(struct capture_list_opts opts, int want_err, const char *want)
{
	struct capture_list captures = {0};
	char got[256] = "";

	opts.path = opts.path ? opts.path : dir.path;
	CHECK_EQ(capture_list__read(&captures, &opts), want_err);
	for (size_t i = 0; !want_err && i < captures.nr; i++) {
		strcat(got, strrchr(captures.list[i].path, '/') + 1);
		strcat(got, " ");
		CHECK(!captures.is_dir ||
		      !strcmp(strrchr(captures.list[i].path, '/') + 1, captures.list[i].snapshot->name));
	}
	CHECK_STREQ(got, want);
	capture_list__release(&captures);
}

/* One is not there any more, one is not of this directory. */
static void test_directory(void)
{
	CHECK(root_dir__put(&dir, "/index.ndjson",
			    LINE("a.data", "read", ",\"boot\":\"1\"") LINE("gone.data", "read", "")
				    LINE("../other", "read", "") LINE("b.data", "write", ",\"boot\":\"2\"")
					    LINE("c.data", "read", ",\"boot\":\"2\"")));
	CHECK(root_dir__put(&dir, "/a.data", ""));
	CHECK(root_dir__put(&dir, "/b.data", ""));
	CHECK(root_dir__put(&dir, "/c.data", ""));
	check((struct capture_list_opts){0}, 0, "a.data b.data c.data ");
	check((struct capture_list_opts){.one_clock = true}, 0, "b.data c.data ");
	check((struct capture_list_opts){.rule = "wri*"}, 0, "b.data ");
	check((struct capture_list_opts){.rule = "read", .one_clock = true}, 0, "c.data ");
	check((struct capture_list_opts){.rule = "openat"}, -ENOENT, "");
}

/* Lines of an older version do not tell of which boot they are: of one, as far as anybody knows, and not of one that is told. */
static void test_old_index(void)
{
	CHECK(root_dir__put(&dir, "/index.ndjson",
			    LINE("a.data", "read", ",\"boot\":\"1\"") LINE("b.data", "read", "")
				    LINE("c.data", "read", "")));
	check((struct capture_list_opts){.one_clock = true}, 0, "b.data c.data ");
	CHECK(root_dir__put(&dir, "/index.ndjson", ""));
	check((struct capture_list_opts){0}, -ENOENT, "");
}

/* A capture is none of these; one without an index, and one beside an index. */
static void test_capture(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/a.data", dir.path);
	check((struct capture_list_opts){.path = path}, 0, "a.data ");
	check((struct capture_list_opts){.path = path, .one_clock = true}, 0, "a.data ");
	check((struct capture_list_opts){.path = path, .rule = "read"}, -ENOENT, "");
}

int main(void)
{
	if (!CHECK(root_dir__make(&dir)))
		return check__done();
	test_directory();
	test_old_index();
	test_capture();
	root_dir__remove(&dir);
	return check__done();
}
