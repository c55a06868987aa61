// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each packet, read back by OpenCSD's packet processor; that of ETMv4, whose packets these are: of ETE's the
 * library's interface for C shows none.
 */
#include "ete_packet.h"

#include <opencsd/c_api/opencsd_c_api.h>

#include "check.h"
#include "ete_registers.h"

#define MAX_PACKETS 64u
#define ETMV4_5_IDR1 0x4100f450u

struct stream {
	uint8_t bytes[512];
	uint32_t size;
	struct ete_history history;
};

static ocsd_etmv4_i_pkt packets[MAX_PACKETS];
static unsigned int count, at;

static ocsd_datapath_resp_t on_packet(const void *context, const ocsd_datapath_op_t op,
				      const ocsd_trc_index_t index, const void *packet)
{
	if (op == OCSD_OP_DATA && count < MAX_PACKETS)
		packets[count++] = *(const ocsd_etmv4_i_pkt *)packet;
	return OCSD_RESP_CONT;
}

static void read_back(const struct stream *s)
{
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ocsd_etmv4_cfg config = {
		.reg_idr0 = ETE_IDR0,
		.reg_idr1 = ETMV4_5_IDR1,
		.reg_idr2 = ETE_IDR2,
		.reg_traceidr = 0x10,
		.arch_ver = ARCH_AA64,
		.core_prof = profile_CortexA,
	};
	uint8_t id;
	uint32_t used;

	count = at = 0;
	CHECK(!ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_PACKET_PROC, &config,
				      &id));
	CHECK(!ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_SINK, (void *)on_packet, NULL));
	CHECK_EQ(ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, s->size, s->bytes, &used), OCSD_RESP_CONT);
	CHECK_EQ(used, s->size);
	ocsd_destroy_dcd_tree(tree);
}

static const ocsd_etmv4_i_pkt *next(ocsd_etmv4_i_pkt_type type)
{
	static const ocsd_etmv4_i_pkt none;

	if (!CHECK(at < count))
		return &none;
	CHECK_EQ(packets[at].type, type);
	return &packets[at++];
}

static struct stream begin(void)
{
	struct stream s = {.size = 0};

	s.size += ete_packet__async(s.bytes);
	s.size += ete_packet__trace_info(s.bytes + s.size, &s.history);
	return s;
}

static void read_begin(const struct stream *s)
{
	read_back(s);
	next(ETM4_PKT_I_ASYNC);
	CHECK_EQ(next(ETM4_PKT_I_TRACE_INFO)->trace_info.val, 0);
}

static void check_simple(void)
{
	struct stream s = begin();

	s.size += ete_packet__trace_on(s.bytes + s.size);
	s.bytes[s.size++] = ETE_IGNORE;
	s.size += ete_packet__trace_on(s.bytes + s.size);
	read_begin(&s);
	next(ETM4_PKT_I_TRACE_ON);
	next(ETM4_PKT_I_IGNORE);
	next(ETM4_PKT_I_TRACE_ON);
	CHECK_EQ(count, at);
}

/* Whatever the atoms, together the packets tell all of them, in order. */
static void check_atoms(uint32_t atoms, unsigned int total)
{
	struct stream s = begin();
	uint32_t back = 0;
	unsigned int done = 0, told;

	while (done < total) {
		/* Bits above the count must not leak in. */
		s.size += ete_packet__atoms(s.bytes + s.size, atoms >> done, total - done, &told);
		CHECK(told && told <= total - done);
		done += told;
	}
	read_begin(&s);
	for (done = 0; at < count; done += packets[at++].atom.num)
		back |= packets[at].atom.En_bits << done;
	CHECK_EQ(done, total);
	CHECK_EQ(back, atoms & ((1u << total) - 1));
}

static void check_all_atoms(void)
{
	uint32_t random = 12345;

	for (unsigned int total = 1; total <= 8; total++)
		for (uint32_t atoms = 0; atoms < 256; atoms++)
			check_atoms(atoms, total);
	for (unsigned int total = 9; total <= ETE_ATOMS_MAX; total++) {
		check_atoms(UINT32_MAX, total);
		check_atoms(UINT32_MAX >> (33 - total), total);
		for (unsigned int i = 0; i < 20; i++)
			check_atoms(random = random * 1664525 + 1013904223, total);
	}
}

static void put_address(struct stream *s, uint64_t address)
{
	s->size += ete_packet__address(s->bytes + s->size, &s->history, address);
}

static void check_addresses(void)
{
	static const struct {
		uint64_t address;
		ocsd_etmv4_i_pkt_type type;
	} wanted[] = {
		{0x0000aaaacccc1230, ETM4_PKT_I_ADDR_L_64IS0}, {0xffff800080000000, ETM4_PKT_I_ADDR_L_64IS0},
		{0xffff8000800001fc, ETM4_PKT_I_ADDR_S_IS0},   {0xffff80008001fffc, ETM4_PKT_I_ADDR_S_IS0},
		{0xffff8000f0020000, ETM4_PKT_I_ADDR_L_32IS0}, {0xffff80008001fffc, ETM4_PKT_I_ADDR_MATCH},
		{0xffff80008001fffc, ETM4_PKT_I_ADDR_MATCH},   {0xffff8000f0020000, ETM4_PKT_I_ADDR_MATCH},
		{0xffff8000800001fc, ETM4_PKT_I_ADDR_L_32IS0}, {0xffff80008001fffc, ETM4_PKT_I_ADDR_MATCH},
		{0x0000ffffffffff00, ETM4_PKT_I_ADDR_L_64IS0},
	};
	const unsigned int total = sizeof(wanted) / sizeof(wanted[0]);
	const struct ete_context kernel = {.level = 1};
	struct stream s = begin();

	s.size += ete_packet__context(s.bytes + s.size, &kernel);
	for (unsigned int i = 0; i < total; i++)
		put_address(&s, wanted[i].address);
	read_begin(&s);
	next(ETM4_PKT_I_CTXT);
	for (unsigned int i = 0; i < total; i++)
		CHECK_EQ(next(wanted[i].type)->v_addr.val, wanted[i].address);
}

static void check_contexts(void)
{
	const struct ete_context user = {.level = 0, .has_id = true, .id = 0x12345678}, kernel = {.level = 1};
	struct stream s = begin();
	const ocsd_etmv4_i_pkt *p;

	s.size += ete_packet__address_context(s.bytes + s.size, &s.history, 0x0000aaaacccc1230, &user);
	s.size += ete_packet__context(s.bytes + s.size, &kernel);
	put_address(&s, 0x0000aaaacccc1230);
	s.size += ete_packet__context(s.bytes + s.size, &user);
	read_begin(&s);
	p = next(ETM4_PKT_I_ADDR_CTXT_L_64IS0);
	CHECK_EQ(p->v_addr.val, 0x0000aaaacccc1230);
	CHECK_EQ(p->context.EL, 0);
	CHECK(p->context.SF && p->context.NS);
	CHECK(p->context.updated_c);
	CHECK_EQ(p->context.ctxtID, 0x12345678);
	p = next(ETM4_PKT_I_CTXT);
	CHECK_EQ(p->context.EL, 1);
	CHECK(!p->context.updated_c);
	next(ETM4_PKT_I_ADDR_MATCH);
	CHECK_EQ(next(ETM4_PKT_I_CTXT)->context.ctxtID, 0x12345678);
}

static void check_exceptions(void)
{
	struct stream s = begin();
	const ocsd_etmv4_i_pkt *p;

	s.size += ete_packet__exception(s.bytes + s.size, ETE_EXC_CALL);
	put_address(&s, 0x400100);
	s.size += ete_packet__exception(s.bytes + s.size, ETE_EXC_IRQ);
	put_address(&s, 0x400104);
	read_begin(&s);
	p = next(ETM4_PKT_I_EXCEPT);
	CHECK_EQ(p->exception_info.exceptionType, 2);
	CHECK_EQ(p->exception_info.addr_interp, 1);
	CHECK_EQ(next(ETM4_PKT_I_ADDR_L_64IS0)->v_addr.val, 0x400100);
	p = next(ETM4_PKT_I_EXCEPT);
	CHECK_EQ(p->exception_info.exceptionType, 14);
	CHECK_EQ(p->exception_info.addr_interp, 1);
	next(ETM4_PKT_I_ADDR_S_IS0);
}

static void check_timestamps(void)
{
	static const uint64_t stamps[] = {
		5,
		127,
		128,
		0x123456789abc,
		0x123456789abd,
		1u << 21,
		UINT64_MAX,
		0x00ffffffffffffff,
		0x80ffffffffffffff,
		0x80ffffffffffffff,
	};
	const unsigned int total = sizeof(stamps) / sizeof(stamps[0]);
	struct stream s = begin();

	for (unsigned int i = 0; i < total; i++)
		s.size += ete_packet__timestamp(s.bytes + s.size, &s.history, stamps[i]);
	read_begin(&s);
	for (unsigned int i = 0; i < total; i++)
		CHECK_EQ(next(ETM4_PKT_I_TIMESTAMP)->ts.timestamp, stamps[i]);
	CHECK_EQ(ete_packet__timestamp(s.bytes, &s.history, stamps[total - 1] ^ 1), 2);
}

int main(void)
{
	check_simple();
	check_all_atoms();
	check_addresses();
	check_contexts();
	check_exceptions();
	check_timestamps();
	return check__done();
}
