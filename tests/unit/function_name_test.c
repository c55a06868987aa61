// SPDX-License-Identifier: GPL-2.0-only
#include "rules/function_name.h"

#include <errno.h>

#include "check.h"

static void test_good(void)
{
	static const struct {
		const char *where;
		const char *binary;
		const char *symbol;
		uint64_t addr;
	} good[] = {
		{"vfs_fsync", NULL, "vfs_fsync", 0},
		{"_do.isra.0", NULL, "_do.isra.0", 0},
		{"/usr/bin/app:main", "/usr/bin/app", "main", 0},
		{"./app:main", "./app", "main", 0},
		{"/a:b/app:main", "/a:b/app", "main", 0},
		{"/bin/app:0x401136", "/bin/app", NULL, 0x401136},
		{"/bin/app:4198710", "/bin/app", NULL, 4198710},
		{"libc:malloc", "libc", "malloc", 0},
		{"libc.so.6:memcpy@@GLIBC_2.14", "libc.so.6", "memcpy@@GLIBC_2.14", 0},
		{"/bin/app:_ZN3foo3barEv", "/bin/app", "_ZN3foo3barEv", 0},
		{"/bin/app:0xffffffffffffffff", "/bin/app", NULL, UINT64_MAX},
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct function_name spec;
		char message[256];

		CHECK_EQ(function_name__parse(good[i].where, &spec, message, sizeof(message)), 0);
		CHECK_STREQ(spec.binary ? spec.binary : "", good[i].binary ? good[i].binary : "");
		CHECK_EQ(!spec.binary, !good[i].binary);
		CHECK_STREQ(spec.symbol ? spec.symbol : "", good[i].symbol ? good[i].symbol : "");
		CHECK_EQ(!spec.symbol, !good[i].symbol);
		CHECK_EQ(spec.addr, good[i].addr);
		function_name__release(&spec);
		CHECK(!spec.binary && !spec.symbol);
	}
}

static void test_bad(void)
{
	static const struct {
		const char *where;
		const char *says;
	} bad[] = {
		{"", "an empty name"},
		{"/usr/bin/app", "which function of /usr/bin/app? /usr/bin/app:FUNCTION names one"},
		{"0xffffffff81000000", "goes by its name"},
		{"vfs fsync", "'vfs fsync' is no name"},
		{"vfs_*", "'vfs_*' is no name"},
		{":main", "names no file"},
		{":", "names no file"},
		{"/bin/app:", "names no function"},
		{"/bin/app:foo::bar", "C++ functions"},
		{"/bin/app:0x", "'0x' in '/bin/app:0x' is no address"},
		{"/bin/app:12g", "is no address"},
		{"/bin/app:0x10000000000000000", "is no address"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct function_name spec;
		char message[256];

		CHECK_EQ(function_name__parse(bad[i].where, &spec, message, sizeof(message)), -EINVAL);
		if (!CHECK(strstr(message, bad[i].says)))
			fprintf(stderr, "%s: %s\n", bad[i].where, message);
		function_name__release(&spec);
	}
}

static void test_file_names(void)
{
	static const char *const same[][2] = {
		{"libc", "libc.so.6"},	  {"libc", "libc.so"},		 {"libc.so", "libc.so.6"},
		{"libc", "libc-2.31.so"}, {"libc.so.6", "libc.so.6"},	 {"libssl", "libssl.so.1.1"},
		{"bash", "bash"},	  {"libgcc_s", "libgcc_s.so.1"},
	};
	static const char *const other[][2] = {
		{"libc", "libcrypt.so.1"},   {"libc", "libc.so.6.old"}, {"libc", "libc++.so.6"},
		{"libc.so.6", "libc.so.60"}, {"bash", "bash.1"},	{"libc", "libc-client.so.2"},
		{"c", "libc.so.6"},	     {"libc.so.6", "libc.so"},	{"python", "python3.11"},
		{"libc", "libc.socket"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (!CHECK(function_name__is_file(same[i][0], same[i][1])))
			fprintf(stderr, "%s %s\n", same[i][0], same[i][1]);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		if (!CHECK(!function_name__is_file(other[i][0], other[i][1])))
			fprintf(stderr, "%s %s\n", other[i][0], other[i][1]);
}

int main(void)
{
	test_file_names();
	test_good();
	test_bad();
	return check__done();
}
