// SPDX-License-Identifier: GPL-2.0-only
/* A program that never ran is traced, and decoded by OpenCSD; and the registers as Linux' drivers use them. */
#include "ete_unit.h"

#include <opencsd/c_api/opencsd_c_api.h>

#include "check.h"

#define BUFFER 0xffff800010000000ull
#define SIZE 0x4000u
#define USER 0x0000aaaa00001000ull
#define KERNEL 0xffff800080000000ull
#define CODE 0x1000u

#define TRC_SYSREG(number) A64_SYSREG(2, 1, (number) >> 7, (number)&15, (number) >> 4 & 7)
#define TRBE_SYSREG(which) A64_SYSREG(3, 0, 9, 11, which)
#define TRFCR_SYSREG A64_SYSREG(3, 0, 1, 2, 1)

#define RET 0xd65f03c0u
#define ERET 0xd69f03e0u
#define ISB 0xd5033fdfu
#define NOP 0xd503201fu
#define BL_8 0x94000002u    /* bl . + 8 */
#define B_EQ_16 0x54000080u /* b.eq . + 16 */

static struct ete_unit *unit;
static uint8_t memory[SIZE];
static uint32_t user_code[CODE / 4], kernel_code[CODE / 4];
static uint64_t now;
static bool irq;
static unsigned int irqs;

static uint64_t read_clock(void *opaque)
{
	return now += 100;
}

static void set_irq(void *opaque, bool asserted)
{
	irqs += asserted && !irq;
	irq = asserted;
}

static int write_memory(void *opaque, uint64_t address, const void *from, size_t size)
{
	if (!CHECK(address >= BUFFER && address + size <= BUFFER + SIZE))
		return -1;
	memcpy(memory + (address - BUFFER), from, size);
	return 0;
}

static bool sink_open;
static size_t sink_size;

static bool sink_accepts(void *opaque)
{
	return sink_open;
}

static void sink_write(void *opaque, uint8_t id, const void *from, size_t size)
{
	CHECK_EQ(id, 0x12);
	if (CHECK(sink_size + size <= SIZE))
		memcpy(memory + sink_size, from, size);
	sink_size += size;
}

static struct ete_unit_ops ops = {.clock = read_clock,
				  .irq = set_irq,
				  .write = write_memory,
				  .sink_accepts = sink_accepts,
				  .sink_write = sink_write};

static const struct flow_context user = {.space = 77, .level = 0, .mode = A64_MODE_64};
static const struct flow_context user32 = {.space = 77, .level = 0, .mode = A64_MODE_32};
static const struct flow_context kernel = {.space = 77, .level = 1, .mode = A64_MODE_64};
static const struct flow_context other = {.space = 78, .level = 1, .mode = A64_MODE_64};

static uint64_t get(uint16_t sysreg)
{
	uint64_t value = 0;

	CHECK(!ete_unit__read(unit, sysreg, &value));
	return value;
}

static void set(uint16_t sysreg, uint64_t value)
{
	CHECK(!ete_unit__write(unit, sysreg, value));
}

static void enable_buffer(uint64_t pointer, uint64_t limit, uint64_t mode)
{
	set(TRBE_SYSREG(TRBE_LIMITR), 0);
	set(TRBE_SYSREG(TRBE_SR), 0);
	set(TRBE_SYSREG(TRBE_BASER), BUFFER);
	set(TRBE_SYSREG(TRBE_PTR), BUFFER + pointer);
	set(TRBE_SYSREG(TRBE_LIMITR), (BUFFER + limit) | mode | TRBLIMITR_E);
}

/* On as Linux' drivers do it: the buffer, the unit's registers, what may be traced, the unit. */
static void begin(uint64_t trfcr, uint64_t config, uint64_t filter)
{
	ete_unit__free(unit);
	unit = ete_unit__new(&ops, NULL);
	memset(memory, 0, sizeof(memory));
	now = 1000000;
	irq = false;
	irqs = 0;
	enable_buffer(0, SIZE, TRBLIMITR_FM_FILL);
	set(TRC_SYSREG(TRCCONFIGR), config);
	set(TRC_SYSREG(TRCSYNCPR), 8);
	set(TRC_SYSREG(TRCVIIECTLR), filter);
	set(TRFCR_SYSREG, trfcr);
	CHECK(!ete_unit__triggered(unit));
	set(TRC_SYSREG(TRCPRGCTLR), TRCPRGCTLR_EN);
	CHECK(ete_unit__triggered(unit));
}

static uint32_t *code_at(uint64_t address)
{
	return address >> 63 ? &kernel_code[(address - KERNEL) / 4] : &user_code[(address - USER) / 4];
}

static void transfer(enum flow_kind kind, uint64_t from, uint64_t to, const struct flow_context *before,
		     const struct flow_context *after, enum ete_exception exception)
{
	struct flow_transfer t = {.kind = kind, .from = from, .next = from + 4, .to = to};

	t.before = *before;
	t.after = *after;
	if (kind == FLOW_BRANCH)
		insn__classify(*code_at(from), &t.insn);
	t.taken = !insn__is_conditional(&t.insn) || to != from + 4;
	ete_unit__transfer(unit, &t, exception);
}

static void branch(uint64_t from, uint64_t to, const struct flow_context *context)
{
	transfer(FLOW_BRANCH, from, to, context, context, 0);
}

static void event(uint64_t from, uint64_t to, enum ete_exception exception)
{
	transfer(FLOW_EVENT, from, to, from >> 63 ? &kernel : &user, &kernel, exception);
}

/* What a decoder makes of the buffer. */
#define MAX_ELEMENTS 4096u

static ocsd_generic_trace_elem elements[MAX_ELEMENTS];
static unsigned int count, at;
static bool waits; /* after each range the decoder is told to */

static ocsd_datapath_resp_t on_element(const void *context, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *element)
{
	if (count < MAX_ELEMENTS)
		elements[count++] = *element;
	return waits && element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE ? OCSD_RESP_WAIT : OCSD_RESP_CONT;
}

static uint32_t read_code(const void *context, const ocsd_vaddr_t address, const ocsd_mem_space_acc_t space,
			  const uint32_t size, uint8_t *bytes)
{
	/* More may be asked for than the one instruction. */
	uint32_t left = (uint32_t)(CODE - address % CODE), given = size < left ? size : left;

	memcpy(bytes, code_at(address), given);
	return given;
}

/* One for all, and never destroyed: the library would leave its own callback behind. */
static dcd_tree_handle_t make_decoder(void)
{
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ocsd_ete_cfg config = {
		.reg_idr0 = (uint32_t)get(TRC_SYSREG(TRCIDR0)),
		.reg_idr1 = (uint32_t)get(TRC_SYSREG(TRCIDR1)),
		.reg_idr2 = (uint32_t)get(TRC_SYSREG(TRCIDR2)),
		.reg_idr8 = (uint32_t)get(TRC_SYSREG(TRCIDR8)),
		.reg_devarch = (uint32_t)get(TRC_SYSREG(TRCDEVARCH)),
		.reg_configr = TRCCONFIGR_CID | TRCCONFIGR_TS,
		.reg_traceidr = 0x10,
		.arch_ver = ARCH_AA64,
		.core_prof = profile_CortexA,
	};
	uint8_t id;

	CHECK(!ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER, &config,
				      &id));
	CHECK(!ocsd_dt_set_gen_elem_outfn(tree, on_element, NULL));
	CHECK(!ocsd_dt_add_callback_mem_acc(tree, USER, USER + CODE - 1, OCSD_MEM_SPACE_ANY, read_code,
					    NULL));
	CHECK(!ocsd_dt_add_callback_mem_acc(tree, KERNEL, KERNEL + CODE - 1, OCSD_MEM_SPACE_ANY, read_code,
					    NULL));
	return tree;
}

static dcd_tree_handle_t reset_decoder(void)
{
	static dcd_tree_handle_t tree;

	if (!tree)
		tree = make_decoder();
	count = at = 0;
	CHECK_EQ(ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, NULL), OCSD_RESP_CONT);
	return tree;
}

static void decode(uint64_t from, uint64_t to)
{
	uint32_t used;

	CHECK_EQ(ocsd_dt_process_data(reset_decoder(), OCSD_OP_DATA, 0, (uint32_t)(to - from), memory + from,
				      &used),
		 OCSD_RESP_CONT);
	CHECK_EQ(used, to - from);
}

static void end(void)
{
	set(TRFCR_SYSREG, 0);
	set(TRC_SYSREG(TRCPRGCTLR), 0);
	decode(0, get(TRBE_SYSREG(TRBE_PTR)) - BUFFER);
}

/* The next element of this type; others, of types that are not looked for, are passed over. */
static const ocsd_generic_trace_elem *next(ocsd_gen_trc_elem_t type)
{
	static const ocsd_generic_trace_elem none;

	while (at < count && elements[at].elem_type != type) {
		ocsd_gen_trc_elem_t found = elements[at].elem_type;

		CHECK(found == OCSD_GEN_TRC_ELEM_PE_CONTEXT || found == OCSD_GEN_TRC_ELEM_TIMESTAMP ||
		      found == OCSD_GEN_TRC_ELEM_NO_SYNC || found == OCSD_GEN_TRC_ELEM_EXCEPTION_RET);
		at++;
	}
	return CHECK(at < count) ? &elements[at++] : &none;
}

static void range(uint64_t start, uint64_t end, bool taken)
{
	const ocsd_generic_trace_elem *e = next(OCSD_GEN_TRC_ELEM_INSTR_RANGE);

	CHECK_EQ(e->st_addr, start);
	CHECK_EQ(e->en_addr, end);
	CHECK_EQ(e->last_instr_exec, taken);
}

static void no_more_ranges(void)
{
	for (; at < count; at++)
		CHECK(elements[at].elem_type != OCSD_GEN_TRC_ELEM_INSTR_RANGE);
}

static void fill_code(void)
{
	for (unsigned int i = 0; i < CODE / 4; i++)
		user_code[i] = kernel_code[i] = NOP;
	user_code[2] = B_EQ_16;
	user_code[4] = BL_8;
	user_code[6] = RET;
	kernel_code[3] = ISB;
	kernel_code[5] = ERET;
}

static void check_user(void)
{
	begin(TRFCR_E0TRE, 0, 0);
	ete_unit__at(unit, USER, &user);
	branch(USER + 8, USER + 12, &user);  /* not taken */
	branch(USER + 16, USER + 24, &user); /* the call */
	branch(USER + 24, USER, &user);
	branch(USER + 8, USER + 24, &user);
	event(USER + 24, KERNEL, ETE_EXC_IRQ);
	ete_unit__at(unit, KERNEL + 4, &kernel);
	transfer(FLOW_BRANCH, KERNEL + 20, USER + 24, &kernel, &user, 0);
	branch(USER + 24, USER, &user);
	end();
	next(OCSD_GEN_TRC_ELEM_TRACE_ON);
	range(USER, USER + 12, false);
	range(USER + 12, USER + 20, true);
	range(USER + 24, USER + 28, true);
	range(USER, USER + 12, true);
	CHECK_EQ(next(OCSD_GEN_TRC_ELEM_EXCEPTION)->exception_number, ETE_EXC_IRQ);
	next(OCSD_GEN_TRC_ELEM_TRACE_ON);
	range(USER + 24, USER + 28, true);
	no_more_ranges();
	CHECK_EQ(irqs, 0);
}

static void check_kernel_and_contexts(void)
{
	begin(TRFCR_E0TRE | TRFCR_E1TRE, TRCCONFIGR_CID | TRCCONFIGR_TS, 0);
	ete_unit__at(unit, USER, &user);
	event(USER + 4, KERNEL, ETE_EXC_CALL);
	/* The space changes, the ISB makes it count. */
	ete_unit__space(unit, KERNEL + 8, &other);
	transfer(FLOW_BRANCH, KERNEL + 12, KERNEL + 16, &other, &other, 0);
	event(KERNEL + 20, KERNEL + 0x200, ETE_EXC_DATA_FAULT);
	end();
	next(OCSD_GEN_TRC_ELEM_TRACE_ON);
	CHECK_EQ(elements[at].elem_type, OCSD_GEN_TRC_ELEM_PE_CONTEXT);
	CHECK_EQ(elements[at].context.context_id, 77);
	range(USER, USER + 4, true);
	CHECK_EQ(next(OCSD_GEN_TRC_ELEM_EXCEPTION)->exception_number, ETE_EXC_CALL);
	range(KERNEL, KERNEL + 16, true);
	CHECK_EQ(elements[at].elem_type, OCSD_GEN_TRC_ELEM_PE_CONTEXT);
	CHECK_EQ(elements[at].context.context_id, 78);
	CHECK_EQ(elements[at].context.exception_level, ocsd_EL1);
	range(KERNEL + 16, KERNEL + 20, true);
	CHECK_EQ(next(OCSD_GEN_TRC_ELEM_EXCEPTION)->en_addr, KERNEL + 20);
}

static void check_timestamps(void)
{
	uint64_t last = 1000000;
	unsigned int stamps = 0;

	begin(TRFCR_E0TRE, TRCCONFIGR_TS, 0);
	ete_unit__at(unit, USER, &user);
	for (unsigned int i = 0; i < 100; i++)
		branch(USER + 24, USER + 24, &user);
	end();
	for (unsigned int i = 0; i < count; i++) {
		if (elements[i].elem_type != OCSD_GEN_TRC_ELEM_TIMESTAMP)
			continue;
		CHECK(elements[i].timestamp > last && elements[i].timestamp <= now);
		last = elements[i].timestamp;
		stamps++;
	}
	CHECK(stamps >= 10 && stamps <= 12); /* one per microsecond */
}

/* From any synchronization on a decoder knows where it is, and sees all branches. */
static void check_synchronization(void)
{
	unsigned int starts = 0;
	uint64_t size;

	begin(TRFCR_E0TRE, 0, 0);
	ete_unit__at(unit, USER, &user);
	for (unsigned int i = 0; i < 2000; i++)
		branch(USER + 24, USER + 24 - 4 * (i % 2), &user);
	set(TRFCR_SYSREG, 0);
	size = get(TRBE_SYSREG(TRBE_PTR)) - BUFFER;
	CHECK(size > 1024);
	for (uint64_t i = 0; i + 12 < size; i++) {
		if (memcmp(memory + i, "\0\0\0\0\0\0\0\0\0\0\0\x80\1", 13) != 0)
			continue;
		starts++;
		decode(i, size);
		if (!i)
			next(OCSD_GEN_TRC_ELEM_TRACE_ON);
		while (at < count)
			next(OCSD_GEN_TRC_ELEM_INSTR_RANGE);
	}
	CHECK(starts >= size / 300);
}

/* How often the buffer's trace has what a decoder can begin with. */
static unsigned int count_syncs(void)
{
	uint64_t size = get(TRBE_SYSREG(TRBE_PTR)) - BUFFER;
	unsigned int syncs = 0;

	for (uint64_t i = 0; i + 12 < size; i++)
		syncs += !memcmp(memory + i, "\0\0\0\0\0\0\0\0\0\0\0\x80\1", 13);
	return syncs;
}

/* It says behind which branches it did that, and how many of these were direct ones; returns how many all were. */
static unsigned int check_resynced(unsigned int *direct)
{
	unsigned int syncs = 0;

	begin(TRFCR_E0TRE, TRCCONFIGR_TS, 0);
	ete_unit__at(unit, USER, &user);
	for (unsigned int i = 0; i < 500; i++) {
		branch(USER + 16, USER + 24, &user);
		*direct += ete_unit__resynced(unit);
		syncs += ete_unit__resynced(unit);
		branch(USER + 24, USER + 8 * (i % 3), &user);
		syncs += ete_unit__resynced(unit);
		branch(USER + 8, USER + 12, &user); /* not taken */
		*direct += ete_unit__resynced(unit);
		syncs += ete_unit__resynced(unit);
	}
	set(TRFCR_SYSREG, 0);
	CHECK_EQ(count_syncs(), syncs + 1); /* it began with one */
	return syncs;
}

/* Periods that software has not asked for. */
static void check_own_periods(void)
{
	unsigned int direct = 0, usual = check_resynced(&direct), stamps = 0;

	ops.sync_period = 6;
	CHECK(check_resynced(&direct) > 3 * usual);
	CHECK(direct > 0);
	ops.sync_period = 0;
	ops.time_period = 20000;
	begin(TRFCR_E0TRE, TRCCONFIGR_TS, 0);
	ete_unit__at(unit, USER, &user);
	for (unsigned int i = 0; i < 100; i++) /* the clock is read at each, and moves on by 100 */
		branch(USER + 24, USER + 24, &user);
	end();
	for (unsigned int i = 0; i < count; i++)
		stamps += elements[i].elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP;
	CHECK_EQ(stamps, 1);
	ops.time_period = 0;
}

/* As perf takes a piece of trace: it stops at each range, and goes on while there are bytes. */
static unsigned int ranges_of_perf(uint64_t size)
{
	ocsd_datapath_resp_t response = OCSD_RESP_CONT;
	dcd_tree_handle_t tree = reset_decoder();
	unsigned int ranges = 0;

	waits = true;
	for (uint32_t i = 0, used = 0; i < size; i += used, used = 0) {
		if (OCSD_DATA_RESP_IS_WAIT(response))
			response = ocsd_dt_process_data(tree, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
		else
			response = ocsd_dt_process_data(tree, OCSD_OP_DATA, i, (uint32_t)size - i, memory + i,
							&used);
		if (!CHECK(OCSD_DATA_RESP_IS_WAIT(response) || OCSD_DATA_RESP_IS_CONT(response)))
			break;
	}
	waits = false;
	for (unsigned int i = 0; i < count; i++)
		ranges += elements[i].elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE;
	return ranges;
}

/* perf shows only the first branch of the last packet, so the unit puts no second one into it. */
static void check_end_for_perf(void)
{
	begin(TRFCR_E0TRE, 0, 0);
	ete_unit__at(unit, USER, &user);
	branch(USER + 8, USER + 12, &user);
	branch(USER + 16, USER + 24, &user);
	set(TRFCR_SYSREG, 0);
	CHECK_EQ(ranges_of_perf(get(TRBE_SYSREG(TRBE_PTR)) - BUFFER), 2);
}

static void check_levels_and_modes(void)
{
	begin(TRFCR_E0TRE | TRFCR_E1TRE, 0, 0);
	set(TRC_SYSREG(TRCVICTLR), 1u << 20); /* without EL0 */
	ete_unit__at(unit, USER, &user);
	branch(USER + 24, USER, &user);
	event(USER, KERNEL + 16, ETE_EXC_IRQ);
	transfer(FLOW_BRANCH, KERNEL + 20, USER, &kernel, &user, 0);
	branch(USER + 24, USER, &user);
	end();
	next(OCSD_GEN_TRC_ELEM_TRACE_ON);
	range(KERNEL + 16, KERNEL + 24, true);
	no_more_ranges();
	begin(TRFCR_E0TRE, 0, 0);
	ete_unit__at(unit, USER, &user32);
	branch(USER + 24, USER, &user32);
	set(TRFCR_SYSREG, 0);
	CHECK_EQ(get(TRBE_SYSREG(TRBE_PTR)), BUFFER);
}

static void check_filter(void)
{
	begin(TRFCR_E0TRE, 0, 1u << 1);
	set(TRC_SYSREG(TRCACVR0 + 4), USER + 24);
	set(TRC_SYSREG(TRCACVR0 + 6), USER + 28);
	ete_unit__at(unit, USER, &user);
	branch(USER + 16, USER + 24, &user);
	branch(USER + 24, USER, &user);
	branch(USER + 8, USER + 12, &user);
	end();
	next(OCSD_GEN_TRC_ELEM_TRACE_ON);
	range(USER + 24, USER + 28, true);
	no_more_ranges();
}

/* A buffer that is full has whole branches alone in it; after the interrupt the next part begins. */
static void check_full(void)
{
	unsigned int told = 0, branches = 0;

	begin(TRFCR_E0TRE, 0, 0);
	enable_buffer(0x2f00, 0x3000, TRBLIMITR_FM_FILL);
	ete_unit__at(unit, USER, &user);
	for (; ete_unit__triggered(unit) && branches < 1000; branches++)
		branch(USER + 24, USER + 24 - 4 * (branches % 2), &user);
	CHECK(!ete_unit__triggered(unit) && irq);
	CHECK_EQ(irqs, 1);
	branch(USER + 24, USER, &user); /* not traced */
	set(TRFCR_SYSREG, 0);
	set(TRBE_SYSREG(TRBE_LIMITR), BUFFER + 0x3000);
	CHECK_EQ(get(TRBE_SYSREG(TRBE_PTR)), BUFFER);
	CHECK_EQ(get(TRBE_SYSREG(TRBE_SR)), TRBSR_IRQ | TRBSR_S | TRBSR_WRAP | TRBSR_BSC_FILLED);
	CHECK_EQ(memory[0x2fff], ETE_IGNORE);
	CHECK_EQ(memory[0x3000], 0);
	decode(0x2f00, 0x3000);
	for (unsigned int i = 0; i < count; i++)
		told += elements[i].elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE;
	CHECK_EQ(told, branches);
	enable_buffer(0, 0x3000, TRBLIMITR_FM_FILL);
	CHECK(!irq);
	set(TRFCR_SYSREG, TRFCR_E0TRE);
	ete_unit__at(unit, USER + 24, &user);
	branch(USER + 24, USER, &user);
	end();
	next(OCSD_GEN_TRC_ELEM_TRACE_ON);
	range(USER + 24, USER + 28, true);
	no_more_ranges();
}

/* Without the CPU's own buffer the trace goes to the other sink, if that takes it. */
static void check_other_sink(void)
{
	begin(TRFCR_E0TRE, 0, 0);
	set(TRC_SYSREG(TRCPRGCTLR), 0);
	set(TRBE_SYSREG(TRBE_LIMITR), 0);
	set(TRC_SYSREG(TRCTRACEIDR), 0x12);
	set(TRC_SYSREG(TRCPRGCTLR), TRCPRGCTLR_EN);
	CHECK(!ete_unit__triggered(unit));
	set(TRC_SYSREG(TRCPRGCTLR), 0);
	sink_open = true;
	sink_size = 0;
	set(TRC_SYSREG(TRCPRGCTLR), TRCPRGCTLR_EN);
	CHECK(ete_unit__triggered(unit));
	ete_unit__at(unit, USER + 24, &user);
	for (unsigned int i = 0; i < 3000; i++)
		branch(USER + 24, USER + 24 - 4 * (i % 2), &user);
	set(TRFCR_SYSREG, 0);
	CHECK(sink_size > 2 * 1024);
	CHECK_EQ(ete_unit__written(unit), sink_size);
	decode(0, sink_size);
	next(OCSD_GEN_TRC_ELEM_TRACE_ON);
	for (unsigned int i = 0; i < 3000; i++)
		range(USER + 24 - 4 * (i && i % 2 == 0), USER + 28, true);
	sink_open = false;
}

static void check_registers(void)
{
	begin(TRFCR_E0TRE, 0, 0);
	CHECK_EQ(get(TRC_SYSREG(TRCSTATR)), 0);
	set(TRC_SYSREG(TRCPRGCTLR), 0);
	CHECK_EQ(get(TRC_SYSREG(TRCSTATR)), TRCSTATR_IDLE | TRCSTATR_PMSTABLE);
	set(TRC_SYSREG(TRCIDR0), 0);
	CHECK(get(TRC_SYSREG(TRCIDR0)) != 0);
	CHECK_EQ(get(TRC_SYSREG(TRCCLAIMCLR)), 0);
	set(TRC_SYSREG(TRCCLAIMSET), 2);
	set(TRC_SYSREG(TRCCLAIMSET), 1);
	CHECK_EQ(get(TRC_SYSREG(TRCCLAIMCLR)), 3);
	set(TRC_SYSREG(TRCCLAIMCLR), 2);
	CHECK_EQ(get(TRC_SYSREG(TRCCLAIMCLR)), 1);
	CHECK_EQ(get(TRC_SYSREG(TRCCLAIMSET)), 15);
	CHECK(ete_unit__write(unit, A64_SYSREG(3, 0, 13, 0, 1), 0) < 0);
	CHECK(ete_unit__read(unit, A64_SYSREG(2, 0, 1, 0, 4), &now) < 0); /* OSLAR_EL1 */
}

int main(void)
{
	fill_code();
	check_user();
	check_kernel_and_contexts();
	check_timestamps();
	check_synchronization();
	check_own_periods();
	check_end_for_perf();
	check_levels_and_modes();
	check_filter();
	check_full();
	check_other_sink();
	check_registers();
	ete_unit__free(unit);
	return check__done();
}
