// SPDX-License-Identifier: GPL-2.0-only
#include "base/id_hash.h"

#include <errno.h>

#define SLOTS_MIN 256

/* Ids of tasks are handed out one after the other, so they spread over the slots by themselves. */
static struct id_node **slot(struct id_node **slots, size_t nr_slots, uint32_t id)
{
	return &slots[id & (nr_slots - 1)];
}

void *id_hash__find(const struct id_hash *hash, uint32_t id)
{
	struct id_node *node = hash->nr_slots ? *slot(hash->slots, hash->nr_slots, id) : NULL;

	while (node && node->id != id)
		node = node->next;
	return node;
}

static void insert(struct id_node **slots, size_t nr_slots, struct id_node *node)
{
	struct id_node **at = slot(slots, nr_slots, node->id);

	node->next = *at;
	*at = node;
}

static int grow(struct id_hash *hash)
{
	size_t nr_slots = hash->nr_slots ? 2 * hash->nr_slots : SLOTS_MIN;
	struct id_node **slots = calloc(nr_slots, sizeof(struct id_node *));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < hash->nr_slots; i++)
		for (struct id_node *node = hash->slots[i], *next; node; node = next) {
			next = node->next;
			insert(slots, nr_slots, node);
		}
	free(hash->slots);
	hash->slots = slots;
	hash->nr_slots = nr_slots;
	return 0;
}

int id_hash__add(struct id_hash *hash, struct id_node *node)
{
	int err = hash->nr == hash->nr_slots ? grow(hash) : 0;

	if (err)
		return err;
	insert(hash->slots, hash->nr_slots, node);
	hash->nr++;
	return 0;
}

void id_hash__remove(struct id_hash *hash, struct id_node *node)
{
	struct id_node **at = slot(hash->slots, hash->nr_slots, node->id);

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	hash->nr--;
}

void id_hash__list(const struct id_hash *hash, void **ret)
{
	for (size_t i = 0; i < hash->nr_slots; i++)
		for (struct id_node *node = hash->slots[i]; node; node = node->next)
			*ret++ = node;
}

void id_hash__release(struct id_hash *hash, void (*release)(void *object))
{
	for (size_t i = 0; i < hash->nr_slots; i++)
		for (struct id_node *node = hash->slots[i], *next; node; node = next) {
			next = node->next;
			release(node);
		}
	free(hash->slots);
	*hash = (struct id_hash){0};
}
