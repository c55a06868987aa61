/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library that the kernel maps into every process and that is no file ("[vdso]"). Where a capture is read
 * there may be another kernel, with another one.
 */
#ifndef AUXBPF_FILES_VDSO_H
#define AUXBPF_FILES_VDSO_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/record.h"

struct build_id_set;

/* Its name in records, and what perf's cache calls its file. */
#define VDSO_NAME "[vdso]"
#define VDSO_FILE "vdso"

/* The ELF image in our own memory, which is everybody's of 64 bits; empty if there is none. */
struct span vdso__image(void);

/* Its build id, of size 0 if it has none. */
void vdso__build_id(struct build_id *ret) _nonnull_(1);

/* Adds it to those in use: it is in every process, and no record tells its build id. 0 or -ENOMEM. */
int vdso__add_id(struct build_id_set *ids) _must_check_ _nonnull_(1);

#endif
