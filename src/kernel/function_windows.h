/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The windows of --on-function: which functions these are, and the BPF programs at their entries and returns.
 *
 * Order of use: function_windows__new() says what is wrong with what was asked for, before anything is
 * loaded; function_windows__load() beside the main BPF object; function_windows__attach(), and
 * function_windows__add_processes() whenever processes turn up that see files of their own.
 */
#ifndef AUXBPF_KERNEL_FUNCTION_WINDOWS_H
#define AUXBPF_KERNEL_FUNCTION_WINDOWS_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

struct function_windows;

/* All of it but the processes must live as long as what is made of it. */
struct function_windows_opts {
	const char *root; /* of all paths, "" for the real one */
	const char *const *functions;
	size_t nr_functions;
	const int *pids; /* processes by whose eyes files are found; none: by ours */
	size_t nr_pids;
	bool wait; /* processes may come that have the files: none is needed now */
};

/* What the programs of the main object are to a function of a user's. */
struct function_programs {
	struct bpf_object *main; /* its maps are shared */
	struct bpf_program *entry;
	struct bpf_program *leave;
};

/*
 * Finds all functions. Logs what is wrong with which; 0, -EINVAL if a name is not of the form, or another
 * negative errno.
 */
int function_windows__new(const struct function_windows_opts *opts,
			  struct function_windows **ret) _must_check_ _nonnull_(1, 2);

/* Whether there are functions of the kernel, and such of users' programs. */
bool function_windows__in_kernel(const struct function_windows *fw) _nonnull_(1);
bool function_windows__in_user(const struct function_windows *fw) _nonnull_(1);

/* Loads a BPF object for each function of the kernel. Logs; 0 or a negative errno. */
int function_windows__load(struct function_windows *fw, const struct auxbpf_config *config,
			   const struct function_programs *programs) _must_check_ _nonnull_(1, 2, 3);

/* Attaches what was found. Logs; 0 or a negative errno. */
int function_windows__attach(struct function_windows *fw) _must_check_ _nonnull_(1);

/*
 * Looks for the users' functions by the eyes of these processes too, and attaches to those in files that are
 * new. What is not there is no error. Logs; 0 or a negative errno.
 */
int function_windows__add_processes(struct function_windows *fw, const int *pids, size_t nr) _must_check_
	_nonnull_(1);

/* Says which of the kernel's functions nobody has called while they were attached: perhaps they never are. */
void function_windows__log_uncalled(const struct function_windows *fw) _nonnull_(1);

/* No entry opens a window any more, no return closes one. */
void function_windows__detach(struct function_windows *fw) _nonnull_(1);
void function_windows__free(struct function_windows *fw);

DEFINE_CLEANUP(function_windows, struct function_windows *, function_windows__free)

#endif
