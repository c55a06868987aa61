// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is new in an AUX buffer of 1 KiB: each look is a head (8 bytes) and what is written in front of it, a byte of
 * its length in pieces of 8.
 */
#include "fuzz.h"
#include "trace/aux_copy.h"
#include "trace/aux_new.h"
#include "trace/cs_etm/sync.h"
#include "trace/intel_pt/sync.h"

#define SIZE 1024

static void copy_new(const struct aux_position *pos, const uint8_t *aux, const struct aux_piece *new,
		     uint64_t head)
{
	static uint8_t to[SIZE];
	struct aux_piece copied;
	struct aux_copy copy;

	aux_copy__begin(&copy, pos, aux, new, to);
	while (!aux_copy__is_done(&copy) && aux_copy__step(&copy))
		;
	aux_copy__finish(&copy, head);
	copied = aux_copy__piece(&copy);
	FUZZ_CHECK(aux_piece__len(&copied) <= SIZE && aux_piece__end(&copied) == aux_piece__end(new));
}

static void look(struct aux_position *pos, const uint8_t *aux, uint64_t head, uint64_t time)
{
	struct aux_piece new = {.reference = time};

	aux_new__find(pos, aux, head, &new);
	FUZZ_CHECK(aux_piece__len(&new) <= SIZE);
	for (int i = 0; i < 2; i++)
		FUZZ_CHECK(!new.data[i].len ||
			   ((const uint8_t *)new.data[i].data >= aux &&
			    (const uint8_t *)new.data[i].data + new.data[i].len <= aux + SIZE));
	aux_position__note(pos, aux, &new);
	copy_new(pos, aux, &new, head);
	aux_new__cut(&new, pos->next_sync, time / 2);
	FUZZ_CHECK(aux_piece__end(&new) == pos->written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct aux_position kinds[] = {
		{.kind = AUX_HEAD_OFFSET, .next_sync = pt_sync__next},
		{.kind = AUX_HEAD_COUNT, .next_sync = etm_sync__next},
	};
	struct fuzz_input in = {data, size};
	const struct aux_position *kind = &kinds[fuzz__number(&in, 1) & 1];
	_cleanup_free_ struct aux_position *pos = malloc(sizeof(*pos));
	_cleanup_free_ uint8_t *aux = calloc(1, SIZE);
	uint64_t head = 0;

	if (!pos || !aux)
		abort();
	aux_position__init(pos, SIZE, kind->kind, kind->next_sync);
	for (uint64_t time = 1; in.len; time += 100) {
		uint64_t next = fuzz__number(&in, 8), len = 8 * fuzz__number(&in, 1);

		/* A count only grows, and not past what 64 bits hold. */
		head = kind->kind == AUX_HEAD_COUNT ? head + next % (8 * SIZE) : next % SIZE;
		for (uint64_t i = 0; i < len && in.len; i++)
			aux[(head - len + i) % SIZE] = (uint8_t)fuzz__number(&in, 1);
		look(pos, aux, head, time);
	}
	return 0;
}
