// SPDX-License-Identifier: GPL-2.0-only
#include "base/bounds.h"

#include "base/cleanup.h"

#include "check.h"

struct key {
	const int *list;
	int wanted;
};

static bool is_below(const void *ctx, size_t i)
{
	const struct key *key = ctx;

	return key->list[i] < key->wanted;
}

/* Each length of a list with gaps and equal elements, and each place in it, beside the same by counting. */
int main(void)
{
	static const int list[] = {1, 1, 3, 3, 3, 4, 9};

	for (size_t nr = 0; nr <= ARRAY_SIZE(list); nr++) {
		for (int wanted = 0; wanted <= 10; wanted++) {
			const struct key key = {list, wanted};
			size_t below = 0;

			while (below < nr && list[below] < wanted)
				below++;
			CHECK_EQ(bounds__lower(nr, is_below, &key), below);
		}
	}
	return check__done();
}
