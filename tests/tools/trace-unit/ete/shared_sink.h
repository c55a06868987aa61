/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine's ETR, which takes the trace of all vCPUs that their own buffers do not.
 */
#ifndef SHARED_SINK_H
#define SHARED_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Takes the option "etr=ADDRESS", where the registers are; false if it is another or no address. */
bool shared_sink__set_option(const char *argument);

bool shared_sink__exists(void);

/* A callback of instructions behind which what was written to the registers has to have its effect. */
void shared_sink__settle(unsigned int index, void *userdata);

/* For struct ete_unit_ops. */
bool shared_sink__accepts(void *opaque);
void shared_sink__write(void *opaque, uint8_t id, const void *from, size_t size);

#endif
