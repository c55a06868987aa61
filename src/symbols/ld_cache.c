// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/ld_cache.h"

#include <limits.h>
#include <string.h>

static const char magic[] = "glibc-ld.so.cache1.1";

struct header {
	char magic[20];
	uint32_t nr_entries;
	uint32_t strings_len;
	uint32_t unused[5];
};

struct entry {
	int32_t flags;
	uint32_t soname; /* where it is, counted from the header */
	uint32_t path;
	uint32_t unused;
	uint64_t hwcap;
};

static const char *string_at(struct span cache, uint32_t at)
{
	const char *s = (const char *)cache.data + at;

	return at < cache.len && memchr(s, '\0', cache.len - at < PATH_MAX ? cache.len - at : PATH_MAX)
		       ? s
		       : NULL;
}

struct span ld_cache__begin(struct span file)
{
	/* glibc before 2.32 puts the form that still older versions read in front of this one. */
	const char *start = file.len ? memmem(file.data, file.len, magic, sizeof(magic) - 1) : NULL;

	return start ? (struct span){start, file.len - (size_t)(start - (const char *)file.data)}
		     : (struct span){0};
}

bool ld_cache__next(struct span cache, size_t *i, struct ld_cache_entry *ret)
{
	const char *start;
	struct header header;
	struct entry entry;

	cache = ld_cache__begin(cache);
	start = cache.data;
	if (cache.len < sizeof(header))
		return false;
	memcpy(&header, start, sizeof(header));
	if (*i >= header.nr_entries || *i >= (cache.len - sizeof(header)) / sizeof(entry))
		return false;
	memcpy(&entry, start + sizeof(header) + *i * sizeof(entry), sizeof(entry));
	(*i)++;
	ret->soname = string_at(cache, entry.soname);
	ret->path = string_at(cache, entry.path);
	return ret->soname && ret->path;
}
