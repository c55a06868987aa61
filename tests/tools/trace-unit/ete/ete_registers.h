/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and bits of the trace unit's registers, and what the unit says of itself.
 * Arm ARM (DDI 0487), "ETE register descriptions".
 */
#ifndef ETE_REGISTERS_H
#define ETE_REGISTERS_H

/* Number of a register: its offset in the memory map of an ETM, in words. */
#define TRC(offset) ((offset) / 4u)

enum ete_register {
	TRCPRGCTLR = TRC(0x004),
	TRCSTATR = TRC(0x00c),
	TRCCONFIGR = TRC(0x010),
	TRCSYNCPR = TRC(0x034),
	TRCTRACEIDR = TRC(0x040),
	TRCVICTLR = TRC(0x080),
	TRCVIIECTLR = TRC(0x084),
	TRCIDR8 = TRC(0x180),
	TRCIDR0 = TRC(0x1e0),
	TRCIDR1 = TRC(0x1e4),
	TRCIDR2 = TRC(0x1e8),
	TRCIDR3 = TRC(0x1ec),
	TRCIDR4 = TRC(0x1f0),
	TRCIDR5 = TRC(0x1f4),
	TRCOSLSR = TRC(0x304),
	TRCACVR0 = TRC(0x400), /* two words each */
	TRCCLAIMSET = TRC(0xfa0),
	TRCCLAIMCLR = TRC(0xfa4),
	TRCAUTHSTATUS = TRC(0xfb8),
	TRCDEVARCH = TRC(0xfbc),
	ETE_NR_REGISTERS = TRC(0x1000),
};

#define TRCPRGCTLR_EN (1u << 0)
#define TRCSTATR_IDLE (1u << 0)
#define TRCSTATR_PMSTABLE (1u << 1)
#define TRCCONFIGR_CID (1u << 6)
#define TRCCONFIGR_TS (1u << 11)
#define TRCSYNCPR_PERIOD 0x1fu
#define TRCVICTLR_EXLEVEL_NS_SHIFT 20
#define TRCVIIECTLR_EXCLUDE_SHIFT 16

#define TRFCR_E0TRE (1u << 0)
#define TRFCR_E1TRE (1u << 1)

/* Address comparators, in pairs. */
#define ETE_NR_RANGES 4u

#define ETE_CLAIM_TAGS 0xfu

/* No branch broadcast, cycle counts and return stack; time stamps of 64 bits. */
#define ETE_IDR0 (1u << 0 | 8u << 24)
/* The version is in TRCDEVARCH. */
#define ETE_IDR1 0x4100fff0u
/* Addresses of 64 bits, context IDs of 32; WFI and WFE are not told of. */
#define ETE_IDR2 (8u << 0 | 4u << 5)
/* Not secure EL0 and EL1; the synchronization period can be set. */
#define ETE_IDR3 (3u << 20)
/* Address comparators; one pair of resource selectors besides the fixed one, one context ID comparator. */
#define ETE_IDR4 (ETE_NR_RANGES | 1u << 16 | 1u << 24)
/* Trace IDs of 7 bits, one counter. */
#define ETE_IDR5 (7u << 16 | 1u << 28)
/* The unit is locked with the CPU's OS lock. */
#define ETE_OSLSR (1u << 4)
/* ETE version 1.0 */
#define ETE_DEVARCH 0x47705a13u

#endif
