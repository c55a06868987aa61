// SPDX-License-Identifier: GPL-2.0-only
#include "insn.h"

#include <string.h>

/* A cursor behind the prefixes, and what they said. */
struct decoded {
	const uint8_t *op; /* first opcode byte */
	size_t left;	   /* bytes from there to the end */
	enum insn_mode mode;
	bool opsize; /* 0x66 was there */
	bool f3;
	uint8_t rex;
};

static bool is_legacy_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e: /* segments (and hints) */
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return false;
	}
}

static void skip_prefixes(struct decoded *d)
{
	while (d->left > 1 && is_legacy_prefix(*d->op)) {
		d->opsize |= *d->op == 0x66;
		d->f3 |= *d->op == 0xf3;
		d->op++;
		d->left--;
	}
	if (d->mode == X86_MODE_64 && d->left > 1 && (*d->op & 0xf0) == 0x40) {
		d->rex = *d->op;
		d->op++;
		d->left--;
	}
}

static uint8_t byte_at(const struct decoded *d, size_t index)
{
	return index < d->left ? d->op[index] : 0;
}

/* Operand width of a near branch: 66 is ignored in 64-bit mode (Intel's way). */
static unsigned int near_width(const struct decoded *d)
{
	if (d->mode == X86_MODE_64)
		return 64;
	return (d->mode == X86_MODE_32) != d->opsize ? 32 : 16;
}

static void set_width(const struct decoded *d, struct insn *insn)
{
	unsigned int width = near_width(d);

	insn->ip_mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static void set_direct(const struct decoded *d, struct insn *insn, enum insn_class class, size_t disp_bytes)
{
	const uint8_t *disp = d->op + d->left - disp_bytes;
	int16_t word;

	insn->class = class;
	if (disp_bytes >= d->left) { /* cut short: not an instruction at all */
		insn->class = X86_OTHER;
		return;
	}
	insn->has_target = true;
	insn->touches_memory = class == X86_CALL;
	if (disp_bytes == 1) {
		insn->displacement = (int8_t)*disp;
	} else if (disp_bytes == 2) {
		memcpy(&word, disp, sizeof(word));
		insn->displacement = word;
	} else {
		memcpy(&insn->displacement, disp, sizeof(insn->displacement));
	}
}

static size_t near_disp_bytes(const struct decoded *d)
{
	return near_width(d) == 16 ? 2 : 4;
}

static void set_memory_class(struct insn *insn, enum insn_class class)
{
	insn->class = class;
	insn->touches_memory = true;
}

static void set_swint(struct insn *insn, uint8_t vector)
{
	set_memory_class(insn, X86_SWINT);
	insn->vector = vector;
}

/* Group 5 (FF /r). */
static void classify_group5(const struct decoded *d, struct insn *insn)
{
	uint8_t modrm = byte_at(d, 1);
	bool memory = (modrm >> 6) != 3;

	switch ((modrm >> 3) & 7) {
	case 2:
		set_memory_class(insn, X86_IND_CALL);
		break;
	case 3:
		if (memory)
			set_memory_class(insn, X86_FAR_CALL);
		break;
	case 4:
		insn->class = X86_IND_JMP;
		insn->touches_memory = memory;
		break;
	case 5:
		if (memory)
			set_memory_class(insn, X86_FAR_JMP);
		break;
	default:
		break;
	}
}

/* 0F 01: LIDT, WRMSRNS. */
static void classify_0f01(const struct decoded *d, struct insn *insn)
{
	uint8_t modrm = byte_at(d, 2);

	if (modrm == 0xc6 && !d->opsize && !d->f3)
		insn->class = X86_WRMSR;
	else if ((modrm >> 6) != 3 && ((modrm >> 3) & 7) == 3)
		set_memory_class(insn, X86_LIDT);
}

static void classify_0f(const struct decoded *d, struct insn *insn)
{
	uint8_t op = byte_at(d, 1);

	if ((op & 0xf0) == 0x80) {
		set_direct(d, insn, X86_JCC, near_disp_bytes(d));
		return;
	}
	switch (op) {
	case 0x01:
		classify_0f01(d, insn);
		break;
	case 0x05: /* SYSCALL */
	case 0x34: /* SYSENTER */
		set_memory_class(insn, X86_SYSCALL);
		break;
	case 0x07: /* SYSRET */
	case 0x35: /* SYSEXIT */
		set_memory_class(insn, X86_SYSRET);
		break;
	case 0x22: /* MOV CRn, r: REX.R would make it CR11 */
		if (((byte_at(d, 2) >> 3) & 7) == 3 && !(d->rex & 4))
			insn->class = X86_MOV_TO_CR3;
		break;
	case 0x30:
		insn->class = X86_WRMSR;
		break;
	case 0x31:
		insn->class = X86_RDTSC;
		break;
	case 0x32:
		insn->class = X86_RDMSR;
		break;
	case 0x33:
		insn->class = X86_RDPMC;
		break;
	case 0xa2:
		insn->class = X86_CPUID;
		break;
	default:
		break;
	}
}

/* One-byte opcodes that are not valid in 64-bit mode. */
static void classify_legacy(const struct decoded *d, struct insn *insn)
{
	switch (*d->op) {
	case 0x9a:
		set_memory_class(insn, X86_FAR_CALL);
		break;
	case 0xea:
		set_memory_class(insn, X86_FAR_JMP);
		break;
	case 0xce:
		set_swint(insn, 4);
		break;
	default:
		break;
	}
}

static void classify_one_byte(const struct decoded *d, struct insn *insn)
{
	switch (*d->op) {
	case 0xe8:
		set_direct(d, insn, X86_CALL, near_disp_bytes(d));
		break;
	case 0xe9:
		set_direct(d, insn, X86_JMP, near_disp_bytes(d));
		break;
	case 0xeb:
		set_direct(d, insn, X86_JMP, 1);
		break;
	case 0xc2:
	case 0xc3:
		set_memory_class(insn, X86_RET);
		break;
	case 0xca:
	case 0xcb:
		set_memory_class(insn, X86_FAR_RET);
		break;
	case 0xcc:
		set_swint(insn, 3);
		break;
	case 0xcd:
		set_swint(insn, byte_at(d, 1));
		break;
	case 0xcf:
		set_memory_class(insn, X86_IRET);
		break;
	case 0xf1:
		set_swint(insn, 1);
		break;
	case 0xff:
		classify_group5(d, insn);
		break;
	case 0x0f:
		classify_0f(d, insn);
		break;
	default:
		if (d->mode != X86_MODE_64)
			classify_legacy(d, insn);
		break;
	}
}

void insn__classify(const uint8_t *code, size_t length, enum insn_mode mode, struct insn *insn)
{
	struct decoded d = {.op = code, .left = length, .mode = mode};

	*insn = (struct insn){.class = X86_OTHER, .length = (uint8_t)length};
	if (!length)
		return;
	skip_prefixes(&d);
	set_width(&d, insn);
	if ((*d.op >= 0x70 && *d.op <= 0x7f) || (*d.op >= 0xe0 && *d.op <= 0xe3))
		set_direct(&d, insn, X86_JCC, 1);
	else
		classify_one_byte(&d, insn);
}

bool insn__is_branch(const struct insn *insn)
{
	return insn->class >= X86_JCC && insn->class <= X86_FAR_RET;
}

bool insn__is_far(const struct insn *insn)
{
	return insn->class >= X86_SYSCALL && insn->class <= X86_FAR_RET;
}

bool insn__is_conditional(const struct insn *insn)
{
	return insn->class == X86_JCC;
}

bool insn__is_trap(const struct insn *insn)
{
	return insn->class == X86_SWINT;
}

bool insn__may_fault(const struct insn *insn)
{
	return insn->touches_memory;
}

bool insn__writes_memory(const struct insn *insn)
{
	return insn->class == X86_CALL || insn->class == X86_IND_CALL || insn->class == X86_FAR_CALL;
}

uint64_t insn__next(const struct insn *insn, uint64_t ip)
{
	return (ip + insn->length) & insn->ip_mask;
}

uint64_t insn__target(const struct insn *insn, uint64_t ip)
{
	return (ip + insn->length + (uint64_t)(int64_t)insn->displacement) & insn->ip_mask;
}
