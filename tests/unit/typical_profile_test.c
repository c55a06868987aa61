// SPDX-License-Identifier: GPL-2.0-only
#include "calls/typical_profile.h"
#include "check.h"

/* A window whose paths from 1 on took so long, each with one call; 0: it does not have it. */
static void add(struct typical_profile *typical, const uint64_t *ns, size_t nr)
{
	struct path_values values[16] = {{.calls = 1}};
	const struct call_profile profile = {.values = values, .nr = nr + 1};

	for (size_t i = 0; i < nr; i++)
		values[i + 1] = (struct path_values){.calls = !!ns[i], .total = ns[i] * 2, .self = ns[i]};
	CHECK_EQ(typical_profile__add(typical, &profile), 0);
}

#define ADD(typical, ...)                                               \
	do {                                                            \
		const uint64_t add_ns[] = {__VA_ARGS__};                \
		add(typical, add_ns, sizeof(add_ns) / sizeof(*add_ns)); \
	} while (0)

static void test_medians(void)
{
	struct typical_profile typical = {.max = TYPICAL_RECORDS};
	struct call_profile p;

	ADD(&typical, 10, 1, 0);
	ADD(&typical, 30, 0, 7);
	ADD(&typical, 20, 0, 7);
	CHECK_EQ(typical_profile__get(&typical, &p), 0);
	CHECK_EQ(call_profile__get(&p, 1).self, 20);
	CHECK_EQ(call_profile__get(&p, 1).total, 40);
	/* Most windows do not have the second path; two of three have the third one. */
	CHECK_EQ(call_profile__get(&p, 2).calls, 0);
	CHECK_EQ(call_profile__get(&p, 2).total, 0);
	CHECK_EQ(call_profile__get(&p, 3).calls, 1);
	CHECK_EQ(call_profile__get(&p, 3).self, 7);
	CHECK_EQ(call_profile__get(&p, 4).calls, 0);
	call_profile__release(&p);
	/* Of two in the middle the lesser one. */
	ADD(&typical, 90);
	CHECK_EQ(typical_profile__get(&typical, &p), 0);
	CHECK_EQ(call_profile__get(&p, 1).self, 20);
	CHECK_EQ(call_profile__get(&p, 3).calls, 0);
	call_profile__release(&p);
	typical_profile__release(&typical);
}

static void test_none(void)
{
	struct typical_profile typical = {.max = TYPICAL_RECORDS};
	struct call_profile p;

	CHECK_EQ(typical_profile__get(&typical, &p), 0);
	CHECK_EQ(call_profile__get(&p, 0).calls, 0);
	call_profile__release(&p);
	typical_profile__release(&typical);
}

/* However many windows there are, there is room; those that stay are spread over all. */
static void test_limit(void)
{
	struct typical_profile typical = {.max = 1000};
	struct call_profile p;

	for (uint64_t i = 0; i < 100000; i++)
		ADD(&typical, 1000000 + i, i < 50000 ? 5 : 9);
	CHECK(typical.records.len / typical.nr >= 3 * sizeof(struct path_values));
	CHECK(typical.nr >= 150 && typical.nr <= 334);
	CHECK_EQ(typical.seen, 100000);
	CHECK_EQ(typical_profile__get(&typical, &p), 0);
	CHECK(call_profile__get(&p, 1).self > 1049000 && call_profile__get(&p, 1).self < 1051000);
	CHECK_EQ(call_profile__get(&p, 0).calls, 1);
	call_profile__release(&p);
	typical_profile__release(&typical);
}

int main(void)
{
	test_medians();
	test_none();
	test_limit();
	return check__done();
}
