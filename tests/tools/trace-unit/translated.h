/* SPDX-License-Identifier: GPL-2.0-only */
/* Has QEMU translate the kernel's code anew where its translation is not of what is in memory (fresh_code.h). */
#ifndef TRANSLATED_H
#define TRANSLATED_H

#include "guest.h"

/** Notes a block that is being translated. */
void translated__note(const struct qemu_plugin_tb *tb);

/** Looks at blocks that were noted a while ago; in a callback of the vCPU that the guest is of. */
void translated__check(const struct guest *guest);

#endif
