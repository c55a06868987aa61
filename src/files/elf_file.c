// SPDX-License-Identifier: GPL-2.0-only
#include "files/elf_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "files/build_ids.h"
#include "files/eh_frame_hdr.h"
#include "files/foreign_elf.h"
#include "files/foreign_file.h"

#define DEBUG_DIR "/usr/lib/debug"

/* A larger file with debug symbols is not taken by its CRC: to compute that takes a second for each GiB. */
#define CRC_MAX (2ll << 30)
/* Room for the name of a file and its CRC. */
#define LINK_MAX (PATH_MAX + 8)
/* Limits the table for unwinding, which has 8 bytes for each function. */
#define EH_FRAME_HDR_MAX (64u << 20)

/* Tells whether this processor can run the code, in 64-bit or in 32-bit mode. */
static bool machine_is_ours(const GElf_Ehdr *ehdr)
{
#if defined(__x86_64__)
	return ehdr->e_machine == EM_X86_64 || ehdr->e_machine == EM_386;
#elif defined(__aarch64__)
	return ehdr->e_machine == EM_AARCH64;
#else
#error "add this architecture"
#endif
}

static const char *describe_stranger(int fd)
{
	char magic[2];

	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, "#!", sizeof(magic)))
		return "is a script: name a function of its interpreter";
	return "is not an ELF file, that is a program or a library";
}

static int check_elf(const struct elf_file *file, const char *name, bool any_machine, char *message,
		     size_t size)
{
	GElf_Ehdr ehdr;

	if (!file->elf || !gelf_getehdr(file->elf, &ehdr)) {
		snprintf(message, size, "%s %s", name, describe_stranger(file->fd));
		return -ENOEXEC;
	}
	if (!foreign_elf__fits(file->elf, file->fd)) {
		snprintf(message, size, "the symbol tables of %s are too large", name);
		return -EFBIG;
	}
	if (!any_machine && !machine_is_ours(&ehdr)) {
		snprintf(message, size, "%s is for another machine (ELF machine %u)", name, ehdr.e_machine);
		return -ENOEXEC;
	}
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN) {
		snprintf(message, size, "%s is neither a program nor a shared library (ELF type %u)", name,
			 ehdr.e_type);
		return -ENOEXEC;
	}
	return 0;
}

static bool same_crc(int fd, uint32_t wanted)
{
	unsigned char buf[1 << 16];
	uLong crc = crc32(0, NULL, 0);
	struct stat st;
	off_t at = 0;
	ssize_t n = 0;

	if (fstat(fd, &st) || st.st_size > CRC_MAX)
		return false;
	while (at <= CRC_MAX && !foreign_file__again() && (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	return !n && crc == wanted;
}

static bool take_debug(struct elf_file *file, int fd)
{
	Elf *elf = foreign_elf__begin(fd);

	if (!elf || !foreign_elf__fits(elf, fd)) {
		elf_end(elf);
		return false;
	}
	file->debug = elf;
	file->debug_fd = fd;
	return true;
}

static bool find_by_build_id(struct elf_file *file, int root, const struct build_id *id)
{
	char name[BUILD_ID_PATH_SIZE], path[sizeof(DEBUG_DIR "/.debug") + BUILD_ID_PATH_SIZE];
	int fd;

	build_id__path(id, name);
	snprintf(path, sizeof(path), DEBUG_DIR "/%s.debug", name);
	fd = foreign_file__open(root, path);
	if (fd < 0)
		return false;
	if (build_id__is_of(id, fd) && take_debug(file, fd))
		return true;
	close(fd);
	return false;
}

static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	struct span names;
	size_t number;

	if (elf_getshdrstrndx(elf, &number))
		return NULL;
	names = foreign_elf__strings(elf, number);
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, shdr) ? foreign_elf__string(names, shdr->sh_name) : NULL;

		if (name && !strcmp(name, wanted))
			return scn;
	}
	return NULL;
}

bool elf_file__has_section(const struct elf_file *file, const char *name)
{
	GElf_Shdr shdr;

	return find_section(file->elf, name, &shdr);
}

/* Reads .gnu_debuglink: a file name, zeros up to a multiple of 4, and the CRC of that file. */
static const char *read_debuglink(Elf *elf, uint32_t *crc)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(elf, ".gnu_debuglink", &shdr);
	Elf_Data *data = foreign_elf__data(scn, LINK_MAX);
	size_t len = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0;
	size_t at = (len + 4) & ~3ul;

	if (!len || at + sizeof(*crc) > data->d_size || memchr(data->d_buf, '/', len))
		return NULL;
	memcpy(crc, (const char *)data->d_buf + at, sizeof(*crc));
	return data->d_buf;
}

static void find_by_link(struct elf_file *file, const struct elf_place *place)
{
	static const struct {
		const char *before;
		const char *between;
	} forms[] = {{"", "/"}, {"", "/.debug/"}, {DEBUG_DIR, "/"}};
	const char *slash = strrchr(place->path, '/');
	uint32_t crc;
	const char *link = read_debuglink(file->elf, &crc);

	for (size_t i = 0; link && slash && i < ARRAY_SIZE(forms); i++) {
		char path[PATH_MAX];
		int fd;

		snprintf(path, sizeof(path), "%s%.*s%s%s", forms[i].before, (int)(slash - place->path),
			 place->path, forms[i].between, link);
		fd = foreign_file__open(place->root, path);
		if (fd < 0)
			continue;
		if (same_crc(fd, crc) && take_debug(file, fd))
			return;
		close(fd);
	}
}

static void find_debug(struct elf_file *file, const struct elf_place *place)
{
	struct build_id id;

	if (!build_id__read_elf(file->fd, &id) &&
	    (find_by_build_id(file, place->root, &id) || find_by_build_id(file, place->host_root, &id)))
		return;
	find_by_link(file, place);
}

/* Reads .gnu_debugaltlink: a file name with its end, and a build id. */
static const char *read_altlink(Elf *elf, struct build_id *id)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(elf, ".gnu_debugaltlink", &shdr);
	Elf_Data *data = foreign_elf__data(scn, LINK_MAX + BUILD_ID_MAX);
	size_t len = data && data->d_buf ? strnlen(data->d_buf, data->d_size) : 0;

	if (!len || len == data->d_size || data->d_size - len - 1 > BUILD_ID_MAX)
		return NULL;
	id->size = (uint8_t)(data->d_size - len - 1);
	memcpy(id->data, (const char *)data->d_buf + len + 1, id->size);
	return id->size ? data->d_buf : NULL;
}

/* Takes the file at @path, if it has the build id. */
static bool take_shared(struct elf_file *file, int root, const char *path, const struct build_id *id)
{
	_cleanup_close_ int fd = foreign_file__open(root, path);

	if (fd < 0 || !build_id__is_of(id, fd))
		return false;
	file->shared = foreign_elf__begin(fd);
	if (!file->shared)
		return false;
	file->shared_fd = steal_fd(&fd);
	return true;
}

static bool find_shared(struct elf_file *file, int root, const char *link, const struct build_id *id)
{
	char name[BUILD_ID_PATH_SIZE], path[PATH_MAX];
	const char *slash = strrchr(link, '/');

	build_id__path(id, name);
	snprintf(path, sizeof(path), DEBUG_DIR "/%s.debug", name);
	if (take_shared(file, root, path, id) || (*link == '/' && take_shared(file, root, link, id)))
		return true;
	/* Some name it from where the file with the link is, which a build id does not tell. */
	return snprintf(path, sizeof(path), DEBUG_DIR "/.dwz/%s", slash ? slash + 1 : link) < PATH_MAX &&
	       take_shared(file, root, path, id);
}

void elf_file__open_shared(struct elf_file *file, const struct elf_place *place)
{
	struct build_id id;
	const char *link = file->debug ? read_altlink(file->debug, &id) : NULL;

	if (!link)
		link = read_altlink(file->elf, &id);
	if (link && !find_shared(file, place->root, link, &id))
		(void)!find_shared(file, place->host_root, link, &id);
}

static int open_elf(int fd, const struct elf_place *place, bool any_machine, struct elf_file *file,
		    char *message, size_t size)
{
	int err;

	*file = (struct elf_file){.fd = fd, .debug_fd = -1, .shared_fd = -1};
	file->elf = foreign_elf__begin(fd);
	err = check_elf(file, place->path, any_machine, message, size);
	if (!err)
		find_debug(file, place);
	return err;
}

int elf_file__open(int fd, const struct elf_place *place, struct elf_file *file, char *message, size_t size)
{
	return open_elf(fd, place, false, file, message, size);
}

int elf_file__open_any(int fd, const struct elf_place *place, struct elf_file *file)
{
	char message[PATH_MAX];

	return open_elf(fd, place, true, file, message, sizeof(message));
}

void elf_file__close(struct elf_file *file)
{
	elf_end(file->elf);
	elf_end(file->debug);
	elf_end(file->shared);
	cleanup__close(&file->fd);
	cleanup__close(&file->debug_fd);
	cleanup__close(&file->shared_fd);
	*file = (struct elf_file){.fd = -1, .debug_fd = -1, .shared_fd = -1};
}

/* Finds the next loaded segment from @pos on that has all of @flags; false if there is none. */
static bool next_segment(const struct elf_file *file, size_t *pos, uint32_t flags, GElf_Phdr *phdr)
{
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr))
		return false;
	while (*pos < nr && gelf_getphdr(file->elf, (int)(*pos)++, phdr))
		if (phdr->p_type == PT_LOAD && (phdr->p_flags & flags) == flags)
			return true;
	return false;
}

static int find_offset(const struct elf_file *file, uint64_t addr, uint32_t flags, uint64_t *ret)
{
	GElf_Phdr phdr;
	size_t pos = 0;

	while (next_segment(file, &pos, flags, &phdr)) {
		if (addr < phdr.p_vaddr || addr - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		*ret = addr - phdr.p_vaddr + phdr.p_offset;
		return 0;
	}
	return -ENOENT;
}

int elf_file__offset(const struct elf_file *file, uint64_t addr, uint64_t *ret)
{
	return find_offset(file, addr, PF_X, ret);
}

int elf_file__address(const struct elf_file *file, uint64_t offset, uint64_t *ret)
{
	GElf_Phdr phdr;
	size_t pos = 0;

	while (next_segment(file, &pos, PF_X, &phdr)) {
		if (offset < phdr.p_offset || offset - phdr.p_offset >= phdr.p_filesz)
			continue;
		*ret = offset - phdr.p_offset + phdr.p_vaddr;
		return 0;
	}
	return -ENOENT;
}

/* Reads the contents of .eh_frame_hdr and its address; empty if there is no such section. */
static struct span read_eh_frame_hdr(const struct elf_file *file, uint64_t *addr)
{
	Elf_Data *data;
	GElf_Phdr phdr;
	size_t nr, i;

	if (elf_getphdrnum(file->elf, &nr))
		nr = 0;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &phdr) || phdr.p_type != PT_GNU_EH_FRAME)
			continue;
		data = foreign_elf__segment(file->elf, &phdr, ELF_T_BYTE, EH_FRAME_HDR_MAX);
		*addr = phdr.p_vaddr;
		return data ? (struct span){data->d_buf, data->d_size} : (struct span){NULL, 0};
	}
	return (struct span){NULL, 0};
}

bool elf_file__inside_function(const struct elf_file *file, uint64_t addr, uint64_t *start)
{
	uint64_t hdr_addr, offset, len;
	struct span hdr = read_eh_frame_hdr(file, &hdr_addr);
	uint8_t head[EH_FRAME_HEAD];
	struct eh_frame_entry entry;

	if (!hdr.len || eh_frame_hdr__find(hdr, hdr_addr, addr, &entry) || entry.start == addr ||
	    find_offset(file, entry.description, 0, &offset) ||
	    pread(file->fd, head, sizeof(head), (off_t)offset) != sizeof(head) ||
	    eh_frame__length(head, &entry, &len))
		return false;
	*start = entry.start;
	return addr - entry.start < len;
}
