/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The windows of a session, as captures tell of them: taken from what the gate's programs keep, with times of the
 * events' clock.
 */
#ifndef AUXBPF_CAPTURE_KEPT_WINDOWS_H
#define AUXBPF_CAPTURE_KEPT_WINDOWS_H

#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_desc.h"
#include "capture/window_list.h"
#include "gate/gate.h"
#include "trace/cpu_trace.h"

struct kept_windows;

/*
 * Gets ready to read the windows of @gate, whose events are of @traces; both must outlive it, as must @asked. NULL
 * as *@ret if the programs keep none. 0 or -ENOMEM.
 */
int kept_windows__new(const struct gate *gate, const struct cpu_traces *traces,
		      const struct window_set *asked, struct kept_windows **ret) _must_check_
	_nonnull_(1, 2, 3, 4);
void kept_windows__free(struct kept_windows *windows);

DEFINE_CLEANUP(kept_windows, struct kept_windows *, kept_windows__free)

/*
 * Reads the windows of a @range, or all of the session if it is NULL, oldest begin first. What *@ret shows belongs
 * to @windows, until the next call. Called by one thread. If @windows is NULL, or they cannot be read, which is logged,
 * *@ret says that the capture does not tell of windows.
 */
void kept_windows__read(struct kept_windows *windows, const struct window_span *range,
			struct capture_windows *ret) _nonnull_(3);

/* Says how many windows the last reading had to leave out. @windows may be NULL. */
void kept_windows__log(const struct kept_windows *windows);

#endif
