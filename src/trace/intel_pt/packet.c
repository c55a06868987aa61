// SPDX-License-Identifier: GPL-2.0-only
#include "trace/intel_pt/packet.h"

#include <endian.h>
#include <string.h>

/* The form of the instruction pointer: bits 5 to 7 of the first byte. */
enum ip_bytes {
	IP_SUPPRESSED,
	IP_UPDATE_16,
	IP_UPDATE_32,
	IP_SIGN_48,
	IP_UPDATE_48,
	IP_FULL = 6,
};

/* The type of a packet with an instruction pointer: bits 0 to 4 of the first byte. */
enum ip_type {
	IP_TIP_PGD = 0x01,
	IP_TIP = 0x0d,
	IP_TIP_PGE = 0x11,
	IP_FUP = 0x1d,
};

static bool is_ip(uint8_t first)
{
	uint8_t type = first & 0x1f;

	return type == IP_TIP || type == IP_TIP_PGE || type == IP_TIP_PGD || type == IP_FUP;
}

static size_t ip_len(uint8_t first)
{
	static const uint8_t lens[8] = {1, 3, 5, 7, 7, 0, 9, 0};

	return lens[first >> 5];
}

/* Returns the length of a packet that begins with 02. If 02 c3, the third byte tells. */
static size_t extended_len(const uint8_t *data, size_t avail)
{
	static const uint8_t lens[256] = {
		[PT_EXT_PSB] = PT_PSB_SIZE, [PT_EXT_PSBEND] = 2,     [PT_EXT_CBR] = 4,
		[PT_EXT_PIP] = 8,	    [PT_EXT_OVF] = 2,	     [0xa3] = 8 /* TNT */,
		[0x83] = 2 /* TraceStop */, [0xc8] = 7 /* VMCS */,   [0x73] = 7 /* TMA */,
		[0x62] = 2 /* EXSTOP */,    [0xe2] = 2 /* EXSTOP */, [0xc2] = 10 /* MWAIT */,
		[0x22] = 4 /* PWRE */,	    [0xa2] = 7 /* PWRX */,   [0x13] = 4 /* CFE */,
		[0x53] = 11 /* EVD */,
	};

	if (avail < 2)
		return 0;
	if ((data[1] & 0x1f) == 0x12) /* PTW */
		return data[1] >> 5 & 3 ? 10 : 6;
	if (data[1] == 0xc3)
		return avail > 2 && data[2] == 0x88 ? 11 : 0; /* MNT */
	return lens[data[1]];
}

static size_t cyc_len(const uint8_t *data, size_t avail)
{
	size_t len = 1;

	if (!(data[0] & 4))
		return len;
	while (len < avail && data[len] & 1)
		len++;
	return len + 1;
}

static size_t any_len(const uint8_t *data, size_t avail)
{
	if (data[0] == PT_EXTENDED)
		return extended_len(data, avail);
	if (!(data[0] & 1)) /* PAD, TNT */
		return 1;
	if (data[0] & 2)
		return cyc_len(data, avail);
	if (is_ip(data[0]))
		return ip_len(data[0]);
	if (data[0] == PT_TSC)
		return 8;
	return data[0] == PT_MTC || data[0] == PT_MODE ? 2 : 0;
}

size_t pt_packet__len(const uint8_t *data, size_t avail)
{
	size_t len = avail ? any_len(data, avail) : 0;

	return len <= avail ? len : 0;
}

bool pt_packet__has_ip(const uint8_t *data)
{
	return !(data[0] & 2) && is_ip(data[0]) && data[0] >> 5 != IP_SUPPRESSED;
}

bool pt_packet__is_fup(const uint8_t *data)
{
	return (data[0] & 0x1f) == IP_FUP;
}

uint64_t pt_packet__ip(const uint8_t *data, uint64_t last)
{
	static const uint8_t bits[8] = {
		[IP_UPDATE_16] = 16, [IP_UPDATE_32] = 32, [IP_SIGN_48] = 48,
		[IP_UPDATE_48] = 48, [IP_FULL] = 64,
	};
	unsigned int kind = data[0] >> 5, known = bits[kind];
	uint64_t ip = 0;

	memcpy(&ip, data + 1, ip_len(data[0]) - 1);
	ip = le64toh(ip);
	if (kind == IP_SIGN_48)
		return (uint64_t)((int64_t)(ip << 16) >> 16);
	return known == 64 ? ip : (last >> known << known) | ip;
}
