/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a capture's header that tells of the machine, collected from /proc and /sys and set as feature
 * sections. What a kernel does not show is left out: no decoder needs all of it.
 */
#ifndef AUXBPF_CAPTURE_RECORDS_HOST_INFO_H
#define AUXBPF_CAPTURE_RECORDS_HOST_INFO_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/perfdata.h"

#define HOST_INFO_SECTIONS 10

/* Zero-initialised: nothing was read yet. */
struct host_info {
	bool known;
	struct buf sections[HOST_INFO_SECTIONS];
};

/*
 * Sets the sections from HOSTNAME to PMU_MAPPINGS. The first call reads them, from dozens of files. 0, or
 * -ENOMEM.
 */
int host_info__set_features(struct host_info *info, const char *root, struct perfdata *pd) _must_check_
	_nonnull_(1, 2, 3);

void host_info__release(struct host_info *info) _nonnull_(1);

#endif
