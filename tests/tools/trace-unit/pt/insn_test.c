// SPDX-License-Identifier: GPL-2.0-only
#include "insn.h"

#include "check.h"
#include "site.h"

struct vector {
	const char *what;
	enum insn_mode mode;
	uint8_t code[15];
	uint8_t length;
	enum insn_class class;
	bool memory;
	bool has_target;
	uint64_t ip, target;
};

#define B(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})

static const struct vector vectors[] = {
	{"nop", X86_MODE_64, B(0x90), X86_OTHER},
	{"je +2", X86_MODE_64, B(0x74, 0x02), X86_JCC, false, true, 0x1000, 0x1004},
	{"je -2", X86_MODE_64, B(0x74, 0xfe), X86_JCC, false, true, 0x1000, 0x1000},
	{"jne rel32", X86_MODE_64, B(0x0f, 0x85, 0, 0x10, 0, 0), X86_JCC, false, true, 0x1000, 0x2006},
	{"bnd hint je", X86_MODE_64, B(0xf2, 0x74, 0x10), X86_JCC, false, true, 0x1000, 0x1013},
	{"loop", X86_MODE_64, B(0xe2, 0xfe), X86_JCC, false, true, 0x10, 0x10},
	{"jecxz", X86_MODE_64, B(0x67, 0xe3, 0x00), X86_JCC, false, true, 0x10, 0x13},
	{"jmp rel8", X86_MODE_64, B(0xeb, 0x7f), X86_JMP, false, true, 0x10, 0x91},
	{"jmp rel32 back", X86_MODE_64, B(0xe9, 0xfb, 0xff, 0xff, 0xff), X86_JMP, false, true,
	 0xffffffff81000000, 0xffffffff81000000},
	{"call rel32", X86_MODE_64, B(0xe8, 0x00, 0x00, 0x00, 0x00), X86_CALL, true, true, 0x10, 0x15},
	{"data16 call", X86_MODE_64, B(0x66, 0xe8, 0x00, 0x01, 0x00, 0x00), X86_CALL, true, true, 0x10,
	 0x116},
	{"cs cs jmp rel32", X86_MODE_64, B(0x2e, 0x2e, 0xe9, 1, 0, 0, 0), X86_JMP, false, true, 0x10, 0x18},
	{"ret", X86_MODE_64, B(0xc3), X86_RET, true},
	{"rep ret", X86_MODE_64, B(0xf3, 0xc3), X86_RET, true},
	{"ret imm16", X86_MODE_64, B(0xc2, 0x08, 0x00), X86_RET, true},
	{"call *rax", X86_MODE_64, B(0xff, 0xd0), X86_IND_CALL, true},
	{"call *r11", X86_MODE_64, B(0x41, 0xff, 0xd3), X86_IND_CALL, true},
	{"notrack jmp *rax", X86_MODE_64, B(0x3e, 0xff, 0xe0), X86_IND_JMP, false},
	{"jmp *mem(rip)", X86_MODE_64, B(0xff, 0x25, 0, 0, 0, 0), X86_IND_JMP, true},
	{"push mem", X86_MODE_64, B(0xff, 0x30), X86_OTHER},
	{"inc eax", X86_MODE_64, B(0xff, 0xc0), X86_OTHER},
	{"far call m16:32", X86_MODE_64, B(0xff, 0x18), X86_FAR_CALL, true},
	{"far jmp m16:64", X86_MODE_64, B(0x48, 0xff, 0x28), X86_FAR_JMP, true},
	{"lretq", X86_MODE_64, B(0x48, 0xcb), X86_FAR_RET, true},
	{"lret imm16", X86_MODE_64, B(0xca, 4, 0), X86_FAR_RET, true},
	{"iretq", X86_MODE_64, B(0x48, 0xcf), X86_IRET, true},
	{"syscall", X86_MODE_64, B(0x0f, 0x05), X86_SYSCALL, true},
	{"sysretq", X86_MODE_64, B(0x48, 0x0f, 0x07), X86_SYSRET, true},
	{"sysenter", X86_MODE_32, B(0x0f, 0x34), X86_SYSCALL, true},
	{"sysexit", X86_MODE_64, B(0x48, 0x0f, 0x35), X86_SYSRET, true},
	{"int3", X86_MODE_64, B(0xcc), X86_SWINT, true},
	{"int 80", X86_MODE_32, B(0xcd, 0x80), X86_SWINT, true},
	{"int1", X86_MODE_64, B(0xf1), X86_SWINT, true},
	{"into", X86_MODE_32, B(0xce), X86_SWINT, true},
	{"ce in 64-bit", X86_MODE_64, B(0xce), X86_OTHER},
	{"far jmp imm", X86_MODE_32, B(0xea, 0, 0, 0, 0, 0x23, 0), X86_FAR_JMP, true},
	{"far call imm", X86_MODE_32, B(0x9a, 0, 0, 0, 0, 0x23, 0), X86_FAR_CALL, true},
	{"jmp rel16 in 32-bit", X86_MODE_32, B(0x66, 0xe9, 0xfc, 0xff), X86_JMP, false, true, 0x12345,
	 0x2345},
	{"call rel32 wraps", X86_MODE_32, B(0xe8, 0xff, 0xff, 0xff, 0xff), X86_CALL, true, true, 0xffffffff,
	 0x3},
	{"call rel16", X86_MODE_16, B(0xe8, 0x10, 0x00), X86_CALL, true, true, 0xfff0, 0x3},
	{"call rel32 in 16-bit", X86_MODE_16, B(0x66, 0xe8, 0, 0, 1, 0), X86_CALL, true, true, 0x10, 0x10016},
	{"0x48 is dec in 32-bit", X86_MODE_32, B(0x48), X86_OTHER},
	{"cpuid", X86_MODE_64, B(0x0f, 0xa2), X86_CPUID},
	{"rdtsc", X86_MODE_64, B(0x0f, 0x31), X86_RDTSC},
	{"rdpmc", X86_MODE_64, B(0x0f, 0x33), X86_RDPMC},
	{"rdmsr", X86_MODE_64, B(0x0f, 0x32), X86_RDMSR},
	{"wrmsr", X86_MODE_64, B(0x0f, 0x30), X86_WRMSR},
	{"wrmsrns", X86_MODE_64, B(0x0f, 0x01, 0xc6), X86_WRMSR},
	{"mov cr3, rax", X86_MODE_64, B(0x0f, 0x22, 0xd8), X86_MOV_TO_CR3},
	{"mov cr3, r9", X86_MODE_64, B(0x41, 0x0f, 0x22, 0xd9), X86_MOV_TO_CR3},
	{"mov cr4, rax", X86_MODE_64, B(0x0f, 0x22, 0xe0), X86_OTHER},
	{"mov cr8, rax", X86_MODE_64, B(0x44, 0x0f, 0x22, 0xc0), X86_OTHER},
	{"lidt", X86_MODE_64, B(0x0f, 0x01, 0x18), X86_LIDT, true},
	{"lgdt", X86_MODE_64, B(0x0f, 0x01, 0x10), X86_OTHER},
	{"swapgs", X86_MODE_64, B(0x0f, 0x01, 0xf8), X86_OTHER},
	{"rep movsb", X86_MODE_64, B(0xf3, 0xa4), X86_OTHER},
	{"prefixes only", X86_MODE_64, B(0x66, 0x66), X86_OTHER},
	{"jcc cut short", X86_MODE_64, B(0x74), X86_OTHER},
};

static bool same(const struct insn *a, const struct insn *b)
{
	return a->class == b->class && a->length == b->length && a->vector == b->vector &&
	       a->touches_memory == b->touches_memory && a->has_target == b->has_target &&
	       a->displacement == b->displacement && a->ip_mask == b->ip_mask;
}

static void check_vector(const struct vector *v)
{
	struct insn insn, again;
	bool ok;

	insn__classify(v->code, v->length, v->mode, &insn);
	ok = CHECK_EQ(insn.class, v->class);
	ok &= CHECK_EQ(insn.touches_memory, v->memory);
	ok &= CHECK_EQ(insn.has_target, v->has_target);
	if (v->has_target)
		ok &= CHECK_EQ(insn__target(&insn, v->ip), v->target);
	/* Through a callback's pointer and back. */
	ok &= CHECK_EQ(site__unpack(site__pack(&insn, SITE_MAX_OFFSET), &again), SITE_MAX_OFFSET);
	ok &= CHECK(same(&insn, &again));
	if (!ok)
		fprintf(stderr, "that was: %s\n", v->what);
}

int main(void)
{
	struct insn insn;

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		check_vector(&vectors[i]);
	insn__classify((const uint8_t[]){0xcd, 0x80}, 2, X86_MODE_32, &insn);
	CHECK_EQ(insn.vector, 0x80);
	CHECK(insn__is_far(&insn) && insn__is_branch(&insn));
	insn__classify((const uint8_t[]){0x0f, 0x31}, 2, X86_MODE_64, &insn);
	CHECK(!insn__is_branch(&insn));
	insn__classify((const uint8_t[]){0x90}, 0, X86_MODE_64, &insn);
	CHECK_EQ(insn.class, X86_OTHER);
	return check__done();
}
