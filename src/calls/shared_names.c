// SPDX-License-Identifier: GPL-2.0-only
#include "calls/shared_names.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

struct shared_slot {
	uint64_t hash;
	function_id id;	  /* 0: the slot is free */
	uint32_t capture; /* the last one that has it */
};

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t add_hash(uint64_t hash, const char *text)
{
	do {
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
	} while (*text++);
	return hash;
}

static uint64_t hash_of(const char *name, const char *object)
{
	return add_hash(add_hash(0xcbf29ce484222325, name), object);
}

static bool is_function(const struct function_names *names, function_id id, const char *name,
			const char *object)
{
	const struct function *f = &names->functions[id];

	if (strcmp(f->object, object))
		return false;
	return names->same[id] & FUNCTION_NAMELESS ? !*name : !strcmp(f->name, name);
}

/* Puts a slot where there is room for it. */
static void put_slot(struct shared_names *shared, const struct shared_slot *slot)
{
	size_t at = slot->hash & (shared->nr_slots - 1);

	while (shared->slots[at].id)
		at = (at + 1) & (shared->nr_slots - 1);
	shared->slots[at] = *slot;
}

/* Makes room for one more; half of the slots stay free. */
static int reserve_slot(struct shared_names *shared)
{
	struct shared_names grown = {.nr_slots = shared->nr_slots ? 2 * shared->nr_slots : 512};

	if (2 * (shared->nr_used + 1) <= shared->nr_slots)
		return 0;
	grown.slots = calloc(grown.nr_slots, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < shared->nr_slots; i++) {
		if (shared->slots[i].id)
			put_slot(&grown, &shared->slots[i]);
	}
	free(shared->slots);
	shared->slots = grown.slots;
	shared->nr_slots = grown.nr_slots;
	return 0;
}

static int reserve_id(struct shared_names *shared)
{
	size_t cap = shared->cap ? shared->cap * 2 : 256;
	function_id *ids;

	if (shared->nr < shared->cap)
		return 0;
	ids = reallocarray(shared->ids, cap, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	shared->ids = ids;
	shared->cap = cap;
	if (!shared->nr)
		shared->ids[shared->nr++] = 0;
	return 0;
}

/* Finds a function of captures before this one, which this one has not named yet. */
static struct shared_slot *find(const struct shared_names *shared, const struct function_names *names,
				uint64_t hash, const char *name, const char *object)
{
	for (size_t at = hash & (shared->nr_slots - 1); shared->slots[at].id;
	     at = (at + 1) & (shared->nr_slots - 1)) {
		struct shared_slot *slot = &shared->slots[at];

		if (slot->hash == hash && slot->capture != shared->capture &&
		    is_function(names, slot->id, name, object))
			return slot;
	}
	return NULL;
}

/* Finds or adds the function, whose names are printable. */
static int get(struct shared_names *shared, struct function_names *names, const char *name,
	       const char *object, function_id *ret)
{
	uint64_t hash = hash_of(name, object);
	struct shared_slot *slot = find(shared, names, hash, name, object);
	int err;

	if (slot) {
		slot->capture = shared->capture;
		*ret = slot->id;
		return 0;
	}
	*ret = names->nr ? (function_id)names->nr : 1;
	err = function_names__add(names, *ret, name, object);
	if (err)
		return err;
	put_slot(shared, &(struct shared_slot){.hash = hash, .id = *ret, .capture = shared->capture});
	shared->nr_used++;
	return 0;
}

int shared_names__add(struct shared_names *shared, struct function_names *names, function_id id,
		      const char *name, const char *object)
{
	_cleanup_free_ char *own_name = text__printable(name), *own_object = text__printable(object);
	int err = own_name && own_object ? reserve_slot(shared) : -ENOMEM;

	if (!err)
		err = reserve_id(shared);
	if (!err && id != shared->nr)
		err = -EBADMSG;
	if (!err)
		err = get(shared, names, own_name, own_object, &shared->ids[shared->nr]);
	shared->nr += !err;
	return err;
}

function_id shared_names__get(const struct shared_names *shared, function_id id)
{
	id &= ~FUNCTION_NAMELESS;
	return id < shared->nr ? shared->ids[id] : 0;
}

void shared_names__next_capture(struct shared_names *shared)
{
	shared->capture++;
	shared->nr = shared->nr ? 1 : 0;
}

void shared_names__release(struct shared_names *shared)
{
	free(shared->ids);
	free(shared->slots);
	*shared = (struct shared_names){0};
}
