// SPDX-License-Identifier: GPL-2.0-only
/* Words as an assembler makes them, and what they are. */
#include "insn.h"

#include "check.h"
#include "site.h"

static struct insn classify(uint32_t word)
{
	struct insn insn;

	insn__classify(word, &insn);
	return insn;
}

static void check_direct(uint32_t word, enum insn_class class, int32_t displacement)
{
	struct insn insn = classify(word);

	CHECK_EQ(insn.class, class);
	CHECK_EQ(insn__target(&insn, 0xffff800080000000),
		 0xffff800080000000 + (uint64_t)(int64_t)displacement);
	CHECK(insn__is_branch(&insn) && !insn__is_indirect(&insn) && !insn__is_far(&insn));
	CHECK_EQ(insn__is_conditional(&insn), class == A64_COND);
	CHECK(!insn__may_fault(&insn));
}

static void check_directs(void)
{
	check_direct(0x14000002, A64_JMP, 8);	      /* b . + 8 */
	check_direct(0x17ffffff, A64_JMP, -4);	      /* b . - 4 */
	check_direct(0x15ffffff, A64_JMP, 0x7fffffc); /* the farthest */
	check_direct(0x94000001, A64_CALL, 4);	      /* bl . + 4 */
	check_direct(0x97fffffe, A64_CALL, -8);	      /* bl . - 8 */
	check_direct(0x54000040, A64_COND, 8);	      /* b.eq . + 8 */
	check_direct(0x54ffffed, A64_COND, -4);	      /* b.le . - 4 */
	check_direct(0x54000051, A64_COND, 8);	      /* bc.ne . + 8 */
	check_direct(0x34000040, A64_COND, 8);	      /* cbz w0 */
	check_direct(0xb5ffffe1, A64_COND, -4);	      /* cbnz x1, . - 4 */
	check_direct(0x36000040, A64_COND, 8);	      /* tbz w0, #0 */
	check_direct(0xb7f7ffe3, A64_COND, -4);	      /* tbnz x3, #62, . - 4 */
}

static void check_indirect(uint32_t word, enum insn_class class, bool may_fault)
{
	struct insn insn = classify(word);

	CHECK_EQ(insn.class, class);
	CHECK(insn__is_branch(&insn) && insn__is_indirect(&insn) && !insn__is_conditional(&insn));
	CHECK_EQ(insn__is_far(&insn), class == A64_ERET);
	CHECK_EQ(insn__may_fault(&insn), may_fault);
}

static void check_indirects(void)
{
	check_indirect(0xd61f0200, A64_IND_JMP, false);	 /* br x16 */
	check_indirect(0xd61f0a1f, A64_IND_JMP, true);	 /* braaz x16 */
	check_indirect(0xd61f0e1f, A64_IND_JMP, true);	 /* brabz x16 */
	check_indirect(0xd71f0a11, A64_IND_JMP, true);	 /* braa x16, x17 */
	check_indirect(0xd63f0100, A64_IND_CALL, false); /* blr x8 */
	check_indirect(0xd63f091f, A64_IND_CALL, true);	 /* blraaz x8 */
	check_indirect(0xd73f0909, A64_IND_CALL, true);	 /* blraa x8, x9 */
	check_indirect(0xd73f0d09, A64_IND_CALL, true);	 /* blrab x8, x9 */
	check_indirect(0xd65f03c0, A64_RET, false);	 /* ret */
	check_indirect(0xd65f0000, A64_RET, false);	 /* ret x0 */
	check_indirect(0xd65f0bff, A64_RET, true);	 /* retaa */
	check_indirect(0xd65f0fff, A64_RET, true);	 /* retab */
	check_indirect(0xd69f03e0, A64_ERET, false);	 /* eret */
	check_indirect(0xd69f0bff, A64_ERET, true);	 /* eretaa */
	check_indirect(0xd69f0fff, A64_ERET, true);	 /* eretab */
}

static void check_others(void)
{
	/* nop; wfi; wfe; dsb sy; dmb ish; brk #0; hvc #0; ldr x0, [x1]; bti c; drps */
	static const uint32_t others[] = {0xd503201f, 0xd503207f, 0xd503205f, 0xd5033f9f, 0xd5033bbf,
					  0xd4200000, 0xd4000002, 0xf9400020, 0xd503245f, 0xd6bf03e0};
	struct insn insn;

	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CHECK_EQ(classify(others[i]).class, A64_OTHER);
	insn = classify(0xd5033fdf); /* isb */
	CHECK_EQ(insn.class, A64_ISB);
	CHECK(insn__is_branch(&insn) && !insn__is_indirect(&insn));
	CHECK_EQ(classify(0xd4000001).class, A64_SVC);
	CHECK_EQ(classify(0xd5032f5f).class, A64_MARK);
	CHECK_EQ(insn__next(&insn, 0x1000), 0x1004);
}

static void check_system_registers(void)
{
	struct insn insn = classify(0xd5389b20); /* mrs x0, trbptr_el1 */

	CHECK_EQ(insn.class, A64_MRS);
	CHECK_EQ(insn.sysreg, A64_SYSREG(3, 0, 9, 11, 1));
	CHECK_EQ(insn.rt, 0);
	insn = classify(0xd511011f); /* msr trcprgctlr, xzr */
	CHECK_EQ(insn.class, A64_MSR);
	CHECK_EQ(insn.sysreg, A64_SYSREG(2, 1, 0, 1, 0));
	CHECK_EQ(insn.rt, 31);
	insn = classify(0xd518d021); /* msr contextidr_el1, x1 */
	CHECK_EQ(insn.sysreg, A64_SYSREG(3, 0, 13, 0, 1));
	/* An immediate to PSTATE and a system instruction are none. */
	CHECK_EQ(classify(0xd50342df).class, A64_OTHER); /* msr daifset, #2 */
	CHECK_EQ(classify(0xd508871f).class, A64_OTHER); /* tlbi vmalle1 */
}

static void check_site(void)
{
	struct insn insn = classify(0x54ffffed), back;
	void *site = site__pack(&insn, 2044);

	CHECK(site != NULL);
	CHECK_EQ(site__unpack(site, &back), 2044);
	CHECK_EQ(back.class, A64_COND);
	CHECK_EQ(back.displacement, -4);
}

int main(void)
{
	check_directs();
	check_indirects();
	check_others();
	check_system_registers();
	check_site();
	return check__done();
}
