// SPDX-License-Identifier: GPL-2.0-only
#include "commands/list_syscalls.h"

#include <seccomp.h>
#include <stdio.h>
#include <string.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "commands/list_json.h"
#include "rules/syscall_class.h"

/* Returns the next class from *@at on that has the system call, or NULL. */
static const char *next_class(size_t *at, const char *syscall)
{
	const struct syscall_class *class;

	while ((class = syscall_class__at((*at)++))) {
		if (syscall_class__has(class, syscall))
			return syscall_class__name(class);
	}
	return NULL;
}

static void print_text(int nr, const char *name)
{
	const char *class;
	size_t at = 0;

	printf("%4d %s", nr, name);
	for (int width = 24; (class = next_class(&at, name)); width = 0)
		printf("%*s %%%s", width > (int)strlen(name) ? width - (int)strlen(name) : 0, "", class);
	puts("");
}

static struct json_object *json_classes(const char *syscall)
{
	struct json_object *list = json_object_new_array();
	const char *class;
	char name[32];
	size_t at = 0;

	while ((class = next_class(&at, syscall))) {
		snprintf(name, sizeof(name), "%%%s", class);
		json__append(list, json__text(name));
	}
	return list;
}

static void json_add(struct json_object *list, int nr, const char *name)
{
	struct json_object *object = json_object_new_object();

	json__add(object, "number", json_object_new_int(nr));
	json__add(object, "name", json__text(name));
	json__add(object, "classes", json_classes(name));
	json__append(list, object);
}

int list_syscalls__print(bool json)
{
	struct json_object *list = json_object_new_array(), *object = list_json__new();

	for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++) {
		_cleanup_free_ char *name = seccomp_syscall_resolve_num_arch(seccomp_arch_native(), nr);

		if (name && json)
			json_add(list, nr, name);
		else if (name)
			print_text(nr, name);
	}
	json__add(object, "syscalls", list);
	if (json)
		list_json__print(object);
	else
		json_object_put(object);
	return EXIT_SUCCESS;
}
