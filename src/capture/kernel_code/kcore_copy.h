/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's code as it is now: a copy of /proc/kcore with nothing but code, and of kallsyms and modules.
 * perf record --kcore keeps the same in kcore_dir. Decoding needs it, because the running code is not that of
 * the file on disk: static keys, static calls, alternatives and ftrace patch it, and BPF programs are in no
 * file.
 */
#ifndef AUXBPF_CAPTURE_KERNEL_CODE_KCORE_COPY_H
#define AUXBPF_CAPTURE_KERNEL_CODE_KCORE_COPY_H

#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "capture/kernel_code/kcore_layout.h"

/* The texts of /proc that say where code is. */
struct kernel_texts {
	struct span kallsyms;
	struct span modules;
};

/* The files to copy to; each is open, empty and writable. */
struct kcore_files {
	int kcore;
	int kallsyms;
	int modules;
};

/*
 * Copies /proc/kallsyms and /proc/modules (empty if there are no modules) into the files @to and maps them as
 * @ret. 0 or a negative errno (logged). Release with kernel_texts__release().
 */
int kernel_texts__copy(const char *root, const struct kcore_files *to, struct kernel_texts *ret) _must_check_
	_nonnull_(1, 2, 3);
void kernel_texts__release(struct kernel_texts *texts) _nonnull_(1);

/*
 * Copies the code that @texts and @bpf name from @from, which is /proc/kcore or a negative errno. -EAGAIN if
 * modules came or went since @texts were copied: then do all of it again. Other errors are logged. @copied
 * tells what was copied; the caller releases it.
 */
int kcore__copy(const char *root, int from, const struct kcore_files *to, const struct kernel_texts *texts,
		const struct code_range *bpf, size_t nr_bpf, struct kcore_layout *copied) _must_check_
	_nonnull_(1, 3, 4, 7);

#endif
