// SPDX-License-Identifier: GPL-2.0-only
#include "fresh_code.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECONDS UINT64_C(1000000)
#define MAX_PATCH 8u /* bytes that the kernel changes at once */

struct block {
	struct block *next;
	uint64_t address;
	const uint8_t *memory;
	uint64_t due;
	size_t size;
	uint8_t bytes[];
};

/* Blocks in the order in which they are due. */
struct queue {
	struct block *first, **end;
};

/* How long after the look before, or after the translation. A store comes as late as the host lets its thread wait. */
static const uint64_t pauses[] = {
	2 * MILLISECONDS,
	20 * MILLISECONDS,
	200 * MILLISECONDS,
	2000 * MILLISECONDS,
};

#define NR_PAUSES (sizeof(pauses) / sizeof(pauses[0]))

static struct queue queues[NR_PAUSES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Nothing is due before, so that most calls need no lock. */
static _Atomic uint64_t next_due = UINT64_MAX;

static void put(size_t number, struct block *block, uint64_t now)
{
	struct queue *queue = &queues[number];

	if (!queue->first)
		queue->end = &queue->first;
	block->next = NULL;
	block->due = now + pauses[number];
	*queue->end = block;
	queue->end = &block->next;
}

static struct block *take(struct queue *queue)
{
	struct block *block = queue->first;

	queue->first = block->next;
	return block;
}

static void set_next_due(void)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < NR_PAUSES; i++)
		if (queues[i].first && queues[i].first->due < due)
			due = queues[i].first->due;
	atomic_store(&next_due, due);
}

void fresh_code__add(uint64_t address, const void *memory, const void *bytes, size_t size, uint64_t now)
{
	struct block *block = malloc(sizeof(*block) + size);

	if (!block)
		return;
	block->address = address;
	block->memory = memory;
	block->size = size;
	memcpy(block->bytes, bytes, size);
	pthread_mutex_lock(&lock);
	put(0, block, now);
	set_next_due();
	pthread_mutex_unlock(&lock);
}

static bool is_equal(const struct block *block, size_t i)
{
	return block->memory[i] == block->bytes[i];
}

/*
 * Whether the block is not what is in memory, and where in it. Where more has changed than an instruction or two
 * the memory has become something else, as that of the code that runs at boot only.
 */
static bool is_stale(const struct block *block, uint64_t *address)
{
	size_t first = 0, end = block->size;

	while (first < end && is_equal(block, first))
		first++;
	while (end > first && is_equal(block, end - 1))
		end--;
	if (first == end || end - first > MAX_PATCH)
		return false;
	*address = block->address + (first ? first - 1 : end < block->size ? end : 0);
	return true;
}

/* Looks at the first block of a queue, which is then in the next one, or gone if it is stale or old. */
static bool look_at_first(size_t number, uint64_t now, uint64_t *address)
{
	struct block *block = take(&queues[number]);
	bool stale = is_stale(block, address);

	if (stale || number + 1 == NR_PAUSES)
		free(block);
	else
		put(number + 1, block, now);
	return stale;
}

bool fresh_code__find_stale(uint64_t now, uint64_t *address)
{
	bool found = false;

	if (now < atomic_load_explicit(&next_due, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < NR_PAUSES && !found; i++)
		while (!found && queues[i].first && queues[i].first->due <= now)
			found = look_at_first(i, now, address);
	set_next_due();
	pthread_mutex_unlock(&lock);
	return found;
}
