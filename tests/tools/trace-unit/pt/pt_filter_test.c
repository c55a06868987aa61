// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the filters let through: the CR3 filter and TraceStop, which no driver of Linux uses. The packets are
 * read by libipt's packet decoder.
 */
#include "pt_unit.h"

#include <intel-pt.h>

#include "check.h"
#include "pt_msr.h"

#define TRACE_BASE 0x400000u
#define TRACE_SIZE 4096u
#define KERNEL_IP 0xffffffff81000000ull
#define THIS_CR3 0x2000u
#define OTHER_CR3 0x1000u

static uint8_t trace[TRACE_SIZE];
static size_t trace_end;

/* ToPA: one region of 4 KiB, and a STOP behind it. */
static int read_memory(void *opaque, uint64_t address, void *to, size_t size)
{
	const uint64_t entry = TRACE_BASE | TOPA_STOP;

	memcpy(to, &entry, size);
	return size == sizeof(entry) ? 0 : -1;
}

static int write_memory(void *opaque, uint64_t address, const void *from, size_t size)
{
	address -= TRACE_BASE;
	if (address + size > TRACE_SIZE)
		return -1;
	memcpy(trace + address, from, size);
	trace_end = address + size;
	return 0;
}

static uint64_t read_tsc(void *opaque)
{
	return 1;
}

static void no_pmi(void *opaque)
{
}

static const struct pt_unit_ops unit_ops = {
	.memory = {.read = read_memory, .write = write_memory},
	.tsc = read_tsc,
	.pmi = no_pmi,
};

static struct flow_context kernel(uint64_t cr3)
{
	return (struct flow_context){.space = cr3, .mode = X86_MODE_64};
}

static void write_msr(struct pt_unit *unit, uint32_t msr, uint64_t value)
{
	struct flow_context context = kernel(OTHER_CR3);

	CHECK_EQ(pt_unit__write_msr(unit, msr, value, KERNEL_IP, &context), 0);
}

static struct pt_unit *new_unit(void)
{
	struct pt_unit *unit = pt_unit__new(&unit_ops, NULL);

	trace_end = 0;
	write_msr(unit, MSR_RTIT_OUTPUT_BASE, 0x1000);
	write_msr(unit, MSR_RTIT_OUTPUT_MASK_PTRS, 0x7f);
	return unit;
}

static void jump(struct pt_unit *unit, uint64_t from, uint64_t to, const struct flow_context *context)
{
	struct flow_transfer t = {
		.kind = FLOW_BRANCH,
		.insn = {.class = X86_IND_JMP, .length = 2},
		.from = from,
		.next = from + 2,
		.to = to,
		.taken = true,
		.before = *context,
		.after = *context,
	};

	pt_unit__transfer(unit, &t);
	pt_unit__at(unit, to, context);
}

/* The packets that matter, a letter each: E PGE, D PGD, T TIP, S TraceStop; their addresses' low bits in
 * @ips. */
static size_t read_packets(char *letters, uint64_t *ips)
{
	struct pt_packet_decoder *decoder;
	struct pt_config config;
	struct pt_packet packet;
	size_t n = 0;

	pt_config_init(&config);
	config.begin = trace;
	config.end = trace + trace_end;
	decoder = pt_pkt_alloc_decoder(&config);
	if (pt_pkt_sync_forward(decoder) >= 0) {
		while (pt_pkt_next(decoder, &packet, sizeof(packet)) > 0) {
			const char letter = packet.type == ppt_tip_pge	 ? 'E'
					    : packet.type == ppt_tip_pgd ? 'D'
					    : packet.type == ppt_tip	 ? 'T'
					    : packet.type == ppt_stop	 ? 'S'
									 : 0;

			if (!letter)
				continue;
			ips[n] = letter == 'S' ? 0 : packet.payload.ip.ip & 0xffff;
			letters[n++] = letter;
		}
	}
	letters[n] = '\0';
	pt_pkt_free_decoder(decoder);
	return n;
}

static const uint64_t all =
	RTIT_CTL_TRACEEN | RTIT_CTL_TOPA | RTIT_CTL_OS | RTIT_CTL_USER | RTIT_CTL_BRANCHEN;

static void test_cr3_filter(void)
{
	struct flow_context other = kernel(OTHER_CR3), this = kernel(THIS_CR3);
	struct pt_unit *unit = new_unit();
	char letters[TRACE_SIZE];
	uint64_t ips[TRACE_SIZE];

	write_msr(unit, MSR_RTIT_CR3_MATCH, THIS_CR3);
	write_msr(unit, MSR_RTIT_CTL, all | RTIT_CTL_CR3FILTER);
	pt_unit__at(unit, KERNEL_IP + 0x10, &other);
	jump(unit, KERNEL_IP + 0x10, KERNEL_IP + 0x20, &other);
	pt_unit__cr3(unit, KERNEL_IP + 0x30, &this);
	jump(unit, KERNEL_IP + 0x30, KERNEL_IP + 0x40, &this);
	pt_unit__cr3(unit, KERNEL_IP + 0x50, &other);
	jump(unit, KERNEL_IP + 0x50, KERNEL_IP + 0x60, &other);
	write_msr(unit, MSR_RTIT_CTL, 0);
	CHECK_EQ(read_packets(letters, ips), 3);
	CHECK_STREQ(letters, "ETD");
	CHECK_EQ(ips[0], 0x30);
	CHECK_EQ(ips[1], 0x40);
	pt_unit__free(unit);
}

static void test_trace_stop(void)
{
	struct flow_context context = kernel(OTHER_CR3);
	struct pt_unit *unit = new_unit();
	char letters[TRACE_SIZE];
	uint64_t ips[TRACE_SIZE], status;

	write_msr(unit, MSR_RTIT_ADDR0_A, KERNEL_IP + 0x40);
	write_msr(unit, MSR_RTIT_ADDR0_A + 1, KERNEL_IP + 0x4f);
	write_msr(unit, MSR_RTIT_CTL, all | (uint64_t)RTIT_ADDR_CFG_STOP << RTIT_CTL_ADDR0_SHIFT);
	pt_unit__at(unit, KERNEL_IP + 0x10, &context);
	jump(unit, KERNEL_IP + 0x10, KERNEL_IP + 0x20, &context);
	jump(unit, KERNEL_IP + 0x20, KERNEL_IP + 0x40, &context);
	CHECK(!pt_unit__triggered(unit));
	jump(unit, KERNEL_IP + 0x48, KERNEL_IP + 0x10, &context);
	CHECK_EQ(pt_unit__read_msr(unit, MSR_RTIT_STATUS, &status), 0);
	CHECK(status & RTIT_STATUS_STOPPED);
	read_packets(letters, ips);
	CHECK_EQ(letters[0], 'E');
	CHECK(strchr(letters, 'S') && !strchr(letters, 'S')[1]);
	CHECK(strchr(letters, 'D') || strchr(letters, 'T'));
	pt_unit__free(unit);
}

int main(void)
{
	test_cr3_filter();
	test_trace_stop();
	return check__done();
}
