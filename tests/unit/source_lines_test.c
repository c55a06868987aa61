// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks for source lines in this program itself, and in copies of it that binutils' strip and objcopy change. Its functions tell
 * from where they are called, and at which line that is.
 */
#include "symbols/source_lines.h"

#include <errno.h>
#include <link.h>

#include "check.h"
#include "files/build_ids.h"
#include "root_dir.h"

#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Keeps the compiler from moving code over it, and a call before it from becoming a jump. */
#define BARRIER() __asm__ volatile("" ::: "memory")

enum { PLAIN, IN_ONE, IN_TWO, ALONE, BEHIND, NR_PLACES };

/* Where it was called from, by the test and by the program itself. */
static uintptr_t addresses[NR_PLACES];
static unsigned int lines[NR_PLACES], one_line, two_line, alone_line;
static volatile int nr_loops = 2;

void note_place(int place, unsigned int line);
void run_places(void);

NOINLINE void note_place(int place, unsigned int line)
{
	/* In the call, not behind it. */
	addresses[place] = (uintptr_t)__builtin_return_address(0) - 1;
	lines[place] = line;
	BARRIER();
}

ALWAYS_INLINE void inlined_two(int place)
{
	note_place(place, __LINE__);
	BARRIER();
}

ALWAYS_INLINE void inlined_one(void)
{
	note_place(IN_ONE, __LINE__);
	BARRIER();
	two_line = __LINE__, inlined_two(IN_TWO);
}

NOINLINE void run_places(void)
{
	note_place(PLAIN, __LINE__);
	for (int i = 0; i < nr_loops; i++) {
		BARRIER();
		one_line = __LINE__, inlined_one();
	}
	alone_line = __LINE__, inlined_two(ALONE);
	note_place(BEHIND, __LINE__);
	BARRIER();
}

static bool run(const struct root_dir *root, const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd %s && { %s; }", root->path, command);
	return !system(line);
}

/* The address of this program less what the linker gave it, and the segment with the code. */
struct program {
	uintptr_t moved;
	ElfW(Phdr) code;
};

static int match(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct program *p = ctx;

	p->moved = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			p->code = info->dlpi_phdr[i];
	}
	return 1;
}

static struct build_id own_id(void)
{
	FILE *self = fopen("/proc/self/exe", "re");
	struct build_id id = {0};

	CHECK(self && !build_id__read_elf(fileno(self), &id));
	fclose(self);
	return id;
}

struct looked {
	struct source_lines lines;
	int err;
};

static struct looked look(const struct root_dir *root, const char *path, const char *cache, bool is_kernel)
{
	struct source_address wanted[NR_PLACES + 1] = {0};
	struct build_id id = own_id();
	struct source_query query = {.root = root->path,
				     .id = &id,
				     .path = path,
				     .cache = cache,
				     .is_kernel = is_kernel,
				     .addresses = wanted,
				     .nr = ARRAY_SIZE(wanted)};
	struct file_helper helper;
	struct program program;
	struct looked ret;

	dl_iterate_phdr(match, &program);
	for (size_t i = 0; i < NR_PLACES; i++) {
		/* The kernel is where this program runs. */
		wanted[i] = (struct source_address){addresses[i], (uintptr_t)run_places, "run_places"};
		if (!is_kernel)
			wanted[i].address -= program.moved + program.code.p_vaddr - program.code.p_offset;
	}
	/* There is no code. */
	wanted[NR_PLACES] = (struct source_address){.symbol = is_kernel ? "no_such_symbol" : ""};
	file_helper__init(&helper, FILE_HELPER_TIME);
	ret.err = source_lines__find(&query, &helper, &ret.lines);
	file_helper__release(&helper);
	return ret;
}

static bool is_here(const struct source_line *line, unsigned int want)
{
	const char *slash = strrchr(line->file, '/');

	return CHECK(slash && !strcmp(slash, "/source_lines_test.c")) && CHECK_EQ(line->line, want);
}

/* Checks the innermost function that was inlined at a place, and where. Returns its number. */
static uint32_t check_inlined(const struct source_lines *l, uint32_t instance, const char *name,
			      unsigned int line)
{
	const struct source_instance *in;

	if (!CHECK(instance && instance <= l->nr_instances))
		return 0;
	in = &l->instances[instance - 1];
	CHECK_STREQ(in->name, name);
	is_here(&in->where, line);
	return in->where.instance;
}

static void check_all(struct looked looked)
{
	const struct source_lines *l = &looked.lines;
	uint32_t one;

	if (!CHECK_EQ(looked.err, 0) || !CHECK_EQ(l->nr, NR_PLACES + 1))
		return;
	for (size_t i = 0; i < NR_PLACES; i++)
		is_here(&l->lines[i], lines[i]);
	CHECK_EQ(l->lines[PLAIN].instance, 0);
	CHECK_EQ(l->lines[BEHIND].instance, 0);
	CHECK_EQ(check_inlined(l, l->lines[IN_ONE].instance, "inlined_one", one_line), 0);
	/* A loop has one instance, however often it runs; the second place is another one. */
	one = check_inlined(l, l->lines[IN_TWO].instance, "inlined_two", two_line);
	CHECK_EQ(one, l->lines[IN_ONE].instance);
	CHECK_EQ(check_inlined(l, l->lines[ALONE].instance, "inlined_two", alone_line), 0);
	CHECK_STREQ(l->lines[NR_PLACES].file, "");
	CHECK_EQ(l->lines[NR_PLACES].instance, 0);
	source_lines__release(&looked.lines);
}

static void check_none(struct looked looked, int err)
{
	CHECK_EQ(looked.err, err);
	source_lines__release(&looked.lines);
}

static void test_files(const struct root_dir *root)
{
	char cache[PATH_MAX], command[512], name[BUILD_ID_PATH_SIZE];
	struct build_id id = own_id();

	build_id__path(&id, name);
	check_all(look(root, "/app", NULL, false));
	check_none(look(root, "/none", NULL, false), -ENOENT);
	CHECK(run(root, "cp /bin/true other"));
	check_none(look(root, "/other", NULL, false), -ENOENT);
	/* In a directory of files by their build ids. */
	snprintf(command, sizeof(command), "mkdir -p debug/%s && cp app debug/%s/elf", name, name);
	CHECK(run(root, command));
	snprintf(cache, sizeof(cache), "/debug");
	check_all(look(root, "/none", cache, false));
	/* The debug information is not there, or is in a file of its own. */
	CHECK(run(root, "strip -o stripped app"));
	check_none(look(root, "/stripped", NULL, false), -ENODATA);
	snprintf(command, sizeof(command),
		 "mkdir -p usr/lib/debug/%s && rmdir usr/lib/debug/%s && "
		 "objcopy --only-keep-debug --compress-debug-sections app usr/lib/debug/%s.debug",
		 name, name, name);
	CHECK(run(root, command));
	check_all(look(root, "/stripped", NULL, false));
}

/* Checks that lines are known, and the functions that were inlined are not. */
static void check_lines_only(struct looked looked)
{
	if (!CHECK_EQ(looked.err, 0))
		return;
	is_here(&looked.lines.lines[IN_TWO], lines[IN_TWO]);
	CHECK_EQ(looked.lines.lines[IN_TWO].instance, 0);
	source_lines__release(&looked.lines);
}

/* What two files have in common is in a third one, which is found by its name or its build id; without it lines are known. */
static void test_shared(const struct root_dir *root)
{
	CHECK(run(root, "mkdir -p usr/lib/debug/.dwz && cp app one && cp app two && "
			"dwz -m usr/lib/debug/.dwz/both -M /usr/lib/debug/.dwz/both one two"));
	check_all(look(root, "/one", NULL, false));
	CHECK(run(root, "mv usr/lib/debug/.dwz/both both"));
	check_lines_only(look(root, "/one", NULL, false));
	CHECK(run(root, "id=$(readelf -nW both | sed -n 's/.*Build ID: //p') && "
			"dir=usr/lib/debug/.build-id/$(printf %.2s $id) && mkdir -p $dir && mv both "
			"$dir/${id#??}.debug"));
	check_all(look(root, "/one", NULL, false));
	/* libdw itself cannot open what is named there, outside of the root directory. */
	CHECK(run(root, "rm -r usr/lib/debug && cp app three && cp app four && dwz -m third -M $PWD/third "
			"three four"));
	check_lines_only(look(root, "/three", NULL, false));
}

static void test_kernel(const struct root_dir *root)
{
	check_none(look(root, "[kernel.kallsyms]", NULL, true), -ENOENT);
	CHECK(run(root,
		  "mkdir -p usr/lib/debug/lib/modules/6.1 && cp app usr/lib/debug/lib/modules/6.1/vmlinux"));
	check_all(look(root, "[kernel.kallsyms]", NULL, true));
}

static int unpack(const void *data, size_t len, size_t nr, struct source_lines *ret)
{
	struct buf text = {0};

	buf__add(&text, data, len);
	return source_lines__unpack(&text, nr, ret);
}

/* What the process sends is not believed. */
static void test_unpack(void)
{
	static const char one[] = "\1\0\0\0"
				  "\0\0\0\0"
				  "\5\0\0\0"
				  "a.c\0"
				  "f\0"
				  "\1\0\0\0"
				  "\7\0\0\0"
				  "a.h";
	char wrong[sizeof(one)];
	struct source_lines l;

	if (CHECK_EQ(unpack(one, sizeof(one), 1, &l), 0)) {
		CHECK_STREQ(l.instances[0].name, "f");
		CHECK_EQ(l.instances[0].where.line, 5);
		CHECK_STREQ(l.lines[0].file, "a.h");
		CHECK_EQ(l.lines[0].instance, 1);
		source_lines__release(&l);
	}
	for (size_t len = 0; len < sizeof(one); len++)
		CHECK_EQ(unpack(one, len, 1, &l), -EBADMSG);
	CHECK_EQ(unpack(one, sizeof(one), 0, &l), -EBADMSG);
	CHECK_EQ(unpack(one, sizeof(one), 2, &l), -EBADMSG);
	/* An instance inside of itself, and one that there is not. */
	memcpy(wrong, one, sizeof(one));
	wrong[4] = 1;
	CHECK_EQ(unpack(wrong, sizeof(one), 1, &l), -EBADMSG);
	wrong[4] = 0;
	wrong[18] = 2;
	CHECK_EQ(unpack(wrong, sizeof(one), 1, &l), -EBADMSG);
}

int main(void)
{
	struct root_dir root;

	run_places();
	if (!CHECK(root_dir__make(&root)) || !CHECK(run(&root, "cp /proc/$PPID/exe app")))
		return check__done();
	test_kernel(&root);
	test_files(&root);
	test_shared(&root);
	test_unpack();
	root_dir__remove(&root);
	return check__done();
}
