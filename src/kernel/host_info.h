/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the header of a capture tells of the machine, collected from /proc and /sys and set as feature
 * sections.
 *
 * Whatever a kernel does not show is left out: no decoder needs all of it.
 */
#ifndef AUXBPF_KERNEL_HOST_INFO_H
#define AUXBPF_KERNEL_HOST_INFO_H

#include "base/cleanup.h"
#include "pure/perfdata.h"

/* Sets the sections from HOSTNAME to PMU_MAPPINGS. 0, or -ENOMEM. */
int host_info__set_features(const char *root, struct perfdata *pd) _must_check_ _nonnull_(1, 2);

#endif
