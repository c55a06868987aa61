// SPDX-License-Identifier: GPL-2.0-only
#include "export/base64.h"

#define GROUP 3 /* bytes that become four letters */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes the first @nr letters of what is held, which has been shifted to its place, and pads them. */
static void write_group(struct base64 *b, unsigned int nr)
{
	char group[GROUP + 1];

	for (unsigned int i = 0; i < sizeof(group); i++)
		group[i] = i < nr ? letters[b->held >> (18 - 6 * i) & 63] : '=';
	fwrite(group, sizeof(group), 1, b->to);
	b->held = b->nr = 0;
}

void base64__put(struct base64 *b, uint8_t byte)
{
	b->held = b->held << 8 | byte;
	if (++b->nr == GROUP)
		write_group(b, GROUP + 1);
}

void base64__put_number(struct base64 *b, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		base64__put(b, (uint8_t)(number | 0x80));
	base64__put(b, (uint8_t)number);
}

void base64__finish(struct base64 *b)
{
	unsigned int nr = b->nr;

	if (!nr)
		return;
	b->held <<= 8 * (GROUP - nr);
	write_group(b, nr + 1);
}
