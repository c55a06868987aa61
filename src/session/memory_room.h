/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What there is room for in memory.
 */
#ifndef AUXBPF_SESSION_MEMORY_ROOM_H
#define AUXBPF_SESSION_MEMORY_ROOM_H

#include <stddef.h>

#include "base/cleanup.h"

/*
 * How many bytes of records of what tasks have mapped are kept: any user has processes, and these can map as much
 * as they like.
 */
size_t memory_room__maps(const char *root) _nonnull_(1);

#endif
