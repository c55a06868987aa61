/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library that the kernel maps into every process and that is no file ("[vdso]"). The machine that reads
 * a capture may have another kernel with another one.
 */
#ifndef AUXBPF_FILES_VDSO_H
#define AUXBPF_FILES_VDSO_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/record.h"

struct build_id_set;

/* Its name in records, and the name of its file in perf's cache. */
#define VDSO_NAME "[vdso]"
#define VDSO_FILE "vdso"

/* Returns the ELF image in our own memory, which is the same in all 64-bit processes; empty if there is
 * none. */
struct span vdso__image(void);

/* Reads its build id, of size 0 if it has none. */
void vdso__build_id(struct build_id *ret) _nonnull_(1);

/* Adds its build id to those in use: every process has it, and no record tells its build id. 0 or -ENOMEM. */
int vdso__add_id(struct build_id_set *ids) _must_check_ _nonnull_(1);

#endif
