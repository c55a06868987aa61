// SPDX-License-Identifier: GPL-2.0-only
/* Which branches count as retired, for orders of callbacks that QEMU really makes. */
#include "flow.h"

#include <stddef.h>

#include "check.h"

static struct flow flow;
static struct flow_context registers; /* what the CPU's registers hold */
static struct flow_transfer last;
static unsigned int transfers, cr3_changes;

static struct flow_context context(void *opaque)
{
	return registers;
}

static void at(void *opaque, uint64_t ip, const struct flow_context *ctx)
{
}

static void transfer(void *opaque, const struct flow_transfer *t)
{
	last = *t;
	transfers++;
}

static void cr3(void *opaque, uint64_t ip, const struct flow_context *ctx, const struct flow_context *old)
{
	CHECK(ctx->space != old->space);
	cr3_changes++;
}

static const struct flow_ops ops = {.context = context, .at = at, .transfer = transfer, .space = cr3};

static const struct flow_context user = {.space = 0x1000, .level = 3, .mode = X86_MODE_64};
static const struct flow_context user32 = {.space = 0x1000, .level = 3, .mode = X86_MODE_32};
static const struct flow_context kernel = {.space = 0x1000, .level = 0, .mode = X86_MODE_64};

static struct insn insn(enum insn_mode mode, const char *code, size_t length)
{
	struct insn result;

	insn__classify((const uint8_t *)code, length, mode, &result);
	return result;
}

#define JE_SELF insn(X86_MODE_64, "\x74\xfe", 2)
#define RET insn(X86_MODE_64, "\xc3", 1)
#define CALL_RAX insn(X86_MODE_64, "\xff\xd0", 2)
#define SYSCALL insn(X86_MODE_64, "\x0f\x05", 2)
#define IRETQ insn(X86_MODE_64, "\x48\xcf", 2)
#define INT80 insn(X86_MODE_32, "\xcd\x80", 2)
#define INTO insn(X86_MODE_32, "\xce", 1)

static void begin(const struct flow_context *where, uint64_t ip)
{
	registers = *where;
	flow__init(&flow, &ops, NULL);
	flow__block(&flow, ip);
	transfers = cr3_changes = 0;
}

static void run_branch(struct insn branch, uint64_t ip, uint32_t nr)
{
	flow__branch(&flow, &branch, ip, nr);
}

static void interrupt(const struct flow_context *interrupted, uint64_t from, uint64_t to)
{
	registers = kernel;
	flow__event(&flow, from, to, interrupted);
}

static void check_conditional(void)
{
	begin(&user, 0x1000);
	run_branch(JE_SELF, 0x1000, 0);
	flow__block(&flow, 0x1002);
	CHECK_EQ(transfers, 1);
	CHECK(!last.taken);
	/* A jump to itself cannot fault: seen again, it was taken. */
	run_branch(JE_SELF, 0x1002, 0);
	flow__block(&flow, 0x1002);
	CHECK_EQ(transfers, 2);
	CHECK(last.taken && last.from == 0x1002 && last.to == 0x1002);
	run_branch(JE_SELF, 0x1002, 0);
	interrupt(&user, 0x1002, 0xffffffff81000000);
	CHECK_EQ(transfers, 4);
	CHECK_EQ(last.kind, FLOW_EVENT);
	CHECK_EQ(last.from, 0x1002);
}

static void check_fault_in_branch(void)
{
	begin(&user, 0x1000);
	run_branch(RET, 0x1004, 0);
	interrupt(&user, 0x1004, 0xffffffff81000000);
	CHECK_EQ(transfers, 1); /* the page fault alone */
	CHECK_EQ(last.kind, FLOW_EVENT);
	CHECK_EQ(last.before.level, 3);
	CHECK_EQ(last.after.level, 0);
	/* Left and begun anew, as for a write to the block's own page. */
	begin(&user, 0x1000);
	run_branch(CALL_RAX, 0x1004, 0);
	flow__block(&flow, 0x1004);
	CHECK_EQ(transfers, 0);
	run_branch(CALL_RAX, 0x1004, 0);
	flow__block(&flow, 0x2000);
	CHECK_EQ(transfers, 1);
	CHECK_EQ(last.to, 0x2000);
}

/* The first fetch at the target faults: the branch retired, and then the fault. */
static void check_fault_at_target(void)
{
	begin(&user, 0x1000);
	run_branch(RET, 0x1004, 0);
	interrupt(&user, 0x2000, 0xffffffff81000000);
	CHECK_EQ(transfers, 2);
	CHECK_EQ(last.from, 0x2000);
}

static void check_far(void)
{
	begin(&user, 0x1000);
	run_branch(SYSCALL, 0x1000, 63);
	registers = kernel;
	flow__block(&flow, 0xffffffff81000000);
	CHECK_EQ(transfers, 1);
	CHECK_EQ(last.nr, 63);
	CHECK_EQ(last.before.level, 3);
	CHECK_EQ(last.after.level, 0);
	run_branch(IRETQ, 0xffffffff81000010, 0);
	registers = user32;
	flow__block(&flow, 0x8048000);
	CHECK_EQ(transfers, 2);
	CHECK_EQ(last.after.mode, X86_MODE_32);
	/* An IRET that was interrupted, run by the handler: it returns to itself. */
	run_branch(IRETQ, 0xffffffff81000010, 0);
	registers = kernel;
	flow__block(&flow, 0xffffffff81000010);
	CHECK_EQ(transfers, 3);
	/* Back to user code, which an interrupt stops before its first instruction. */
	begin(&kernel, 0xffffffff81000000);
	run_branch(IRETQ, 0xffffffff81000000, 0);
	interrupt(&user32, 0x8048000, 0xffffffff81000100);
	CHECK_EQ(transfers, 2);
	CHECK_EQ(last.before.level, 3);
	CHECK_EQ(last.before.mode, X86_MODE_32);
	CHECK_EQ(last.after.mode, X86_MODE_64);
}

static void check_software_interrupt(void)
{
	begin(&user32, 0x8048000);
	run_branch(INT80, 0x8048000, 20);
	interrupt(&user32, 0x8048000, 0xffffffff81000100);
	CHECK_EQ(transfers, 1);
	CHECK_EQ(last.kind, FLOW_EVENT);
	CHECK_EQ(last.insn.class, X86_SWINT);
	CHECK_EQ(last.nr, 20);
	/* INTO that does nothing is no branch. */
	begin(&user32, 0x8048000);
	run_branch(INTO, 0x8048000, 4);
	flow__block(&flow, 0x8048001);
	CHECK_EQ(transfers, 0);
}

static void check_cr3(void)
{
	begin(&kernel, 0xffffffff81000000);
	flow__space_write(&flow);
	flow__block(&flow, 0xffffffff81000003);
	CHECK_EQ(cr3_changes, 0); /* the same value again */
	flow__space_write(&flow);
	registers.space = 0x2000;
	flow__block(&flow, 0xffffffff81000006);
	CHECK_EQ(cr3_changes, 1);
	flow__space_write(&flow);
	registers.space = 0x3000;
	flow__event(&flow, 0xffffffff81000009, 0xffffffff81000100, &kernel);
	CHECK_EQ(cr3_changes, 2);
	CHECK_EQ(transfers, 1);
	CHECK_EQ(last.before.space, 0x3000);
}

static void check_loss(void)
{
	begin(&user, 0x1000);
	run_branch(RET, 0x1000, 0);
	flow__lose(&flow);
	flow__block(&flow, 0x5000);
	CHECK_EQ(transfers, 0);
	flow__lose(&flow);
	run_branch(RET, 0x5000, 0);
	flow__event(&flow, 0x5000, 0x6000, NULL);
	CHECK_EQ(transfers, 0);
}

int main(void)
{
	check_conditional();
	check_fault_in_branch();
	check_fault_at_target();
	check_far();
	check_software_interrupt();
	check_cr3();
	check_loss();
	return check__done();
}
