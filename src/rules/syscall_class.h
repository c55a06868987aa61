/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Classes of system calls, such as those that take a file name or those that take a descriptor. They are the
 * classes of strace(1) 6.1 of Debian 12 (`-e trace=%class`), and hold the names of all architectures that
 * auxbpf knows.
 */
#ifndef AUXBPF_RULES_SYSCALL_CLASS_H
#define AUXBPF_RULES_SYSCALL_CLASS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/nearest.h"

struct syscall_class;

/* Returns the class of that name (without the first %, so "%stat" is strace's %%stat), or NULL. */
const struct syscall_class *syscall_class__find(const char *name) _nonnull_(1);

/* Returns the class at that index, in alphabetical order; NULL behind the last. */
const struct syscall_class *syscall_class__at(size_t index);

/* Returns the name of the class, without the first %. */
const char *syscall_class__name(const struct syscall_class *class) _nonnull_(1);

/* Tells whether the system call @syscall is in the class. */
bool syscall_class__has(const struct syscall_class *class, const char *syscall) _nonnull_(1, 2);

/* Offers the names of all classes, "%file" and so on, in place of a wrong one. */
void syscall_class__offer(struct nearest *near, const char *wanted) _nonnull_(1, 2);

#endif
