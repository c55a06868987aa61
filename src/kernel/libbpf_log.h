/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where libbpf's own messages go.
 */
#ifndef AUXBPF_KERNEL_LIBBPF_LOG_H
#define AUXBPF_KERNEL_LIBBPF_LOG_H

/*
 * Sends them to the log, one level lower: what auxbpf says itself tells what is wrong, libbpf's warnings are
 * for -v. To be called once, before libbpf is used.
 */
void libbpf_log__init(void);

#endif
