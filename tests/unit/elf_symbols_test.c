// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks for functions in this program itself, in copies of it that binutils' strip and objcopy change, and in
 * the C library. The processor's own view, the address of a function less where the file is mapped, says what
 * is right.
 */
#include "symbols/elf_symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>

#include "check.h"
#include "files/foreign_file.h"
#include "root_dir.h"

/* Two functions that objcopy gives one name to. */
__asm__(".pushsection .text\n"
	".globl probe_twin_a, probe_twin_b\n"
	".type probe_twin_a, %function\nprobe_twin_a: nop\nnop\n.size probe_twin_a, 2\n"
	".type probe_twin_b, %function\nprobe_twin_b: nop\nnop\n.size probe_twin_b, 2\n"
	".popsection");

int probe_wanted_here(int x);
__attribute__((noinline, used)) int probe_wanted_here(int x)
{
	/* Not an expression that a call can be replaced by. */
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static char message[512];

/* A function found in the file @path below @root, whose debug symbols may be there too. */
static int find(const struct root_dir *root, const char *path, const char *symbol, uint64_t addr,
		uint64_t *offset)
{
	_cleanup_close_ int dir = open(root->path, O_PATH | O_DIRECTORY);
	const struct elf_place place = {.root = dir, .host_root = dir, .path = path};
	struct elf_file file;
	int err, fd = foreign_file__open(dir, path);

	*message = '\0';
	if (fd < 0)
		return fd;
	err = elf_file__open(fd, &place, &file, message, sizeof(message));
	if (!err)
		err = symbol ? elf_symbols__find(&file, "FILE", symbol, offset, message, sizeof(message))
			     : elf_symbols__find_addr(&file, "FILE", addr, offset, message, sizeof(message));
	elf_file__close(&file);
	return err;
}

static bool says(const char *text)
{
	if (strstr(message, text))
		return true;
	fprintf(stderr, "no '%s' in: %s\n", text, message);
	return false;
}

static bool run(const struct root_dir *root, const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && { %s; }", root->path, command);
	return !system(line);
}

struct mapped {
	const char *name; /* the file to look for; empty: the program itself */
	const void *code;
	uint64_t offset; /* of the code in the file */
	uint64_t addr;	 /* of the code as the file has it */
	char path[PATH_MAX];
};

static int match_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct mapped *m = arg;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		const uint64_t addr = (uintptr_t)m->code - info->dlpi_addr;

		if (phdr->p_type != PT_LOAD || addr < phdr->p_vaddr || addr - phdr->p_vaddr >= phdr->p_memsz)
			continue;
		m->addr = addr;
		m->offset = addr - phdr->p_vaddr + phdr->p_offset;
		snprintf(m->path, sizeof(m->path), "%s", info->dlpi_name);
		return 1;
	}
	return 0;
}

static struct mapped where_is(const void *code)
{
	struct mapped m = {.code = code};

	dl_iterate_phdr(match_object, &m);
	return m;
}

static void test_symbols(const struct root_dir *root)
{
	const struct mapped here = where_is((const void *)probe_wanted_here);
	uint64_t offset = 0;

	CHECK_EQ(find(root, "/app", "probe_wanted_here", 0, &offset), 0);
	CHECK_EQ(offset, here.offset);
	CHECK_EQ(find(root, "/link", "probe_wanted_here", 0, &offset), 0); /* absolute, in the root */
	CHECK_EQ(find(root, "/none", "probe_wanted_here", 0, &offset), -ENOENT);
	CHECK_EQ(find(root, "/app", "probe_wanted_her", 0, &offset), -ENOENT);
	CHECK(says("FILE has no function 'probe_wanted_her'; did you mean probe_wanted_here"));
	CHECK_EQ(find(root, "/app", "zzzzzzzzzzzzzzzz", 0, &offset), -ENOENT);
	CHECK_STREQ(message, "FILE has no function 'zzzzzzzzzzzzzzzz'");
	CHECK_EQ(find(root, "/app", "message", 0, &offset), -ENOENT); /* data */
	CHECK_EQ(find(root, "/app", "dl_iterate_phdr", 0, &offset), -ENOENT);
	CHECK(says("FILE calls 'dl_iterate_phdr' and does not have it"));
	CHECK_EQ(find(root, "/app", "probe_wanted_here@V1", 0, &offset), -ENOENT);
	CHECK(says("of version 'V1'"));
	CHECK_EQ(find(root, "/twins", "probe_twin_a", 0, &offset), -ENOTUNIQ);
	CHECK(says("FILE has 2 functions 'probe_twin_a'; give the address of one: 0x"));
}

static void test_addresses(const struct root_dir *root, const char *file)
{
	const struct mapped here = where_is((const void *)probe_wanted_here);
	uint64_t offset = 0;

	CHECK_EQ(find(root, file, NULL, here.addr, &offset), 0);
	CHECK_EQ(offset, here.offset);
	CHECK_EQ(find(root, file, NULL, here.addr + 1, &offset), -EINVAL);
	CHECK(says(" is inside "));
	CHECK(says("(+0x1): give the address where a function begins"));
	CHECK_EQ(find(root, file, NULL, 1, &offset), -ENOENT);
	CHECK(says("there is no code at the address 0x1 of FILE"));
	CHECK_EQ(find(root, file, NULL, UINT64_MAX, &offset), -ENOENT);
}

/* Linked at 4 MiB, addresses are not offsets. */
static void test_fixed_addresses(const struct root_dir *root)
{
	char expected[128];
	uint64_t offset = 0;

	CHECK(run(root, "echo 'int main(void) { return 0; }' >p.c && cc -O1 -no-pie -static -o static p.c"));
	CHECK_EQ(find(root, "/static", "main", 0, &offset), 0);
	CHECK(offset && offset < 0x400000);
	CHECK_EQ(find(root, "/static", NULL, offset, &offset), -ENOENT);
	snprintf(expected, sizeof(expected), "has the address 0x%" PRIx64, offset + 0x400000);
	CHECK(says(expected));
}

static void test_stripped(const struct root_dir *root)
{
	const struct mapped here = where_is((const void *)probe_wanted_here);
	uint64_t offset = 0;

	CHECK_EQ(find(root, "/bin/stripped", "probe_wanted_here", 0, &offset), -ENOENT);
	CHECK(says("FILE is stripped and names no function 'probe_wanted_here'"));
	test_addresses(root, "/bin/stripped");
	/* By its link, which is checked: other contents of that name are not taken. */
	CHECK(run(root, "objcopy --only-keep-debug app bin/app.debug && "
			"objcopy --remove-section=.note.gnu.build-id --add-gnu-debuglink=bin/app.debug "
			"bin/stripped bin/linked"));
	CHECK_EQ(find(root, "/bin/linked", "probe_wanted_here", 0, &offset), 0);
	CHECK_EQ(offset, here.offset);
	CHECK(run(root, "mkdir bin/.debug && mv bin/app.debug bin/.debug"));
	CHECK_EQ(find(root, "/bin/linked", "probe_wanted_here", 0, &offset), 0);
	CHECK(run(root, "mkdir -p usr/lib/debug/bin && mv bin/.debug/app.debug usr/lib/debug/bin"));
	CHECK_EQ(find(root, "/bin/linked", "probe_wanted_here", 0, &offset), 0);
	CHECK(run(root, "printf x >>usr/lib/debug/bin/app.debug"));
	CHECK_EQ(find(root, "/bin/linked", "probe_wanted_here", 0, &offset), -ENOENT);
}

/* The id is written by hand, because not every compiler asks the linker for one. */
static void test_build_id(const struct root_dir *root)
{
	const char *dir = "usr/lib/debug/.build-id/ab";
	uint64_t offset = 0;

	CHECK(run(root, "echo 'int hidden(void) { return 0; } int main(void) { return hidden(); }' >p.c && "
			"cc -O0 -Wl,--build-id=0xabcdef -o with p.c && strip -o without with && "
			"cc -O0 -Wl,--build-id=0xabcd00 -o other p.c"));
	CHECK_EQ(find(root, "/without", "hidden", 0, &offset), -ENOENT);
	CHECK(run(root,
		  "mkdir -p usr/lib/debug/.build-id/ab && cp other usr/lib/debug/.build-id/ab/cdef.debug"));
	CHECK_EQ(find(root, "/without", "hidden", 0, &offset), -ENOENT);
	CHECK(run(root, "objcopy --only-keep-debug with usr/lib/debug/.build-id/ab/cdef.debug"));
	if (!CHECK_EQ(find(root, "/without", "hidden", 0, &offset), 0))
		fprintf(stderr, "%s in %s\n", message, dir);
}

static void test_libc(const struct root_dir *root)
{
	const struct mapped real = where_is(dlsym(RTLD_DEFAULT, "getenv"));
	char command[PATH_MAX + 16];
	uint64_t offset = 0;

	snprintf(command, sizeof(command), "cp %s libc", real.path);
	if (!CHECK(run(root, command)))
		return;
	CHECK_EQ(find(root, "/libc", "getenv", 0, &offset), 0);
	CHECK_EQ(offset, real.offset);
#if defined(__x86_64__)
	CHECK_EQ(find(root, "/libc", "getenv@@GLIBC_2.2.5", 0, &offset), 0);
	CHECK_EQ(offset, real.offset);
	CHECK_EQ(find(root, "/libc", "getenv@GLIBC_2.3", 0, &offset), -ENOENT);
	/* Two versions of different code: the name alone means the newer one. */
	CHECK_EQ(find(root, "/libc", "posix_spawn", 0, &offset), 0);
	CHECK_EQ(offset, where_is(dlvsym(RTLD_DEFAULT, "posix_spawn", "GLIBC_2.15")).offset);
	CHECK_EQ(find(root, "/libc", "posix_spawn@GLIBC_2.2.5", 0, &offset), 0);
	CHECK_EQ(offset, where_is(dlvsym(RTLD_DEFAULT, "posix_spawn", "GLIBC_2.2.5")).offset);
#endif
	CHECK_EQ(find(root, "/libc", "memcpy", 0, &offset), -EOPNOTSUPP);
	CHECK(says("'memcpy' of FILE is an indirect function"));
}

static void test_strangers(const struct root_dir *root)
{
	uint64_t offset;

	CHECK(root_dir__put(root, "/script", "#!/bin/sh\n"));
	CHECK(root_dir__put(root, "/empty", ""));
	CHECK(run(root, "printf '\\177ELF' >magic && { cat app; } >machine && "
			"printf '\\363' | dd of=machine bs=1 seek=18 conv=notrunc status=none && "
			"cc -c -o object p.c"));
	CHECK_EQ(find(root, "/script", "main", 0, &offset), -ENOEXEC);
	CHECK(says("/script is a script"));
	CHECK_EQ(find(root, "/empty", "main", 0, &offset), -ENOEXEC);
	CHECK(says("/empty is not an ELF file"));
	CHECK_EQ(find(root, "/magic", "main", 0, &offset), -ENOEXEC);
	CHECK_EQ(find(root, "/bin", "main", 0, &offset), FOREIGN_FILE_NOT_REGULAR);
	CHECK_EQ(find(root, "/machine", "main", 0, &offset), -ENOEXEC);
	CHECK(says("/machine is for another machine (ELF machine 243)"));
	CHECK_EQ(find(root, "/object", "main", 0, &offset), -ENOEXEC);
	CHECK(says("neither a program nor a shared library"));
}

/* Files cut short anywhere, and with a byte changed anywhere: whatever comes out, nothing crashes. */
static void test_broken(const struct root_dir *root)
{
	char app[PATH_MAX];
	struct buf b = {0};
	uint64_t offset;
	uint8_t byte;
	FILE *f;

	snprintf(app, sizeof(app), "%s/with", root->path);
	f = fopen(app, "r");
	if (!CHECK(f))
		return;
	while (fread(&byte, 1, 1, f))
		buf__add(&b, &byte, 1);
	fclose(f);
	for (size_t at = 0; at < b.len; at += at < 1024 ? 1 : 97) {
		CHECK(root_dir__put_bytes(root, "/cut", b.data, at));
		CHECK(find(root, "/cut", "none_of_it", 0, &offset) < 0);
		b.data[at] ^= 0xff;
		CHECK(root_dir__put_bytes(root, "/changed", b.data, b.len));
		CHECK(find(root, "/changed", "none_of_it", 0, &offset) < 0);
		find(root, "/changed", NULL, 0x1139, &offset);
		b.data[at] ^= 0xff;
	}
	buf__release(&b);
}

int main(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	if (CHECK(run(&root, "cp /proc/$PPID/exe app && ln -s /app link && mkdir bin && "
			     "objcopy --redefine-sym probe_twin_b=probe_twin_a app twins && "
			     "strip -o bin/stripped app"))) {
		test_symbols(&root);
		test_addresses(&root, "/app");
		test_fixed_addresses(&root);
		test_stripped(&root);
		test_build_id(&root);
		test_libc(&root);
		test_strangers(&root);
		test_broken(&root);
	}
	root_dir__remove(&root);
	return check__done();
}
