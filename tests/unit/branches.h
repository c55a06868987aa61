/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches that are written as text: "call a10 b0; ret b8 a15" goes from the byte 0x10 of the function a to the
 * first one of b and back. Functions of the kernel are in upper case; _ is code without a symbol. A number is that of a letter. Each branch is
 * at a time of its own: at 1, 2, 3 ns; "@50" sets the time of the next one. At "lose - -" branches are missing. "callint"
 * is an interrupt that hides a call. The number of a call site is its offset.
 */
#ifndef AUXBPF_TESTS_BRANCHES_H
#define AUXBPF_TESTS_BRANCHES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call_stack.h"

#define BRANCHES_FUNCTION_SIZE 0x1000

static inline uint64_t branches__address(char function, unsigned int offset)
{
	uint64_t base = function >= '_' ? 0 : 1ull << 63;

	return base + (uint64_t)function * BRANCHES_FUNCTION_SIZE + offset;
}

static inline uint32_t branches__flags(const char *op)
{
	static const struct {
		const char *op;
		uint32_t flags;
	} ops[] = {
		{"call", BRANCH_CALL},
		{"ret", BRANCH_RETURN},
		{"jmp", 0},
		{"sys", BRANCH_CALL | BRANCH_SYSCALL},
		{"sysret", BRANCH_RETURN | BRANCH_SYSCALL},
		{"int", BRANCH_CALL | BRANCH_INTERRUPT | BRANCH_ASYNC},
		{"callint", BRANCH_CALL | BRANCH_INTERRUPT | BRANCH_ASYNC | BRANCH_BEHIND_CALL},
		{"retint", BRANCH_CALL | BRANCH_INTERRUPT | BRANCH_ASYNC | BRANCH_BEHIND_RETURN},
		{"iret", BRANCH_RETURN | BRANCH_INTERRUPT},
		{"begin", BRANCH_BEGIN},
		{"end", BRANCH_END},
		{"endsys", BRANCH_END | BRANCH_RETURN | BRANCH_SYSCALL},
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (!strcmp(op, ops[i].op))
			return ops[i].flags;
	}
	abort();
}

/* A place is a function's letter and an offset; "-" is none. */
static inline uint64_t branches__place(const char *place, function_id *function, uint32_t *offset)
{
	if (*place == '-')
		return 0;
	*function = (function_id)*place | (*place == '_' ? FUNCTION_NAMELESS : 0);
	*offset = (uint32_t)strtoul(place + 1, NULL, 16);
	return branches__address(*place, *offset);
}

/* Hands the branches of @text to @stack. Returns 0 or its error. */
static inline int branches__follow(struct call_stack *stack, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	char *rest = copy, *step;
	uint64_t time = 0;
	int err = 0;

	while (!err && (step = strsep(&rest, ";"))) {
		struct branch b = {.time = ++time};
		char op[16], from[16], to[16];
		uint32_t offset = 0;

		if (sscanf(step, " @%" SCNu64, &b.time) == 1) {
			time = b.time - 1;
			continue;
		}
		if (sscanf(step, " %15s %15s %15s", op, from, to) != 3)
			abort();
		if (!strcmp(op, "lose")) {
			call_stack__lose(stack);
			continue;
		}
		b.flags = branches__flags(op);
		b.from = branches__place(from, &b.from_function, &offset);
		b.from_site = b.flags & BRANCH_RETURN ? 0 : offset;
		b.to = branches__place(to, &b.to_function, &b.to_offset);
		err = call_stack__branch(stack, &b);
	}
	return err;
}

#endif
