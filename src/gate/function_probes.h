/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs at the entries and returns of functions that were named: those of the kernel by a BPF object
 * each (fentry and fexit), those of users' programs by uprobes.
 *
 * Order of use: function_probes__new() says what is wrong with what was asked for, before anything is loaded;
 * function_probes__load(); function_probes__attach(), and function_probes__add_processes() whenever processes
 * turn up that see files of their own.
 */
#ifndef AUXBPF_GATE_FUNCTION_PROBES_H
#define AUXBPF_GATE_FUNCTION_PROBES_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct function_probes;

/* All of it must live as long as what is made of it. */
struct function_probes_opts {
	const char *option; /* that names the functions, for messages */
	const char *root;   /* of all paths, "" for the real one */
	const char *const *functions;
	size_t nr_functions;
	bool wait; /* processes may come that have the files: none is needed now */
};

/* What is run at functions; they are called by their numbers in @functions. */
struct function_programs {
	/*
	 * Loads the object for the kernel's function @symbol, after function_probes__set_target(). It has the
	 * programs on_entry, on_return and a spare of each, and stays the owner's. 0 or a negative errno.
	 */
	int (*load)(void *ctx, size_t function, const char *symbol, struct bpf_object **ret);
	/* What the programs at users' functions get as their cookie; @file tells files apart. */
	uint64_t (*cookie)(size_t function, uint64_t file);
	struct bpf_program *entry; /* those at users' functions */
	struct bpf_program *leave;
	void *ctx;
};

/*
 * Finds all functions, those of users' programs by the eyes of the processes @pids; none: by ours. Logs what
 * is wrong with which; 0, -EINVAL if a name is not of the form, or another negative errno.
 */
int function_probes__new(const struct function_probes_opts *opts, const int *pids, size_t nr_pids,
			 struct function_probes **ret) _must_check_ _nonnull_(1, 4);

/* Whether there are functions of users' programs. */
bool function_probes__in_user(const struct function_probes *fp) _nonnull_(1);

/* The kernel's function that is number @function; NULL: it is a user's. */
const char *function_probes__kernel_symbol(const struct function_probes *fp, size_t function) _nonnull_(1);

/* The programs of @object, not loaded yet, are for the kernel's function @symbol. 0 or a negative errno. */
int function_probes__set_target(struct bpf_object *object, const char *symbol) _must_check_ _nonnull_(1, 2);

/* Has the object of each function of the kernel loaded. Logs; 0 or a negative errno. */
int function_probes__load(struct function_probes *fp, const struct function_programs *programs) _must_check_
	_nonnull_(1, 2);

/* Attaches what was found. Logs; 0 or a negative errno. */
int function_probes__attach(struct function_probes *fp) _must_check_ _nonnull_(1);

/*
 * Looks for the users' functions by the eyes of these processes too, and attaches to those in files that are
 * new. What is not there is no error. Logs; 0 or a negative errno.
 */
int function_probes__add_processes(struct function_probes *fp, const int *pids, size_t nr) _must_check_
	_nonnull_(1);

/* Says that nobody has called the kernel's function number @function: perhaps that is never seen. */
void function_probes__log_uncalled(const struct function_probes *fp, size_t function) _nonnull_(1);

/* No program runs any more. The objects are the owner's to free, after this. */
void function_probes__detach(struct function_probes *fp) _nonnull_(1);
void function_probes__free(struct function_probes *fp);

DEFINE_CLEANUP(function_probes, struct function_probes *, function_probes__free)

#endif
