// SPDX-License-Identifier: GPL-2.0-only
#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

/* A value must begin with a digit: strtoull() would accept a sign and leading blanks. */
static int parse_prefix_u64(const char *s, int base, uint64_t *ret, const char **rest)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*ret = strtoull(s, &end, base);
	if (errno == ERANGE)
		return -ERANGE;
	*rest = end;
	return 0;
}

int parse__u64(const char *s, uint64_t *ret)
{
	const char *rest;
	int err = parse_prefix_u64(s, 0, ret, &rest);

	if (err)
		return err;
	return *rest ? -EINVAL : 0;
}

int parse__pid(const char *s, int *ret)
{
	const char *rest;
	uint64_t val;
	int err = parse_prefix_u64(s, 10, &val, &rest);

	if (err)
		return err;
	if (*rest)
		return -EINVAL;
	if (val < 1 || val > INT_MAX)
		return -ERANGE;
	*ret = (int)val;
	return 0;
}

static int unit_shift(const char *unit)
{
	static const char letters[] = "kmg";
	const char *letter;

	if (!*unit || !strcasecmp(unit, "b"))
		return 0;
	letter = strchr(letters, tolower((unsigned char)*unit));
	if (!letter)
		return -EINVAL;
	if (unit[1] && strcasecmp(unit + 1, "b") && strcasecmp(unit + 1, "ib"))
		return -EINVAL;
	return 10 * (int)(letter - letters + 1);
}

int parse__size(const char *s, uint64_t *ret)
{
	const char *unit;
	uint64_t val;
	int shift, err = parse_prefix_u64(s, 10, &val, &unit);

	if (err)
		return err;
	shift = unit_shift(unit);
	if (shift < 0)
		return shift;
	if (val > UINT64_MAX >> shift)
		return -ERANGE;
	*ret = val << shift;
	return 0;
}

int parse__time(const char *s, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ns", 1},	   {"us", 1000},	  {"ms", 1000000},
		{"s", 1000000000}, {"m", 60000000000ull}, {"h", 3600000000000ull},
	};
	const char *unit;
	uint64_t val;
	int err = parse_prefix_u64(s, 10, &val, &unit);

	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcasecmp(unit, units[i].name))
			continue;
		if (val > UINT64_MAX / units[i].ns)
			return -ERANGE;
		*ns = val * units[i].ns;
		return 0;
	}
	return -EINVAL;
}

/* Parses seconds, which end at @rest. */
static int parse_seconds(const char *s, uint64_t *ns, const char **rest)
{
	uint64_t seconds, unit = 1000000000, parts = 0;
	int err = parse_prefix_u64(s, 10, &seconds, rest);

	if (err)
		return err;
	if (**rest == '.') {
		for (++*rest; isdigit((unsigned char)**rest) && unit > 1; ++*rest) {
			unit /= 10;
			parts += (uint64_t)(**rest - '0') * unit;
		}
	}
	return __builtin_mul_overflow(seconds, 1000000000, ns) || __builtin_add_overflow(*ns, parts, ns)
		       ? -ERANGE
		       : 0;
}

int parse__time_range(const char *s, uint64_t *begin, uint64_t *end)
{
	const char *rest = s;
	int err = 0;

	*begin = 0;
	*end = UINT64_MAX;
	if (*s != ',')
		err = parse_seconds(s, begin, &rest);
	if (!err && *rest != ',')
		err = -EINVAL;
	if (!err && rest[1]) {
		err = parse_seconds(rest + 1, end, &rest);
		if (!err && *rest)
			err = -EINVAL;
	}
	if (err)
		return err;
	return *begin > *end ? -ERANGE : 0;
}

static int parse_cpu_range(const char *s, uint64_t *first, uint64_t *last, const char **rest)
{
	int err = parse_prefix_u64(s, 10, first, rest);

	if (err)
		return err;
	*last = *first;
	if (**rest == '-') {
		err = parse_prefix_u64(*rest + 1, 10, last, rest);
		if (err)
			return err;
	}
	if (*last < *first)
		return -EINVAL;
	return *last > 65535 ? -ERANGE : 0;
}

int parse__cpu_list(const char *s, int *cpus, int max)
{
	uint64_t first, last;
	int err, n = 0;

	for (;;) {
		err = parse_cpu_range(s, &first, &last, &s);
		if (err)
			return err;
		for (; first <= last; first++, n++) {
			if (n < max)
				cpus[n] = (int)first;
		}
		if (!*s || !strcmp(s, "\n"))
			return n;
		if (*s++ != ',')
			return -EINVAL;
	}
}
