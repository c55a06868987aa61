/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evaluates conditions. The BPF programs use this, and the unit tests of the compiler that makes conditions.
 */
#ifndef AUXBPF_CONDITION_H
#define AUXBPF_CONDITION_H

#include "auxbpf_shared.h"

#ifndef __bpf__
#include <stdbool.h>
#endif

static __always_inline bool auxbpf_condition__test(const volatile struct auxbpf_condition_test *test,
						   __u64 field)
{
	__u64 value = test->value;

	field &= test->mask;
	switch (test->op) {
	case AUXBPF_OP_EQ:
		return field == value;
	case AUXBPF_OP_LT:
		return field < value;
	default:
		return (__s64)field < (__s64)value;
	}
}

/*
 * The value of AUXBPF_FIELD_RET for a function, from the register that holds its result. The type of the
 * result is not known here. Compilers leave the upper half of the register 0 for an int, so a value that fits
 * in 32 bits is taken for an int. The price: an unsigned result from 2^31 to 2^32 - 1 looks negative.
 */
static __always_inline __s64 auxbpf_condition__function_ret(__u64 reg)
{
	return reg >> 32 ? (__s64)reg : (__s64)(__s32)reg;
}

/*
 * Whether the condition holds. @get gives the value of a field (enum auxbpf_field) and is called only for
 * fields on which the outcome depends; it is inlined if it is an __always_inline function. @nr_tests is the
 * length of the longest condition that can come here. The verifier does not know which condition that will
 * be, and looks at some 300 instructions for each test; with @nr_tests a session pays for its own longest
 * condition only.
 *
 * The verifier of Linux 6.1 needs a bounded loop and a masked index.
 */
static __always_inline bool auxbpf_condition__eval(const volatile struct auxbpf_condition *rule,
						   __u32 nr_tests, __u64 (*get)(void *ctx, __u32 field),
						   void *ctx)
{
	__u32 at = 0, i;

	for (i = 0; i < AUXBPF_CONDITION_TESTS && i < nr_tests; i++) {
		const volatile struct auxbpf_condition_test *test =
			&rule->tests[at & (AUXBPF_CONDITION_TESTS - 1)];

		at = auxbpf_condition__test(test, get(ctx, test->field)) ? test->if_true : test->if_false;
		if (at >= AUXBPF_CONDITION_TESTS)
			break;
	}
	return at == AUXBPF_CONDITION_TRUE;
}

#endif
