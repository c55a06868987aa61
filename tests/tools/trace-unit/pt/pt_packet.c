// SPDX-License-Identifier: GPL-2.0-only
#include "pt_packet.h"

#include <string.h>

/* Second byte of the packets that begin with 02. */
enum {
	PT_EXT = 0x02,
	PT_EXT_CBR = 0x03,
	PT_EXT_PSBEND = 0x23,
	PT_EXT_PIP = 0x43,
	PT_EXT_TMA = 0x73,
	PT_EXT_PSB = 0x82,
	PT_EXT_TRACE_STOP = 0x83,
	PT_EXT_OVERFLOW = 0xf3,
	PT_EXT_TNT_LONG = 0xa3,
};

/* The IPBytes field, bits 7..5 of the first byte of IP packets. */
enum pt_ip_bytes {
	PT_IP_16 = 1,
	PT_IP_32 = 2,
	PT_IP_48_SIGN = 3,
	PT_IP_64 = 6,
};

static size_t put_extended(uint8_t *out, uint8_t opcode)
{
	out[0] = PT_EXT;
	out[1] = opcode;
	return 2;
}

static size_t put_bytes(uint8_t *out, uint64_t value, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (uint8_t)(value >> (8 * i));
	return count;
}

size_t pt_packet__psb(uint8_t *out)
{
	for (size_t i = 0; i < 16; i += 2)
		put_extended(out + i, PT_EXT_PSB);
	return 16;
}

size_t pt_packet__psbend(uint8_t *out)
{
	return put_extended(out, PT_EXT_PSBEND);
}

size_t pt_packet__trace_stop(uint8_t *out)
{
	return put_extended(out, PT_EXT_TRACE_STOP);
}
size_t pt_packet__overflow(uint8_t *out)
{
	return put_extended(out, PT_EXT_OVERFLOW);
}

size_t pt_packet__tsc(uint8_t *out, uint64_t tsc)
{
	out[0] = 0x19;
	return 1 + put_bytes(out + 1, tsc, 7);
}

size_t pt_packet__tma(uint8_t *out, uint64_t ctc, unsigned int fast)
{
	size_t n = put_extended(out, PT_EXT_TMA);

	n += put_bytes(out + n, ctc, 2);
	out[n++] = 0;
	return n + put_bytes(out + n, fast & 0x1ff, 2);
}

size_t pt_packet__mtc(uint8_t *out, uint64_t ctc, unsigned int shift)
{
	out[0] = 0x59;
	out[1] = (uint8_t)(ctc >> shift);
	return 2;
}

size_t pt_packet__cbr(uint8_t *out, uint8_t ratio)
{
	size_t n = put_extended(out, PT_EXT_CBR);

	return n + put_bytes(out + n, ratio, 2);
}

size_t pt_packet__mode_exec(uint8_t *out, enum pt_code_width mode)
{
	out[0] = 0x99;
	out[1] = (uint8_t)mode;
	return 2;
}

size_t pt_packet__pip(uint8_t *out, uint64_t cr3)
{
	size_t n = put_extended(out, PT_EXT_PIP);

	/* CR3[51:5] in bits 47:1, NonRoot in bit 0. */
	return n + put_bytes(out + n, ((cr3 & ~(UINT64_C(1) << 63)) >> 5) << 1, 6);
}

size_t pt_packet__tnt(uint8_t *out, uint64_t bits, unsigned int count)
{
	uint64_t payload = bits & ((UINT64_C(1) << count) - 1);
	size_t n;

	payload |= UINT64_C(1) << count; /* the stop bit */
	if (count <= PT_TNT_SHORT_MAX) {
		out[0] = (uint8_t)(payload << 1);
		return 1;
	}
	n = put_extended(out, PT_EXT_TNT_LONG);
	return n + put_bytes(out + n, payload, 6);
}

static bool fits_sign_extended_48(uint64_t ip)
{
	return (uint64_t)((int64_t)(ip << 16) >> 16) == ip;
}

size_t pt_packet__ip(uint8_t *out, enum pt_ip_packet type, uint64_t ip, uint64_t *last_ip)
{
	enum pt_ip_bytes how = PT_IP_64;
	size_t bytes = 8;

	if ((ip ^ *last_ip) >> 16 == 0) {
		how = PT_IP_16;
		bytes = 2;
	} else if ((ip ^ *last_ip) >> 32 == 0) {
		how = PT_IP_32;
		bytes = 4;
	} else if (fits_sign_extended_48(ip)) {
		how = PT_IP_48_SIGN;
		bytes = 6;
	}
	*last_ip = ip;
	out[0] = (uint8_t)((unsigned int)type | (unsigned int)how << 5);
	return 1 + put_bytes(out + 1, ip, bytes);
}

size_t pt_packet__no_ip(uint8_t *out, enum pt_ip_packet type)
{
	out[0] = (uint8_t)type;
	return 1;
}
