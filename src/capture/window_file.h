/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the file of a capture that tells of its windows. */
#ifndef AUXBPF_CAPTURE_WINDOW_FILE_H
#define AUXBPF_CAPTURE_WINDOW_FILE_H

#include "base/cleanup.h"
#include "capture/capture_desc.h"
#include "files/stage.h"

/*
 * Makes a nameless file for @target with the lines of @windows, and sets @fd, the caller's. Logs if the file cannot
 * be made; 0 or a negative errno.
 */
int window_file__make(const struct stage_target *target, const struct capture_windows *windows,
		      int *fd) _must_check_ _nonnull_(1, 2, 3);

#endif
