// SPDX-License-Identifier: GPL-2.0-only
/*
 * What others may put in the place of a file: devices, pipes, links, files without an end, and ELF files that say of
 * themselves that they are enormous. None of it is opened, read to its end, or believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/path.h"
#include "check.h"
#include "files/build_ids.h"
#include "files/elf_file.h"
#include "files/foreign_elf.h"
#include "files/foreign_file.h"
#include "root_dir.h"

#define MIB (1ull << 20)
#define TIB (1ull << 40)

static const char *in_root(const struct root_dir *root, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	return path;
}

/* With a hole of @size bytes behind @len bytes of @data. */
static void put_sparse(const struct root_dir *root, const char *name, const void *data, size_t len,
		       uint64_t size)
{
	CHECK(root_dir__put_bytes(root, name, data, len));
	CHECK_EQ(truncate(in_root(root, name), (off_t)size), 0);
}

static void make_root(const struct root_dir *root)
{
	CHECK(root_dir__put(root, "/dir/file", "text"));
	CHECK_EQ(mknod(in_root(root, "/zero"), S_IFCHR | 0666, makedev(1, 5)), 0);
	CHECK_EQ(mkfifo(in_root(root, "/fifo"), 0600), 0);
	CHECK_EQ(symlink("/dir/file", in_root(root, "/link")), 0);
	CHECK_EQ(symlink("/zero", in_root(root, "/dir/to_zero")), 0);
	CHECK_EQ(symlink("../../../../../../dir/file", in_root(root, "/dir/up")), 0);
	CHECK_EQ(symlink("/proc/self/exe", in_root(root, "/dir/magic")), 0);
}

static int try_open(int dir, const char *name)
{
	_cleanup_close_ int fd = foreign_file__open(dir, name);

	return fd < 0 ? fd : 0;
}

static int try_open_here(const struct root_dir *root, const char *name)
{
	_cleanup_close_ int fd = foreign_file__open_here(in_root(root, name));

	return fd < 0 ? fd : 0;
}

static void test_open(const struct root_dir *root, int dir)
{
	CHECK_EQ(try_open(dir, "/dir/file"), 0);
	CHECK_EQ(try_open(dir, "/link"), 0);
	CHECK_EQ(try_open(dir, "/dir/up"), 0);
	CHECK_EQ(try_open(dir, "/dir/magic"), -ENOENT);
	CHECK_EQ(try_open(dir, "/dir"), FOREIGN_FILE_NOT_REGULAR);
	CHECK_EQ(try_open(dir, "/zero"), FOREIGN_FILE_NOT_REGULAR);
	CHECK_EQ(try_open(dir, "/dir/to_zero"), FOREIGN_FILE_NOT_REGULAR);
	CHECK_EQ(try_open(dir, "/fifo"), FOREIGN_FILE_NOT_REGULAR);
	CHECK_EQ(try_open_here(root, "/dir/file"), 0);
	CHECK_EQ(try_open_here(root, "/link"), FOREIGN_FILE_NOT_REGULAR);
	CHECK_EQ(try_open_here(root, "/fifo"), FOREIGN_FILE_NOT_REGULAR);
	CHECK_EQ(try_open_here(root, "/none"), -ENOENT);
	CHECK_EQ(foreign_file__open_mapped(root->path, 1, 0x1000, 0x2000), -ENOENT);
	CHECK(root_dir__put(root, "/proc/1/map_files/1000-2000", ""));
	CHECK_EQ(symlink("../../../zero", in_root(root, "/proc/1/map_files/2000-3000")), 0);
	CHECK_EQ(foreign_file__open_mapped(root->path, 1, 0x2000, 0x3000), FOREIGN_FILE_NOT_REGULAR);
}

/* It ends, whatever the file has: by its limit, and when there is no memory. */
static void test_read(const struct root_dir *root, int dir)
{
	_cleanup_buf_ struct buf b = {0}, failed = {0};
	_cleanup_close_ int zero = open("/dev/zero", O_RDONLY);
	int fd;

	put_sparse(root, "/sparse", "begin", 5, TIB);
	fd = foreign_file__open(dir, "/sparse");
	CHECK_EQ(foreign_file__read(fd, MIB, &b), -EFBIG);
	CHECK(b.len <= MIB);
	buf__fail(&failed, -ENOMEM);
	CHECK_EQ(foreign_file__read(fd, SIZE_MAX, &failed), -ENOMEM);
	CHECK_EQ(path__read_all(zero, &failed), -ENOMEM);
	close(fd);
	buf__truncate(&b, 0);
	fd = foreign_file__open(dir, "/dir/file");
	CHECK_EQ(foreign_file__read(fd, 3, &b), -EFBIG);
	CHECK_EQ(foreign_file__read(fd, 4, &b), 0);
	CHECK(b.len == 4 && !memcmp(b.data, "text", 4));
	close(fd);
}

static Elf64_Ehdr elf_header(void)
{
	return (Elf64_Ehdr)
	{
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
#if defined(__x86_64__)
		.e_machine = EM_X86_64,
#else
		.e_machine = EM_AARCH64,
#endif
		.e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
	};
}

static long resident_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static int open_elf(const struct root_dir *root, int dir, const char *name)
{
	const struct elf_place place = {dir, dir, name};
	struct elf_file file = {.fd = -1, .debug_fd = -1, .shared_fd = -1};
	char message[PATH_MAX + 256];
	int fd = foreign_file__open(dir, name), err;

	if (!CHECK(fd >= 0))
		return fd;
	err = elf_file__open(fd, &place, &file, message, sizeof(message));
	elf_file__close(&file);
	return err;
}

static void test_huge_tables(const struct root_dir *root, int dir)
{
	struct {
		Elf64_Ehdr ehdr;
		Elf64_Shdr sections[3];
	} elf = {.ehdr = elf_header()};

	elf.ehdr.e_shoff = sizeof(elf.ehdr);
	elf.ehdr.e_shnum = 3;
	elf.sections[1] =
		(Elf64_Shdr){.sh_type = SHT_SYMTAB, .sh_size = 12ull << 30, .sh_entsize = 24, .sh_link = 2};
	elf.sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_size = 4096};
	put_sparse(root, "/symbols", &elf, sizeof(elf), 13ull << 30);
	CHECK_EQ(open_elf(root, dir, "/symbols"), -EFBIG);
	elf.sections[1].sh_size = elf.sections[2].sh_size = 200 * MIB;
	put_sparse(root, "/both", &elf, sizeof(elf), 13ull << 30);
	CHECK_EQ(open_elf(root, dir, "/both"), -EFBIG);
	elf.sections[1].sh_size = 24;
	elf.sections[2].sh_size = 4096;
	elf.sections[2].sh_flags = SHF_COMPRESSED;
	put_sparse(root, "/compressed", &elf, sizeof(elf), MIB);
	CHECK_EQ(open_elf(root, dir, "/compressed"), -EFBIG);
	elf.sections[2].sh_flags = 0;
	put_sparse(root, "/right", &elf, sizeof(elf), MIB);
	CHECK_EQ(open_elf(root, dir, "/right"), 0);
}

static void test_many_headers(const struct root_dir *root, int dir)
{
	struct {
		Elf64_Ehdr ehdr;
		Elf64_Shdr first;
	} elf = {.ehdr = elf_header()};

	elf.ehdr.e_shoff = sizeof(elf.ehdr);
	elf.first.sh_size = 100000000;
	put_sparse(root, "/sections", &elf, sizeof(elf), TIB);
	CHECK_EQ(open_elf(root, dir, "/sections"), -ENOEXEC);
	elf.ehdr.e_shnum = 1;
	elf.ehdr.e_phnum = PN_XNUM;
	elf.ehdr.e_phoff = sizeof(elf);
	elf.first.sh_info = 100000000;
	put_sparse(root, "/segments", &elf, sizeof(elf), TIB);
	CHECK_EQ(open_elf(root, dir, "/segments"), -ENOEXEC);
}

/* 60,000 segments of notes, each a MiB. */
static void test_many_notes(const struct root_dir *root, int dir)
{
	enum { NR = 60000 };
	size_t len = sizeof(Elf64_Ehdr) + NR * sizeof(Elf64_Phdr);
	Elf64_Ehdr *ehdr = calloc(1, len);
	Elf64_Phdr *phdr = (Elf64_Phdr *)(ehdr + 1);
	long before = resident_kib();
	struct build_id id;
	int fd;

	*ehdr = elf_header();
	ehdr->e_phoff = sizeof(*ehdr);
	ehdr->e_phnum = NR;
	for (size_t i = 0; i < NR; i++)
		phdr[i] =
			(Elf64_Phdr){.p_type = PT_NOTE, .p_offset = 16 * MIB, .p_filesz = MIB, .p_align = 4};
	put_sparse(root, "/notes", ehdr, len, TIB);
	free(ehdr);
	fd = foreign_file__open(dir, "/notes");
	CHECK_EQ(build_id__read_elf(fd, &id), -ENOENT);
	CHECK(resident_kib() - before < 64 << 10);
	close(fd);
}

/* A program whose .gnu_debuglink names @debug. */
static void put_program(const struct root_dir *root, const char *name, const char *debug)
{
	static const char strings[] = "\0.gnu_debuglink";
	struct {
		Elf64_Ehdr ehdr;
		Elf64_Shdr sections[3];
		char strings[16];
		char link[16];
	} elf = {.ehdr = elf_header()};

	elf.ehdr.e_shoff = offsetof(__typeof__(elf), sections);
	elf.ehdr.e_shnum = 3;
	elf.ehdr.e_shstrndx = 1;
	elf.sections[1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(__typeof__(elf), strings),
		.sh_size = sizeof(elf.strings),
	};
	elf.sections[2] = (Elf64_Shdr){
		.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_offset = offsetof(__typeof__(elf), link),
		.sh_size = sizeof(elf.link),
		.sh_addralign = 1,
	};
	memcpy(elf.strings, strings, sizeof(strings));
	snprintf(elf.link, sizeof(elf.link), "%s", debug);
	CHECK(root_dir__put_bytes(root, name, &elf, sizeof(elf)));
}

/* Its debug symbols are looked for, and are without an end. */
static void test_debug_link(const struct root_dir *root, int dir)
{
	put_program(root, "/bin/to_zero", "zero.debug");
	CHECK_EQ(symlink("/zero", in_root(root, "/bin/zero.debug")), 0);
	CHECK_EQ(open_elf(root, dir, "/bin/to_zero"), 0);
	put_program(root, "/bin/to_sparse", "sparse.debug");
	put_sparse(root, "/bin/sparse.debug", "", 0, TIB);
	CHECK_EQ(open_elf(root, dir, "/bin/to_sparse"), 0);
}

int main(void)
{
	struct root_dir root;
	int dir;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	dir = open(root.path, O_PATH | O_DIRECTORY);
	make_root(&root);
	test_open(&root, dir);
	test_read(&root, dir);
	test_huge_tables(&root, dir);
	test_many_headers(&root, dir);
	test_many_notes(&root, dir);
	test_debug_link(&root, dir);
	close(dir);
	root_dir__remove(&root);
	return check__done();
}
