/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What only an x86 guest has.
 */
#ifndef GUEST_X86_H
#define GUEST_X86_H

#include "guest.h"

/** Raises the performance monitoring interrupt as the local APIC's LVT says. */
void guest__raise_pmi(void);

#endif
