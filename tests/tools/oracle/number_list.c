// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "gate_check.h"

bool number_list__has(const struct number_list *list, uint32_t val)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->val[i] == val)
			return true;
	return false;
}

int number_list__add(struct number_list *list, uint32_t val)
{
	uint32_t *mem = realloc(list->val, (list->nr + 1) * sizeof(*mem));

	if (!mem)
		return -ENOMEM;
	mem[list->nr++] = val;
	list->val = mem;
	return 0;
}

bool address_list__has(const struct address_list *list, uint64_t val)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->val[i] == val)
			return true;
	return false;
}

int address_list__add(struct address_list *list, uint64_t val)
{
	uint64_t *mem = realloc(list->val, (list->nr + 1) * sizeof(*mem));

	if (!mem)
		return -ENOMEM;
	mem[list->nr++] = val;
	list->val = mem;
	return 0;
}
