// SPDX-License-Identifier: GPL-2.0-only
#include "loader/btf_pass.h"

#include <errno.h>
#include <string.h>

/* The bytes that follow a struct btf_type: some once, and some for each element that it counts. */
struct extra {
	uint8_t once, each;
	bool known;
};

static const struct extra extras[NR_BTF_KINDS] = {
	[BTF_KIND_INT] = {sizeof(uint32_t), 0, true},
	[BTF_KIND_PTR] = {0, 0, true},
	[BTF_KIND_ARRAY] = {sizeof(struct btf_array), 0, true},
	[BTF_KIND_STRUCT] = {0, sizeof(struct btf_member), true},
	[BTF_KIND_UNION] = {0, sizeof(struct btf_member), true},
	[BTF_KIND_ENUM] = {0, sizeof(struct btf_enum), true},
	[BTF_KIND_FWD] = {0, 0, true},
	[BTF_KIND_TYPEDEF] = {0, 0, true},
	[BTF_KIND_VOLATILE] = {0, 0, true},
	[BTF_KIND_CONST] = {0, 0, true},
	[BTF_KIND_RESTRICT] = {0, 0, true},
	[BTF_KIND_FUNC] = {0, 0, true},
	[BTF_KIND_FUNC_PROTO] = {0, sizeof(struct btf_param), true},
	[BTF_KIND_VAR] = {sizeof(struct btf_var), 0, true},
	[BTF_KIND_DATASEC] = {0, sizeof(struct btf_var_secinfo), true},
	[BTF_KIND_FLOAT] = {0, 0, true},
	[BTF_KIND_DECL_TAG] = {sizeof(struct btf_decl_tag), 0, true},
	[BTF_KIND_TYPE_TAG] = {0, 0, true},
	[BTF_KIND_ENUM64] = {0, sizeof(struct btf_enum64), true},
};

/* The two sections that are used, in place. */
struct sections {
	const char *types, *names;
	size_t types_size, names_size;
};

/* Finds the sections. The names must end with a NUL, so that each of them does. */
static int find_sections(const char *btf, size_t size, struct sections *s)
{
	struct btf_header header;
	uint64_t types, names;

	if (size < sizeof(header))
		return -EINVAL;
	memcpy(&header, btf, sizeof(header));
	types = (uint64_t)header.hdr_len + header.type_off;
	names = (uint64_t)header.hdr_len + header.str_off;
	if (header.magic != BTF_MAGIC || types + header.type_len > size || names + header.str_len > size ||
	    types % sizeof(uint32_t) || !header.str_len || btf[names + header.str_len - 1])
		return -EINVAL;
	s->types = btf + types;
	s->types_size = header.type_len;
	s->names = btf + names;
	s->names_size = header.str_len;
	return 0;
}

/* Returns the size of a type, of which @left bytes are there; 0 if it is invalid or of an unknown kind. */
static size_t type_size(const struct btf_type *type, size_t left)
{
	const uint32_t kind = BTF_INFO_KIND(type->info);
	size_t size;

	if (kind >= NR_BTF_KINDS || !extras[kind].known)
		return 0;
	size = sizeof(*type) + extras[kind].once + (size_t)extras[kind].each * BTF_INFO_VLEN(type->info);
	return size > left ? 0 : size;
}

bool btf_pass__may_have(const void *btf, size_t size, const char *name)
{
	struct sections s;

	return find_sections(btf, size, &s) || memmem(s.names, s.names_size, name, strlen(name) + 1);
}

int btf_pass__run(const void *btf, size_t size, btf_pass_fn fn, void *ctx)
{
	struct sections s;
	size_t at, len;
	uint32_t id = 1;
	int err = find_sections(btf, size, &s);

	for (at = 0; !err && at < s.types_size; at += len, id++) {
		const struct btf_type *type = (const void *)(s.types + at);

		len = s.types_size - at < sizeof(*type) ? 0 : type_size(type, s.types_size - at);
		if (!len || type->name_off >= s.names_size)
			return -EINVAL;
		if (s.names[type->name_off])
			err = fn(ctx, &(struct btf_pass_type){id, type, s.names + type->name_off, s.names,
							      s.names_size});
	}
	return err;
}

/* Computes a member's offset in bytes; false for a bit field. A structure with bit fields has a flag, and
 * each offset then has the size of the bit field in its upper byte. */
static bool offset_of(const struct btf_pass_type *type, const struct btf_member *member, uint32_t *ret)
{
	uint32_t bits = member->offset;

	if (BTF_INFO_KFLAG(type->type->info) && BTF_MEMBER_BITFIELD_SIZE(bits))
		return false;
	if (BTF_INFO_KFLAG(type->type->info))
		bits = BTF_MEMBER_BIT_OFFSET(bits);
	*ret = bits / 8;
	return bits % 8 == 0;
}

bool btf_pass__offset(const struct btf_pass_type *type, const char *name, uint32_t *ret)
{
	const struct btf_member *members = (const void *)(type->type + 1);

	if (BTF_INFO_KIND(type->type->info) != BTF_KIND_STRUCT)
		return false;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->type->info); i++)
		if (members[i].name_off < type->names_size &&
		    !strcmp(type->names + members[i].name_off, name))
			return offset_of(type, &members[i], ret);
	return false;
}
