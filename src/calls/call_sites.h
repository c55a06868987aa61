/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The places from which functions were called, by their numbers, and what debug information tells of each: its source line, and
 * the function that the compiler inlined around it.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_CALL_SITES_H
#define AUXBPF_CALLS_CALL_SITES_H

#include "calls/branch.h"
#include "perfdata/record.h"

/* A call site: a place in a file that functions are called from. */
struct call_site {
	uint64_t address; /* the offset in its file; of the kernel, which moves as a whole, where it ran */
	uint64_t start;	  /* the same of the symbol that it is in, if that has one */
	function_id function;	/* that it is in */
	struct build_id object; /* of the file; of size 0: not known */
	bool is_kernel;
};

/* A number of a function that was inlined at one place; 0 is none. */
typedef uint32_t inlined_id;

/* A place in the source. */
struct source_place {
	const char *file;   /* printable; NULL: no line is known */
	uint32_t line;	    /* 0: the compiler has made the code there of no line */
	inlined_id inlined; /* the innermost function that was inlined around it */
};

/* A function that the compiler inlined at one place, which is a call site, too. */
struct inlined {
	function_id function;
	site_id from_site;
	uint32_t depth; /* in inlined functions; this one is the last of so many */
};

/* Compilers stay far below this; what follows a way through inlined functions may be recursive. */
#define INLINED_DEPTH_MAX 256

/* Zero-initialised is empty and valid. */
struct call_sites {
	struct call_site *sites; /* that were told, by number; the first one is for 0 */
	size_t nr, cap;
	struct source_place
		*places; /* of these, and from nr on of what is inlined; NULL: nothing was asked for yet */
	size_t nr_places;
	struct inlined *inlined; /* by number; the first one is for 0 */
	size_t nr_inlined;
	void *files; /* names of source files, a tree of tsearch(3) */
};

/* Adds the call site @id, which must be the next number. Returns 0, -EBADMSG for a number out of order, or -ENOMEM. */
int call_sites__add(struct call_sites *sites, site_id id, const struct call_site *site) _must_check_
	_nonnull_(1, 3);
void call_sites__release(struct call_sites *sites) _nonnull_(1);

/*
 * Tells the place of the call site @id, whose @file is any bytes; "" is no file. No site may be added behind it. Returns 0, -EBADMSG
 * for a number that there is not, or -ENOMEM.
 */
int call_sites__set_place(struct call_sites *sites, site_id id, const char *file, uint32_t line,
			  inlined_id inlined) _must_check_ _nonnull_(1, 3);

/*
 * Adds a function that was inlined at @line of @file, inside of @outer, which is an inlined one or 0, and sets its number. Returns
 * as call_sites__set_place() does; -EBADMSG also for one in INLINED_DEPTH_MAX others.
 */
int call_sites__add_inlined(struct call_sites *sites, function_id function, const char *file, uint32_t line,
			    inlined_id outer, inlined_id *ret) _must_check_ _nonnull_(1, 3, 6);

/* Returns the place of a call site; an empty one if nothing is known of it. */
const struct source_place *call_sites__place(const struct call_sites *sites, site_id id) _must_check_
	_nonnull_(1);

/* Returns a function that was inlined; the one for 0 has neither function nor call site. */
const struct inlined *call_sites__inlined(const struct call_sites *sites, inlined_id id) _must_check_
	_nonnull_(1);

#endif
