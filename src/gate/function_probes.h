/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs at the entries and returns of functions that the user named: fentry and fexit, with a BPF
 * object for each function, in the kernel; uprobes in users' programs.
 *
 * Order of use: function_probes__new() says what is wrong with the names before anything is loaded. Then come
 * function_probes__load() and function_probes__attach(), and function_probes__add_processes() whenever
 * processes turn up that see files of their own.
 */
#ifndef AUXBPF_GATE_FUNCTION_PROBES_H
#define AUXBPF_GATE_FUNCTION_PROBES_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct function_probes;

/* All that these point to must live as long as the probes. */
struct function_probes_opts {
	const char *option; /* in which the user named them, for messages */
	const char *root;   /* of all paths, "" for the real one */
	const char *const *functions;
	size_t nr_functions;
	bool wait; /* processes with the files may come later: none is needed now */
};

/* The programs that run at the functions. A function's number is its index in @functions of the options. */
struct function_programs {
	/*
	 * Loads the object for the kernel function @symbol, after function_probes__set_target(). The object
	 * has the programs on_entry, on_return and a spare of each, and stays the callback's own. 0 or a
	 * negative errno.
	 */
	int (*load)(void *ctx, size_t function, const char *symbol, struct bpf_object **ret);
	/* The cookie of the programs at user functions; @file tells files apart. */
	uint64_t (*cookie)(size_t function, uint64_t file);
	struct bpf_program *entry; /* this and the next run at user functions */
	struct bpf_program *leave;
	void *ctx;
};

/*
 * Finds all functions. User functions are looked for where the processes @pids see their files; without
 * processes, where we do. Logs what is wrong with which function; 0, -EINVAL if a name is malformed, or
 * another negative errno.
 */
int function_probes__new(const struct function_probes_opts *opts, const int *pids, size_t nr_pids,
			 struct function_probes **ret) _must_check_ _nonnull_(1, 4);

/* Whether there are user functions. */
bool function_probes__in_user(const struct function_probes *fp) _nonnull_(1);

/* The symbol of function number @function in the kernel; NULL if it is a user function. */
const char *function_probes__kernel_symbol(const struct function_probes *fp, size_t function) _nonnull_(1);

/*
 * Sets the kernel function @symbol as the target of all programs of @object, which is not loaded yet. 0 or a
 * negative errno.
 */
int function_probes__set_target(struct bpf_object *object, const char *symbol) _must_check_ _nonnull_(1, 2);

/* Loads the object of each kernel function with programs->load(). Logs; 0 or a negative errno. */
int function_probes__load(struct function_probes *fp, const struct function_programs *programs) _must_check_
	_nonnull_(1, 2);

/* Attaches the programs to all functions that were found. Logs; 0 or a negative errno. */
int function_probes__attach(struct function_probes *fp) _must_check_ _nonnull_(1);

/*
 * Looks for the user functions where these processes see their files too, and attaches to those in new files.
 * A file that is not there is no error. Logs; 0 or a negative errno.
 */
int function_probes__add_processes(struct function_probes *fp, const int *pids, size_t nr) _must_check_
	_nonnull_(1);

/* Says that nobody has called the kernel function number @function: perhaps its calls cannot be seen. */
void function_probes__log_uncalled(const struct function_probes *fp, size_t function) _nonnull_(1);

/* Detaches all programs. After this the owner of the objects may free them. */
void function_probes__detach(struct function_probes *fp) _nonnull_(1);
void function_probes__free(struct function_probes *fp);

DEFINE_CLEANUP(function_probes, struct function_probes *, function_probes__free)

#endif
