/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that a trace went through, by their numbers.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_FUNCTION_NAMES_H
#define AUXBPF_CALLS_FUNCTION_NAMES_H

#include <stddef.h>

#include "base/cleanup.h"
#include "calls/branch.h"

struct function {
	char *name;   /* printable */
	char *object; /* the file that has it, printable; "" if none is known */
	bool is_gate; /* a BPF program of auxbpf */
	bool is_glue; /* only calls BPF programs, or listens to tracepoints */
};

/* Zero-initialised is empty and valid. */
struct function_names {
	struct function *functions; /* by number; the first one is for 0 */
	function_id *same;	    /* the number that stands for this one */
	size_t nr, cap;
};

/*
 * Adds the function @id, which must be the next number. @name and @object are any bytes; a name of "" is for
 * code without a symbol, of which the object is shown. The part of a function that the compiler moved away
 * (NAME.cold) stands for that function if it is known. Returns 0, -EBADMSG for a number out of order, or
 * -ENOMEM.
 */
int function_names__add(struct function_names *names, function_id id, const char *name,
			const char *object) _must_check_ _nonnull_(1, 3, 4);
void function_names__release(struct function_names *names) _nonnull_(1);

/*
 * Return the function that stands for @id, and its number, with FUNCTION_NAMELESS if it has no symbol; a number that is
 * not known is 0, and has the name "[unknown]". Both take numbers with that bit, too.
 */
const struct function *function_names__get(const struct function_names *names, function_id id) _must_check_
	_nonnull_(1);
function_id function_names__same(const struct function_names *names, function_id id) _nonnull_(1);

#endif
