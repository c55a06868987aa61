// SPDX-License-Identifier: GPL-2.0-only
#include "rules/function_name.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

/* Tells whether @s is a C identifier, with the suffixes that compilers add behind a dot. */
static bool is_kernel_symbol(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_' || *s == '.')
		s++;
	return !*s;
}

static int parse_kernel(const char *where, struct function_name *ret, char *message, size_t size)
{
	if (strchr(where, '/')) {
		snprintf(message, size, "which function of %s? %s:FUNCTION names one", where, where);
		return -EINVAL;
	}
	if (isdigit((unsigned char)*where)) {
		snprintf(message, size, "a function of the kernel goes by its name, not by an address: '%s'",
			 where);
		return -EINVAL;
	}
	if (!is_kernel_symbol(where)) {
		snprintf(message, size,
			 "'%s' is no name of a function; the forms are NAME for the kernel's, "
			 "/PATH:NAME, /PATH:0xADDRESS and LIBRARY:NAME",
			 where);
		return -EINVAL;
	}
	ret->symbol = strdup(where);
	return ret->symbol ? 0 : -ENOMEM;
}

static int parse_address(const char *where, const char *address, struct function_name *ret, char *message,
			 size_t size)
{
	if (parse__u64(address, &ret->addr)) {
		snprintf(message, size, "'%s' in '%s' is no address; 0x401136 is one", address, where);
		return -EINVAL;
	}
	return 0;
}

static int parse_user(const char *where, const char *colon, struct function_name *ret, char *message,
		      size_t size)
{
	if (colon == where || !colon[1]) {
		snprintf(message, size, "'%s' names no %s; the form is /PATH:FUNCTION or LIBRARY:FUNCTION",
			 where, colon == where ? "file" : "function");
		return -EINVAL;
	}
	if (colon > where && colon[-1] == ':') {
		snprintf(message, size,
			 "'%s': C++ functions go by the name that the linker sees (nm without -C), as in "
			 "/PATH:_ZN3foo3barEv",
			 where);
		return -EINVAL;
	}
	ret->binary = strndup(where, (size_t)(colon - where));
	if (!ret->binary)
		return -ENOMEM;
	if (isdigit((unsigned char)colon[1]))
		return parse_address(where, colon + 1, ret, message, size);
	ret->symbol = strdup(colon + 1);
	return ret->symbol ? 0 : -ENOMEM;
}

int function_name__parse(const char *where, struct function_name *ret, char *message, size_t size)
{
	/* The last colon ends the path, since paths may have colons and symbols do not. */
	const char *colon = strrchr(where, ':');

	*ret = (struct function_name){0};
	*message = '\0';
	if (!*where) {
		snprintf(message, size, "an empty name of a function");
		return -EINVAL;
	}
	return colon ? parse_user(where, colon, ret, message, size) : parse_kernel(where, ret, message, size);
}

void function_name__release(struct function_name *spec)
{
	free(spec->binary);
	free(spec->symbol);
	*spec = (struct function_name){0};
}

/* Skips a version such as "2.31" or ".6". */
static const char *skip_version(const char *s)
{
	while (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1])))
		s++;
	return s;
}

bool function_name__is_file(const char *name, const char *file)
{
	const size_t len = strlen(name);
	const char *rest = file + len;

	if (strncmp(name, file, len))
		return false;
	if (!*rest)
		return true;
	if (!strstr(file, ".so"))
		return false;
	if (*rest == '-')
		rest = skip_version(rest + 1);
	if (!strncmp(rest, ".so", 3))
		rest += 3;
	return *rest != '-' && !isdigit((unsigned char)*rest) && !*skip_version(rest);
}
