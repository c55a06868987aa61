/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists what sysfs tells of the PMUs of the machine, in the order of the names
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices*).
 */
#ifndef AUXBPF_TRACE_PMU_LIST_H
#define AUXBPF_TRACE_PMU_LIST_H

#include <stddef.h>

#include "base/cleanup.h"

/* The name and the contents of a small file; the contents are empty if it cannot be read. */
struct pmu_file {
	char name[256];
	char value[128];
};

struct pmu_files {
	struct pmu_file *items;
	size_t nr;
};

/* Lists all PMUs; the value is the type. Without sysfs there are none. 0 or a negative errno; @ret is valid in
 * any case. */
int pmu_list__pmus(const char *root, struct pmu_files *ret) _must_check_ _nonnull_(1, 2);

/* Lists the files in the directory @dir of @pmu, "format" or "caps". Returns as above. */
int pmu_list__files(const char *root, const char *pmu, const char *dir, struct pmu_files *ret) _must_check_
	_nonnull_(1, 2, 3, 4);

void pmu_files__release(struct pmu_files *files) _nonnull_(1);

#endif
