/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Callbacks that only x86 instructions have.
 */
#ifndef VCPU_X86_H
#define VCPU_X86_H

#include "vcpu.h"

/* userdata is a site (site.h) where one is needed. */
void vcpu__on_numbered_branch(unsigned int index, void *site); /* one with a system call's number */
void vcpu__on_cr3(unsigned int index, void *userdata);
void vcpu__on_lidt(unsigned int index, qemu_plugin_meminfo_t info, uint64_t address, void *userdata);

/* emulate.c: instructions that the plugin runs instead of QEMU; may set the PC. */
void emulate__cpuid(unsigned int index, void *site);
void emulate__cpuid_amend(unsigned int index, void *userdata);
void emulate__rdtsc(unsigned int index, void *site);
void emulate__rdpmc(unsigned int index, void *site);
void emulate__rdmsr(unsigned int index, void *site);
void emulate__wrmsr(unsigned int index, void *site);

#endif
