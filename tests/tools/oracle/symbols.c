// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

struct alias {
	uint64_t addr;
	char *name;
};

struct symbols {
	struct alias *alias; /* sorted by address */
	uint32_t nr_alias;
	uint32_t cap_alias;
	uint64_t *addr;	 /* of symbol i, ascending */
	uint32_t *first; /* the first alias of symbol i; one more entry at the end */
	uint32_t nr;
};

static int symbols__add(struct symbols *syms, uint64_t addr, const char *name)
{
	char *copy;

	if (syms->nr_alias == syms->cap_alias) {
		uint32_t cap = syms->cap_alias ? 2 * syms->cap_alias : 1024;
		struct alias *alias = realloc(syms->alias, cap * sizeof(*alias));

		if (!alias)
			return -ENOMEM;
		syms->alias = alias;
		syms->cap_alias = cap;
	}
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	syms->alias[syms->nr_alias++] = (struct alias){.addr = addr, .name = copy};
	return 0;
}

/* Modules of Arm have marks of where instructions begin, $x, and data, $d: no functions. */
static bool is_function(uint64_t addr, char type, const char *name)
{
	return addr && strchr("tTwW", type) && *name != '$';
}

static int symbols__read(struct symbols *syms, FILE *f)
{
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, f) > 0) {
		unsigned long addr;
		char name[512], type;
		int err;

		if (sscanf(line, "%lx %c %511s", &addr, &type, name) != 3 || !is_function(addr, type, name))
			continue;
		err = symbols__add(syms, addr, name);
		if (err)
			return err;
	}
	return syms->nr_alias ? 0 : -EINVAL;
}

static int alias__cmp(const void *a, const void *b)
{
	const struct alias *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int symbols__index(struct symbols *syms)
{
	qsort(syms->alias, syms->nr_alias, sizeof(*syms->alias), alias__cmp);
	syms->addr = malloc(syms->nr_alias * sizeof(*syms->addr));
	syms->first = malloc((syms->nr_alias + 1) * sizeof(*syms->first));
	if (!syms->addr || !syms->first)
		return -ENOMEM;
	for (uint32_t i = 0; i < syms->nr_alias; i++) {
		if (i && syms->alias[i].addr == syms->alias[i - 1].addr)
			continue;
		syms->addr[syms->nr] = syms->alias[i].addr;
		syms->first[syms->nr++] = i;
	}
	syms->first[syms->nr] = syms->nr_alias;
	return 0;
}

int symbols__load(const char *path, struct symbols **ret)
{
	_cleanup_symbols_ struct symbols *syms = calloc(1, sizeof(*syms));
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	int err;

	if (!syms)
		return -ENOMEM;
	err = f ? symbols__read(syms, f) : -errno;
	if (!err)
		err = symbols__index(syms);
	if (err) {
		fprintf(stderr, "oracle-check: cannot read symbols of %s: %s\n", path,
			err == -EINVAL ? "no function with an address in it" : strerror(-err));
		return err;
	}
	*ret = steal_ptr(syms);
	return 0;
}

void symbols__free(struct symbols *syms)
{
	if (!syms)
		return;
	for (uint32_t i = 0; i < syms->nr_alias; i++)
		free(syms->alias[i].name);
	free(syms->alias);
	free(syms->addr);
	free(syms->first);
	free(syms);
}

uint32_t symbols__nr(const struct symbols *syms)
{
	return syms->nr;
}

uint32_t symbols__find(const struct symbols *syms, uint64_t addr)
{
	uint32_t lo = 0, hi = syms->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (syms->addr[mid] <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : SYMBOLS_NONE;
}

const char *symbols__name(const struct symbols *syms, uint32_t index)
{
	return syms->alias[syms->first[index]].name;
}

bool symbols__any_alias(const struct symbols *syms, uint32_t index,
			bool (*match)(const char *name, void *ctx), void *ctx)
{
	for (uint32_t i = syms->first[index]; i < syms->first[index + 1]; i++)
		if (match(syms->alias[i].name, ctx))
			return true;
	return false;
}

bool symbols__address(const struct symbols *syms, const char *name, uint64_t *addr)
{
	for (uint32_t i = 0; i < syms->nr_alias; i++) {
		if (strcmp(syms->alias[i].name, name) != 0)
			continue;
		*addr = syms->alias[i].addr;
		return true;
	}
	return false;
}

void symbols__print(const struct symbols *syms, uint64_t addr, FILE *out)
{
	uint32_t i = syms ? symbols__find(syms, addr) : SYMBOLS_NONE;

	fprintf(out, "%16lx", (unsigned long)addr);
	if (i != SYMBOLS_NONE)
		fprintf(out, " %s+0x%lx", symbols__name(syms, i), (unsigned long)(addr - syms->addr[i]));
}
