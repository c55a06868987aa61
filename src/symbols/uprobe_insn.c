// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/uprobe_insn.h"

#include <string.h>

#if defined(__x86_64__)

/* Prefixes that occur with returns and indirect branches: bnd, rep, notrack, REX. */
static bool is_prefix(uint8_t byte)
{
	return byte == 0xf2 || byte == 0xf3 || byte == 0x3e || (byte & 0xf0) == 0x40;
}

bool uprobe_insn__is_branch(const uint8_t *code, size_t len)
{
	size_t at = 0;

	while (at < len && is_prefix(code[at]))
		at++;
	if (at == len)
		return false;
	if (code[at] != 0xff)
		return memchr("\xc2\xc3\xca\xcb", code[at], 4); /* ret, lret */
	/* /2 to /5 are call, lcall, jmp, ljmp; the others are inc, dec, push. */
	return at + 1 < len && (code[at + 1] >> 3 & 7) >= 2 && (code[at + 1] >> 3 & 7) <= 5;
}

#elif defined(__aarch64__)

bool uprobe_insn__is_branch(const uint8_t *code, size_t len)
{
	return false;
}

#else
#error "add this architecture"
#endif
