// SPDX-License-Identifier: GPL-2.0-only
#include "calls/call_names.h"

#include <errno.h>
#include <search.h>
#include <string.h>

struct named {
	uint32_t number;
	char name[];
};

static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct named *new_named(const char *name, uint32_t number)
{
	struct named *named = malloc(sizeof(*named) + strlen(name) + 1);

	if (!named)
		return NULL;
	named->number = number;
	strcpy(named->name, name);
	return named;
}

int call_names__number(struct call_names *names, const char *name, uint32_t *ret)
{
	uint32_t number = (uint32_t)(names->list.len / sizeof(struct named *)) + 1;
	_cleanup_free_ struct named *named = new_named(name, number);
	struct named **found;

	if (!named || buf__error(&names->list))
		return -ENOMEM;
	found = tsearch(named, &names->numbers, compare);
	if (!found)
		return -ENOMEM;
	*ret = (*found)->number;
	if (*found != named)
		return 0;
	buf__add(&names->list, &named, sizeof(named));
	steal_ptr(named);
	return buf__error(&names->list);
}

void call_names__release(struct call_names *names)
{
	tdestroy(names->numbers, free);
	names->numbers = NULL;
	buf__release(&names->list);
}

const char *call_names__get(const struct call_names *names, call_step step)
{
	struct named *const *list = (struct named *const *)(const void *)names->list.data;

	if (step == CALL_STEP_OFF)
		return "(off the CPU)";
	return call_step__is_call(step) ? list[step / 2 - 1]->name : "(not traced)";
}

static int add_number(struct call_numbers *numbers, const char *name)
{
	uint32_t number;
	int err = call_names__number(numbers->names, name, &number);

	if (err)
		return err;
	buf__add_u32(&numbers->list, number);
	return buf__error(&numbers->list);
}

int call_numbers__init(struct call_numbers *numbers, struct call_names *names)
{
	*numbers = (struct call_numbers){.names = names};
	/* Number 0 is no function's. */
	return add_number(numbers, "[unknown]");
}

int call_numbers__add(struct call_numbers *numbers, function_id id, const char *name)
{
	return id == call_numbers__next(numbers) ? add_number(numbers, name) : -EBADMSG;
}

void call_numbers__release(struct call_numbers *numbers)
{
	buf__release(&numbers->list);
}

call_step call_numbers__step(const struct call_numbers *numbers, const struct call *call)
{
	const uint32_t *list = (const uint32_t *)(const void *)numbers->list.data;
	function_id id = call->function & ~FUNCTION_NAMELESS;

	if (call->mark)
		return call->parent->is_kernel ? CALL_STEP_OFF : CALL_STEP_UNTRACED;
	return list[id < call_numbers__next(numbers) ? id : 0] * 2 + call->is_kernel;
}
