/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes libbpf's own messages to the log.
 */
#ifndef AUXBPF_LOADER_LIBBPF_LOG_H
#define AUXBPF_LOADER_LIBBPF_LOG_H

/*
 * Sends libbpf's messages to the log, one level lower: auxbpf says itself what is wrong, and libbpf's
 * warnings are for -v. To be called once, before libbpf is used.
 */
void libbpf_log__init(void);

/*
 * Returns libbpf's first warning since libbpf_log__forget(), or "". It tells what the kernel refused, while
 * the error that libbpf returns is often that of a later step, such as -EINVAL. To be used by one thread.
 */
const char *libbpf_log__first(void);
void libbpf_log__forget(void);

#endif
