// SPDX-License-Identifier: GPL-2.0-only
#include "trace/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The largest record: PERF_RECORD_MMAP2 with a path of PATH_MAX. */
#define RECORD_MAX 8192

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int map(int fd, size_t data_size, int prot, struct ring *ret)
{
	void *base = mmap(NULL, page_size() + data_size, prot, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	*ret = (struct ring){
		.page = base,
		.data = (const uint8_t *)base + page_size(),
		.data_size = data_size,
	};
	return 0;
}

int ring__map(int fd, size_t data_size, struct ring *ret)
{
	return map(fd, data_size, PROT_READ | PROT_WRITE, ret);
}

int ring__map_backward(int fd, size_t data_size, struct ring *ret)
{
	return map(fd, data_size, PROT_READ, ret);
}

int ring__map_aux(struct ring *ring, int fd, size_t aux_size, bool writable)
{
	size_t offset = page_size() + ring->data_size;
	void *aux;

	ring->page->aux_offset = offset;
	ring->page->aux_size = aux_size;
	aux = mmap(NULL, aux_size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, (off_t)offset);
	if (aux == MAP_FAILED)
		return -errno;
	ring->aux = aux;
	ring->aux_size = aux_size;
	return 0;
}

void ring__unmap(struct ring *ring)
{
	union {
		const uint8_t *aux;
		void *map;
	} u = {.aux = ring->aux};

	if (ring->aux)
		munmap(u.map, ring->aux_size);
	if (ring->page)
		munmap(ring->page, page_size() + ring->data_size);
	*ring = (struct ring){0};
}

bool ring__is_full(const struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	return ring->data_size - (head - ring->page->data_tail) < RECORD_MAX;
}

ssize_t ring__drain(struct ring *ring, struct buf *to)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	size_t from = tail & (ring->data_size - 1);
	size_t len = head - tail, first = ring->data_size - from, old = to->len;

	if (first > len)
		first = len;
	buf__add(to, ring->data + from, first);
	if (len > first)
		buf__add(to, ring->data, len - first);
	if (buf__error(to)) {
		buf__truncate(to, old);
		return -ENOMEM;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return (ssize_t)len;
}

/* Reads the head of a ring that is written backward: it goes down from 0. */
static uint64_t backward_head(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

size_t ring__copy_backward(const struct ring *ring, uint64_t seen, uint8_t *to, uint64_t *written)
{
	uint64_t head = backward_head(ring), late;
	size_t from = head & (ring->data_size - 1), first = ring->data_size - from, len = ring->data_size;

	*written = -head;
	if (*written - seen < len)
		len = *written - seen;
	if (first > len)
		first = len;
	memcpy(to, ring->data + from, first);
	memcpy(to + first, ring->data, len - first);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	late = head - backward_head(ring);
	if (late > ring->data_size)
		late = ring->data_size;
	return len < ring->data_size - late ? len : ring->data_size - late;
}

uint64_t ring__aux_head(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
}

void ring__aux_data(const struct ring *ring, uint64_t from, uint64_t to, struct aux_piece *ret)
{
	aux_piece__set_data(ret, ring->aux, ring->aux_size, from, to - from);
}

static bool fills(const struct ring *ring, uint64_t tail, uint64_t head)
{
	return head - tail >= ring->aux_size - 1;
}

bool ring__aux_full(const struct ring *ring, uint64_t head)
{
	return fills(ring, ring->page->aux_tail, head);
}

bool ring__aux_release(struct ring *ring, uint64_t tail)
{
	uint64_t old = ring->page->aux_tail;

	__atomic_store_n(&ring->page->aux_tail, tail - tail % page_size(), __ATOMIC_SEQ_CST);
	return fills(ring, old, __atomic_load_n(&ring->page->aux_head, __ATOMIC_SEQ_CST));
}
