// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/elf_symbols.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "files/foreign_elf.h"

#define ADDRS_MAX 8

/* Numbers of versions are below this: the bit above is VERSION_HIDDEN. */
#define VERSIONS_MAX 0x8000

#define VERSION_HIDDEN 0x8000 /* no name in elf.h: programs that are linked today get another version */

/* A symbol table, with the versions of its symbols if they are not part of the names. */
struct table {
	Elf *elf;
	Elf_Data *symbols;
	size_t nr;
	struct span strings;
	Elf_Data *versym;
	const char **versions; /* names by number, VERSIONS_MAX; NULL: there are none */
};

struct symbol {
	GElf_Sym sym;
	struct span name;    /* without version */
	const char *version; /* NULL: without version */
	bool is_default;     /* the name without a version means this one */
};

typedef void (*visit_fn)(const struct symbol *symbol, void *arg);

/* Notes the names of the versions. There are fewer than VERSIONS_MAX, so the loop ends wherever the chain
 * leads. */
static void name_versions(struct table *t, Elf_Data *verdef, struct span strings)
{
	uint64_t at = 0, aux_at;
	GElf_Verdaux aux;
	GElf_Verdef def;

	t->versions = calloc(VERSIONS_MAX, sizeof(*t->versions));
	for (int i = 0; t->versions && i < VERSIONS_MAX && gelf_getverdef(verdef, (int)at, &def); i++) {
		aux_at = at + def.vd_aux;
		if (aux_at < verdef->d_size && gelf_getverdaux(verdef, (int)aux_at, &aux))
			t->versions[def.vd_ndx % VERSIONS_MAX] = foreign_elf__string(strings, aux.vda_name);
		at += def.vd_next;
		if (!def.vd_next || at >= verdef->d_size)
			break;
	}
}

static bool table__symbol(const struct table *t, size_t i, struct symbol *ret)
{
	const char *name, *at;
	GElf_Versym versym;

	if (!gelf_getsym(t->symbols, (int)i, &ret->sym))
		return false;
	name = foreign_elf__string(t->strings, ret->sym.st_name);
	if (!name || !*name)
		return false;
	at = strchr(name, '@');
	ret->name = (struct span){name, at ? (size_t)(at - name) : strlen(name)};
	ret->is_default = !at || at[1] == '@';
	ret->version = at ? at + 1 + ret->is_default : NULL;
	if (!at && t->versym && gelf_getversym(t->versym, (int)i, &versym)) {
		ret->is_default = !(versym & VERSION_HIDDEN);
		ret->version = t->versions ? t->versions[versym % VERSIONS_MAX] : NULL;
	}
	return true;
}

static bool is_function(const struct symbol *symbol)
{
	const unsigned int type = GELF_ST_TYPE(symbol->sym.st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static void table__visit(const struct table *t, visit_fn visit, void *arg)
{
	struct symbol symbol;

	for (size_t i = 1; i < t->nr; i++)
		if (table__symbol(t, i, &symbol) && is_function(&symbol))
			visit(&symbol, arg);
}

/* Finds the versions of the symbols. A file has one table of each kind. */
static void find_versions(struct table *t)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(t->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_GNU_versym && !t->versym) {
			t->versym = elf_getdata(scn, NULL);
		} else if (shdr.sh_type == SHT_GNU_verdef && !t->versions) {
			Elf_Data *verdef = elf_getdata(scn, NULL);

			if (verdef)
				name_versions(t, verdef, foreign_elf__strings(t->elf, shdr.sh_link));
		}
	}
}

/* Finds the first section of that type: the format allows no more (gABI, "Sections"), and each takes time. */
static Elf_Scn *find_table(Elf *elf, uint32_t type, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type && shdr->sh_entsize)
			return scn;
	return NULL;
}

/* Visits every function of a symbol table. Tells whether there are symbols. */
static bool visit_table(Elf *elf, uint32_t type, visit_fn visit, void *arg)
{
	struct table t = {.elf = elf};
	GElf_Shdr shdr;
	Elf_Scn *scn = find_table(elf, type, &shdr);

	if (!scn)
		return false;
	t.symbols = elf_getdata(scn, NULL);
	t.nr = t.symbols ? t.symbols->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
	t.strings = foreign_elf__strings(elf, shdr.sh_link);
	if (type == SHT_DYNSYM)
		find_versions(&t);
	table__visit(&t, visit, arg);
	free(t.versions);
	return t.nr;
}

/* Visits both symbol tables of an ELF file. Tells whether it has a .symtab. */
static bool visit_elf(Elf *elf, visit_fn visit, void *arg)
{
	visit_table(elf, SHT_DYNSYM, visit, arg);
	return visit_table(elf, SHT_SYMTAB, visit, arg);
}

static bool visit_file(const struct elf_file *file, visit_fn visit, void *arg)
{
	bool has_symtab = visit_elf(file->elf, visit, arg);

	return visit_elf(file->debug, visit, arg) || has_symtab;
}

/* Distinct addresses; @nr counts also those that were not kept. */
struct addrs {
	uint64_t addr[ADDRS_MAX];
	size_t nr;
};

static void addrs__add(struct addrs *addrs, uint64_t addr)
{
	for (size_t i = 0; i < addrs->nr && i < ADDRS_MAX; i++)
		if (addrs->addr[i] == addr)
			return;
	if (addrs->nr < ADDRS_MAX)
		addrs->addr[addrs->nr] = addr;
	addrs->nr++;
}

struct search {
	struct span name;
	const char *version;	   /* NULL: none asked for */
	struct addrs defaults;	   /* the functions that the name means today */
	struct addrs old_versions; /* the functions that it meant for programs that were linked earlier */
	bool is_indirect;
	bool is_imported;
};

static bool same_name(struct span a, struct span b)
{
	return a.len == b.len && !memcmp(a.data, b.data, a.len);
}

static void match_symbol(const struct symbol *symbol, void *arg)
{
	struct search *s = arg;

	if (!same_name(symbol->name, s->name))
		return;
	if (symbol->sym.st_shndx == SHN_UNDEF) {
		s->is_imported = true;
		return;
	}
	if (s->version && (!symbol->version || strcmp(symbol->version, s->version)))
		return;
	if (GELF_ST_TYPE(symbol->sym.st_info) == STT_GNU_IFUNC)
		s->is_indirect = true;
	addrs__add(s->version || symbol->is_default ? &s->defaults : &s->old_versions, symbol->sym.st_value);
}

struct offer {
	struct nearest near;
	bool is_indirect; /* offer only the variants of an indirect function */
	char wanted[NEAREST_NAME_MAX];
};

/* Tells whether @name is a variant of @wanted, as __memcpy_avx_unaligned is of memcpy. */
static bool is_variant(const char *name, const char *wanted)
{
	const size_t len = strlen(wanted);

	name += strspn(name, "_");
	return !strncmp(name, wanted, len) && name[len] == '_';
}

static void offer_symbol(const struct symbol *symbol, void *arg)
{
	char name[NEAREST_NAME_MAX];
	struct offer *offer = arg;

	if (symbol->sym.st_shndx == SHN_UNDEF || symbol->name.len >= sizeof(name))
		return;
	memcpy(name, symbol->name.data, symbol->name.len);
	name[symbol->name.len] = '\0';
	if (offer->is_indirect &&
	    (GELF_ST_TYPE(symbol->sym.st_info) == STT_GNU_IFUNC || !is_variant(name, offer->wanted)))
		return;
	if (strcmp(name, offer->wanted))
		nearest__offer(&offer->near, offer->wanted, name);
}

/* Writes "; did you mean a or b?", or nothing. */
static void format_near(const struct elf_file *file, const struct search *s, char *text, size_t size)
{
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];
	struct offer offer = {.is_indirect = s->is_indirect};

	*text = '\0';
	if (s->name.len >= sizeof(offer.wanted))
		return;
	memcpy(offer.wanted, s->name.data, s->name.len);
	visit_file(file, offer_symbol, &offer);
	nearest__format(&offer.near, names, sizeof(names));
	if (*names)
		snprintf(text, size, "; did you mean %s?", names);
}

static void describe_missing(const struct elf_file *file, const char *name, const struct search *s,
			     bool has_symtab, char *message, size_t size)
{
	const int len = (int)s->name.len;
	const char *function = s->name.data;
	char near[NEAREST_MAX * (NEAREST_NAME_MAX + 8) + 32];

	format_near(file, s, near, sizeof(near));
	if (s->version)
		snprintf(message, size, "%s has no function '%.*s' of version '%s'%s", name, len, function,
			 s->version, near);
	else if (s->is_imported)
		snprintf(message, size,
			 "%s calls '%.*s' and does not have it: name the library that does, as in "
			 "LIBRARY:%.*s",
			 name, len, function, len, function);
	else if (!has_symtab)
		snprintf(message, size,
			 "%s is stripped and names no function '%.*s'%s; install its debug symbols, or give "
			 "the function's address, 0x...",
			 name, len, function, near);
	else
		snprintf(message, size, "%s has no function '%.*s'%s", name, len, function, near);
}

static void describe_several(const char *name, const char *symbol, const struct addrs *addrs, char *message,
			     size_t size)
{
	size_t len =
		(size_t)snprintf(message, size, "%s has %zu functions '%s'; give the address of one:", name,
				 addrs->nr, symbol);

	for (size_t i = 0; i < addrs->nr && i < ADDRS_MAX && len < size; i++)
		len += (size_t)snprintf(message + len, size - len, " 0x%" PRIx64, addrs->addr[i]);
	if (addrs->nr > ADDRS_MAX && len < size)
		snprintf(message + len, size - len, " ...");
}

static void describe_indirect(const struct elf_file *file, const char *name, const struct search *s,
			      char *message, size_t size)
{
	char near[NEAREST_MAX * (NEAREST_NAME_MAX + 8) + 32];

	format_near(file, s, near, sizeof(near));
	snprintf(message, size,
		 "'%.*s' of %s is an indirect function, which stands for one of several: name the one that "
		 "runs%s",
		 (int)s->name.len, (const char *)s->name.data, name, near);
}

static int resolve(const struct elf_file *file, const char *name, uint64_t addr, uint64_t *offset,
		   char *message, size_t size)
{
	uint64_t other;

	if (!elf_file__offset(file, addr, offset))
		return 0;
	if (!elf_file__address(file, addr, &other))
		snprintf(message, size,
			 "there is no code at the address 0x%" PRIx64
			 " of %s; what is at this offset in the file has the address 0x%" PRIx64,
			 addr, name, other);
	else
		snprintf(message, size, "there is no code at the address 0x%" PRIx64 " of %s", addr, name);
	return -ENOENT;
}

int elf_symbols__find(const struct elf_file *file, const char *name, const char *symbol, uint64_t *offset,
		      char *message, size_t size)
{
	const char *at = strchr(symbol, '@');
	struct search s = {
		.name = {symbol, at ? (size_t)(at - symbol) : strlen(symbol)},
		.version = at ? at + strspn(at, "@") : NULL,
	};
	const bool has_symtab = visit_file(file, match_symbol, &s);
	const struct addrs *found = s.defaults.nr ? &s.defaults : &s.old_versions;

	if (!found->nr) {
		describe_missing(file, name, &s, has_symtab, message, size);
		return -ENOENT;
	}
	if (s.is_indirect) {
		describe_indirect(file, name, &s, message, size);
		return -EOPNOTSUPP;
	}
	if (found->nr > 1) {
		describe_several(name, symbol, found, message, size);
		return -ENOTUNIQ;
	}
	return resolve(file, name, found->addr[0], offset, message, size);
}

/* The function that contains an address. */
struct cover {
	uint64_t addr;
	bool begins; /* a function begins there */
	uint64_t start;
	char function[NEAREST_NAME_MAX]; /* empty: none */
};

static void cover_symbol(const struct symbol *symbol, void *arg)
{
	const GElf_Sym *sym = &symbol->sym;
	struct cover *c = arg;

	if (sym->st_shndx == SHN_UNDEF)
		return;
	if (sym->st_value == c->addr)
		c->begins = true;
	else if (c->addr > sym->st_value && c->addr - sym->st_value < sym->st_size) {
		c->start = sym->st_value;
		snprintf(c->function, sizeof(c->function), "%.*s", (int)symbol->name.len,
			 (const char *)symbol->name.data);
	}
}

int elf_symbols__find_addr(const struct elf_file *file, const char *name, uint64_t addr, uint64_t *offset,
			   char *message, size_t size)
{
	struct cover c = {.addr = addr};
	int err = resolve(file, name, addr, offset, message, size);

	if (err)
		return err;
	visit_file(file, cover_symbol, &c);
	if (!c.begins && !*c.function && elf_file__inside_function(file, addr, &c.start))
		snprintf(c.function, sizeof(c.function), "the function at 0x%" PRIx64, c.start);
	if (c.begins || !*c.function)
		return 0;
	snprintf(message, size,
		 "0x%" PRIx64 " of %s is inside %s (+0x%" PRIx64
		 "): give the address where a function begins",
		 addr, name, c.function, addr - c.start);
	return -EINVAL;
}
