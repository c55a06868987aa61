// SPDX-License-Identifier: GPL-2.0-only
#include "files/vdso.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "files/build_ids.h"

/* The section table is the last part of the image, so its end tells the size. */
struct span vdso__image(void)
{
	const ElfW(Ehdr) *ehdr = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!ehdr || memcmp(ehdr->e_ident, ELFMAG, SELFMAG))
		return (struct span){0};
	return (struct span){ehdr, ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize};
}

void vdso__build_id(struct build_id *ret)
{
	const struct span image = vdso__image();
	_cleanup_close_ int fd = memfd_create("vdso", MFD_CLOEXEC);

	*ret = (struct build_id){0};
	if (fd < 0 || !image.len || write(fd, image.data, image.len) != (ssize_t)image.len ||
	    build_id__read_elf(fd, ret))
		*ret = (struct build_id){0};
}

int vdso__add_id(struct build_id_set *ids)
{
	struct build_id id;

	vdso__build_id(&id);
	if (!id.size)
		return 0;
	return build_id_set__add(ids, VDSO_NAME, PERF_RECORD_MISC_USER, &id)
		       ?: build_id_set__use(ids, VDSO_NAME, &id);
}
