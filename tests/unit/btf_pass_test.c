// SPDX-License-Identifier: GPL-2.0-only
#include "loader/btf_pass.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* What a pass saw, one line: "ID:NAME " of each type. */
struct seen {
	char text[512];
	const char *stop;
	uint32_t offset;
	int bit_field; /* was taken for one that has a place in bytes */
};

static int see(void *ctx, const struct btf_pass_type *type)
{
	struct seen *seen = ctx;
	size_t len = strlen(seen->text);
	uint32_t offset;

	snprintf(seen->text + len, sizeof(seen->text) - len, "%u:%s ", type->id, type->name);
	if (btf_pass__offset(type, "two", &offset))
		seen->offset = offset;
	seen->bit_field += btf_pass__offset(type, "bit", &offset);
	return seen->stop && !strcmp(type->name, seen->stop) ? 7 : 0;
}

/* A type of each kind, in the order of its number. */
static struct btf *make_all_kinds(void)
{
	struct btf *btf = btf__new_empty();
	bool ok = btf__add_int(btf, "int", 4, 0) == 1 && btf__add_ptr(btf, 1) == 2 &&
		  btf__add_array(btf, 1, 1, 3) == 3 && btf__add_struct(btf, "struct", 8) == 4 &&
		  !btf__add_field(btf, "one", 1, 0, 0) && !btf__add_field(btf, "bit", 1, 4, 3) &&
		  !btf__add_field(btf, "two", 1, 32, 0) && btf__add_union(btf, "union", 4) == 5 &&
		  !btf__add_field(btf, "all", 1, 0, 0) && btf__add_enum(btf, "enum", 4) == 6 &&
		  !btf__add_enum_value(btf, "A", 1) && btf__add_fwd(btf, "fwd", BTF_FWD_STRUCT) == 7 &&
		  btf__add_typedef(btf, "typedef", 1) == 8 && btf__add_volatile(btf, 1) == 9 &&
		  btf__add_const(btf, 1) == 10 && btf__add_restrict(btf, 2) == 11 &&
		  btf__add_func_proto(btf, 1) == 12 && !btf__add_func_param(btf, "arg", 1) &&
		  btf__add_func(btf, "func", BTF_FUNC_GLOBAL, 12) == 13 &&
		  btf__add_var(btf, "var", BTF_VAR_STATIC, 1) == 14 &&
		  btf__add_datasec(btf, "datasec", 4) == 15 && !btf__add_datasec_var_info(btf, 14, 0, 4) &&
		  btf__add_float(btf, "float", 8) == 16 && btf__add_decl_tag(btf, "decl_tag", 13, -1) == 17 &&
		  btf__add_type_tag(btf, "type_tag", 1) == 18 &&
		  btf__add_enum64(btf, "enum64", 8, false) == 19 &&
		  !btf__add_enum64_value(btf, "B", 1ull << 40) && btf__add_typedef(btf, "last", 8) == 20;

	CHECK(ok);
	return btf;
}

static void test_all_kinds(void)
{
	static const char all[] =
		"1:int 4:struct 5:union 6:enum 7:fwd 8:typedef 13:func 14:var 15:datasec 16:float "
		"17:decl_tag 18:type_tag 19:enum64 20:last ";
	struct btf *btf = make_all_kinds();
	struct seen seen = {0}, some = {.stop = "struct"};
	unsigned int size;
	const void *data = btf__raw_data(btf, &size);

	CHECK_EQ(btf_pass__run(data, size, see, &seen), 0);
	CHECK_STREQ(seen.text, all);
	CHECK_EQ(seen.offset, 4);
	CHECK_EQ(seen.bit_field, 0);
	CHECK_EQ(btf_pass__run(data, size, see, &some), 7);
	CHECK(btf_pass__may_have(data, size, "func"));
	CHECK(!btf_pass__may_have(data, size, "fun"));
	CHECK_STREQ(some.text, "1:int 4:struct ");
	btf__free(btf);
}

/* In memory of just that size, where the sanitizers see a byte too much being read. */
static int run_copy(const void *data, size_t size)
{
	void *copy = memcpy(malloc(size ? size : 1), data, size);
	struct seen seen = {0};
	int err = btf_pass__run(copy, size, see, &seen);

	free(copy);
	return err;
}

static void test_anything(void)
{
	struct btf *btf = make_all_kinds();
	unsigned int size;
	const char *data = btf__raw_data(btf, &size);
	char *broken = memcpy(malloc(size), data, size);
	int fine = 0;

	for (size_t len = 0; len < size; len++)
		CHECK_EQ(run_copy(data, len), -EINVAL);
	for (size_t at = 0; at < size; at++) {
		for (int bit = 0; bit < 8; bit++) {
			broken[at] = (char)(data[at] ^ 1 << bit);
			fine += !run_copy(broken, size);
		}
		broken[at] = data[at];
	}
	/* What is in a type or a name may be anything; the rest is found to be wrong. */
	CHECK(fine > 0 && (size_t)fine < 8 * (size_t)size);
	free(broken);
	btf__free(btf);
}

static void test_unknown_kind(void)
{
	struct btf *btf = make_all_kinds();
	unsigned int size;
	const char *data = btf__raw_data(btf, &size);
	char *later = memcpy(malloc(size), data, size);
	const size_t at = sizeof(struct btf_header) + offsetof(struct btf_type, info);

	memcpy(later + at, &(uint32_t){(uint32_t)NR_BTF_KINDS << 24}, sizeof(uint32_t));
	CHECK_EQ(run_copy(later, size), -EINVAL);
	free(later);
	btf__free(btf);
}

int main(void)
{
	test_all_kinds();
	test_anything();
	test_unknown_kind();
	return check__done();
}
