/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and bits of the Intel PT model specific registers.
 * Intel SDM vol. 3, chapter "Intel Processor Trace", section "Configuration and
 * Programming"; vol. 4 for the numbers.
 */
#ifndef PT_MSR_H
#define PT_MSR_H

#define MSR_RTIT_OUTPUT_BASE 0x560u
#define MSR_RTIT_OUTPUT_MASK_PTRS 0x561u
#define MSR_RTIT_CTL 0x570u
#define MSR_RTIT_STATUS 0x571u
#define MSR_RTIT_CR3_MATCH 0x572u
#define MSR_RTIT_ADDR0_A 0x580u

/* Address ranges that the unit offers: RTIT_ADDRn_A and _B for n below this. */
#define PT_NR_RANGES 4u

#define RTIT_CTL_TRACEEN (1ull << 0)
#define RTIT_CTL_OS (1ull << 2)
#define RTIT_CTL_USER (1ull << 3)
#define RTIT_CTL_CR3FILTER (1ull << 7)
#define RTIT_CTL_TOPA (1ull << 8)
#define RTIT_CTL_MTCEN (1ull << 9)
#define RTIT_CTL_TSCEN (1ull << 10)
#define RTIT_CTL_DISRETC (1ull << 11)
#define RTIT_CTL_BRANCHEN (1ull << 13)
#define RTIT_CTL_MTCFREQ_SHIFT 14
#define RTIT_CTL_PSBFREQ_SHIFT 24
#define RTIT_CTL_ADDR0_SHIFT 32 /* 4 bits per range */

#define RTIT_ADDR_CFG_OFF 0u
#define RTIT_ADDR_CFG_FILTER 1u
#define RTIT_ADDR_CFG_STOP 2u

#define RTIT_STATUS_FILTEREN (1ull << 0)
#define RTIT_STATUS_CONTEXTEN (1ull << 1)
#define RTIT_STATUS_TRIGGEREN (1ull << 2)
#define RTIT_STATUS_ERROR (1ull << 4)
#define RTIT_STATUS_STOPPED (1ull << 5)
#define RTIT_STATUS_BYTECNT_SHIFT 32
#define RTIT_STATUS_BYTECNT_MASK 0x1ffffull

#endif
