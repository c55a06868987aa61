/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one evaluator of conditions: used by the BPF programs, and by the unit tests of their compiler
 * (src/rules/condition.h).
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
 * AUXBPF_FIELD_RET of a function, from the register that it returns in. Nobody tells its type here; compilers
 * leave the upper half of an int 0, so what fits in 32 bits is taken for one. The price: an unsigned result
 * from 2^31 to 2^32 - 1 looks negative.
 */
static __always_inline __s64 auxbpf_condition__function_ret(__u64 reg)
{
	return reg >> 32 ? (__s64)reg : (__s64)(__s32)reg;
}

/*
 * Whether the condition holds. @get gives the value of a field (enum auxbpf_field) and is called only for
 * those that the outcome depends on; it is inlined if it is an __always_inline function. @nr_tests is how
 * long the condition is at most: the verifier does not know which it is, and looks at some 300 instructions
 * for each of as many tests. Where it knows that number the price of a session is that of its longest
 * condition.
 *
 * A bounded loop and a masked index suit the verifier of Linux 6.1.
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
