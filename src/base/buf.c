// SPDX-License-Identifier: GPL-2.0-only
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUF_MIN_CAP 256

static int buf__reserve(struct buf *b, size_t len)
{
	size_t cap = b->cap ? b->cap : BUF_MIN_CAP;
	uint8_t *data;

	if (b->err)
		return b->err;
	if (len > SIZE_MAX / 2 - b->len) {
		b->err = -ENOMEM;
		return b->err;
	}
	if (b->data && b->len + len <= b->cap)
		return 0;
	while (cap < b->len + len)
		cap *= 2;
	data = realloc(b->data, cap);
	if (!data) {
		b->err = -ENOMEM;
		return b->err;
	}
	b->data = data;
	b->cap = cap;
	return 0;
}

void buf__add(struct buf *b, const void *data, size_t len)
{
	if (!len || buf__reserve(b, len))
		return;
	if (data)
		memcpy(b->data + b->len, data, len);
	else
		memset(b->data + b->len, 0, len);
	b->len += len;
}

void buf__add_u32(struct buf *b, uint32_t val)
{
	buf__add(b, &val, sizeof(val));
}

void buf__add_u64(struct buf *b, uint64_t val)
{
	buf__add(b, &val, sizeof(val));
}

void buf__add_buf(struct buf *b, const struct buf *other)
{
	if (other->err && !b->err)
		b->err = other->err;
	buf__add(b, other->data, other->len);
}

void buf__align(struct buf *b, size_t align)
{
	buf__add(b, NULL, -b->len & (align - 1));
}

void buf__put_at(struct buf *b, size_t offset, const void *data, size_t len)
{
	if (!b->err)
		memcpy(b->data + offset, data, len);
}

void buf__truncate(struct buf *b, size_t len)
{
	if (len < b->len)
		b->len = len;
}

void buf__shrink(struct buf *b)
{
	size_t cap = 2 * b->len > BUF_MIN_CAP ? 2 * b->len : BUF_MIN_CAP;
	uint8_t *data = cap < b->cap / 2 ? realloc(b->data, cap) : NULL;

	if (!data)
		return;
	b->data = data;
	b->cap = cap;
}

void buf__fail(struct buf *b, int err)
{
	if (!b->err)
		b->err = err;
}

int buf__error(const struct buf *b)
{
	return b->err;
}

struct span buf__span(const struct buf *b)
{
	return (struct span){.data = b->data, .len = b->len};
}

void buf__release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}
