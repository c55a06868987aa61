// SPDX-License-Identifier: GPL-2.0-only
/* Each packet, read back by libipt's packet decoder. */
#include "pt_packet.h"

#include <intel-pt.h>

#include "check.h"

struct stream {
	uint8_t bytes[256];
	size_t size;
};

static struct pt_packet_decoder *decoder;

/* Decodes the packets of a stream that must begin with a PSB, past which it goes. */
static void open_stream(struct stream *stream)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = stream->bytes;
	config.end = stream->bytes + stream->size;
	pt_pkt_free_decoder(decoder);
	decoder = pt_pkt_alloc_decoder(&config);
	CHECK(decoder && pt_pkt_sync_forward(decoder) >= 0);
}

static struct pt_packet next(void)
{
	struct pt_packet packet = {.type = ppt_invalid};

	CHECK(pt_pkt_next(decoder, &packet, sizeof(packet)) > 0);
	return packet;
}

static struct stream begin(void)
{
	struct stream stream = {.size = 0};

	stream.size = pt_packet__psb(stream.bytes);
	return stream;
}

static void put_ip(struct stream *s, enum pt_ip_packet type, uint64_t ip, uint64_t *last)
{
	s->size += pt_packet__ip(s->bytes + s->size, type, ip, last);
}

static void check_simple(void)
{
	struct stream s = begin();

	s.size += pt_packet__psbend(s.bytes + s.size);
	s.size += pt_packet__trace_stop(s.bytes + s.size);
	s.size += pt_packet__overflow(s.bytes + s.size);
	s.size += pt_packet__no_ip(s.bytes + s.size, PT_TIP_PGD);
	open_stream(&s);
	CHECK_EQ(next().type, ppt_psb);
	CHECK_EQ(next().type, ppt_psbend);
	CHECK_EQ(next().type, ppt_stop);
	CHECK_EQ(next().type, ppt_ovf);
	CHECK_EQ(next().type, ppt_tip_pgd);
}

static void check_timing(void)
{
	struct stream s = begin();
	struct pt_packet p;

	s.size += pt_packet__tsc(s.bytes + s.size, 0xab123456789abcdeull);
	s.size += pt_packet__tma(s.bytes + s.size, 0x12345, 0x1ff);
	s.size += pt_packet__mtc(s.bytes + s.size, 0xabc000, 12);
	s.size += pt_packet__cbr(s.bytes + s.size, 10);
	open_stream(&s);
	next();
	CHECK_EQ(next().payload.tsc.tsc, 0x123456789abcdeull);
	p = next();
	CHECK_EQ(p.type, ppt_tma);
	CHECK_EQ(p.payload.tma.ctc, 0x2345);
	CHECK_EQ(p.payload.tma.fc, 0x1ff);
	p = next();
	CHECK_EQ(p.type, ppt_mtc);
	CHECK_EQ(p.payload.mtc.ctc, 0xbc);
	p = next();
	CHECK_EQ(p.type, ppt_cbr);
	CHECK_EQ(p.payload.cbr.ratio, 10);
}

static void check_mode_and_pip(void)
{
	struct stream s = begin();
	struct pt_packet p;

	s.size += pt_packet__mode_exec(s.bytes + s.size, PT_WIDTH_64);
	s.size += pt_packet__mode_exec(s.bytes + s.size, PT_WIDTH_32);
	s.size += pt_packet__mode_exec(s.bytes + s.size, PT_WIDTH_16);
	/* Bit 63 of a written CR3 is no address: it says not to flush the TLB. */
	s.size += pt_packet__pip(s.bytes + s.size, 0x8000000123456fe0ull);
	open_stream(&s);
	next();
	p = next();
	CHECK_EQ(p.type, ppt_mode);
	CHECK_EQ(p.payload.mode.leaf, pt_mol_exec);
	CHECK_EQ(pt_get_exec_mode(&p.payload.mode.bits.exec), ptem_64bit);
	p = next();
	CHECK_EQ(pt_get_exec_mode(&p.payload.mode.bits.exec), ptem_32bit);
	p = next();
	CHECK_EQ(pt_get_exec_mode(&p.payload.mode.bits.exec), ptem_16bit);
	p = next();
	CHECK_EQ(p.type, ppt_pip);
	CHECK_EQ(p.payload.pip.cr3, 0x123456fe0ull);
	CHECK_EQ(p.payload.pip.nr, 0);
}

static void check_tnt(void)
{
	for (unsigned int count = 1; count <= PT_TNT_LONG_MAX; count++) {
		uint64_t bits = 0x5a5a96ff0fcc33ull & ((1ull << count) - 1);
		struct stream s = begin();
		struct pt_packet p;

		/* Bits above count must not leak in. */
		s.size += pt_packet__tnt(s.bytes + s.size, bits | 1ull << count, count);
		open_stream(&s);
		next();
		p = next();
		CHECK_EQ(p.type, count <= PT_TNT_SHORT_MAX ? ppt_tnt_8 : ppt_tnt_64);
		CHECK_EQ(p.payload.tnt.bit_size, count);
		CHECK_EQ(p.payload.tnt.payload, bits);
	}
}

static void check_ip(uint64_t last_ip, uint64_t ip, enum pt_ip_compression how)
{
	struct stream s = begin();
	uint64_t last = last_ip;
	struct pt_packet p;

	put_ip(&s, PT_TIP, ip, &last);
	open_stream(&s);
	next();
	p = next();
	CHECK_EQ(p.type, ppt_tip);
	CHECK_EQ(p.payload.ip.ipc, how);
	CHECK_EQ(last, ip);
	switch (how) {
	case pt_ipc_update_16:
		CHECK_EQ((last_ip & ~0xffffull) | p.payload.ip.ip, ip);
		break;
	case pt_ipc_update_32:
		CHECK_EQ((last_ip & ~0xffffffffull) | p.payload.ip.ip, ip);
		break;
	case pt_ipc_sext_48:
		CHECK_EQ((int64_t)(p.payload.ip.ip << 16) >> 16, ip);
		break;
	case pt_ipc_full:
		CHECK_EQ(p.payload.ip.ip, ip);
		break;
	case pt_ipc_suppressed:
	case pt_ipc_update_48:
		CHECK(false);
		break;
	}
}

static void check_ips(void)
{
	struct stream s = begin();
	uint64_t last = 0;

	check_ip(0, 0x1234, pt_ipc_update_16);
	check_ip(0, 0x401000, pt_ipc_update_32);
	check_ip(0, 0x7fff12345678, pt_ipc_sext_48);
	check_ip(0x7fff12345678, 0xffffffff81000000, pt_ipc_sext_48);
	check_ip(0xffffffff81000000, 0xffffffffc0000000, pt_ipc_update_32);
	check_ip(0xffffffff81000000, 0xffffffff81001234, pt_ipc_update_16);
	check_ip(0, 0x0012345678901234, pt_ipc_full);
	put_ip(&s, PT_FUP, 0x401000, &last);
	put_ip(&s, PT_TIP_PGE, 0x402000, &last);
	put_ip(&s, PT_TIP_PGD, 0x402010, &last);
	open_stream(&s);
	next();
	CHECK_EQ(next().type, ppt_fup);
	CHECK_EQ(next().type, ppt_tip_pge);
	CHECK_EQ(next().type, ppt_tip_pgd);
}

int main(void)
{
	check_simple();
	check_timing();
	check_mode_and_pip();
	check_tnt();
	check_ips();
	pt_pkt_free_decoder(decoder);
	return check__done();
}
