/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where libbpf's own messages go.
 */
#ifndef AUXBPF_LOADER_LIBBPF_LOG_H
#define AUXBPF_LOADER_LIBBPF_LOG_H

/*
 * Sends them to the log, one level lower: what auxbpf says itself tells what is wrong, libbpf's warnings are
 * for -v. To be called once, before libbpf is used.
 */
void libbpf_log__init(void);

/*
 * libbpf's first warning since libbpf_log__forget(), or "": it tells what the kernel refused, where an error that
 * libbpf returns is one of those that follow, often -EINVAL. For one thread.
 */
const char *libbpf_log__first(void);
void libbpf_log__forget(void);

#endif
