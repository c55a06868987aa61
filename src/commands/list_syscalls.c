// SPDX-License-Identifier: GPL-2.0-only
#include "commands/list_syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/log.h"
#include "commands/list_json.h"
#include "rules/syscall_class.h"
#include "rules/syscall_set.h"

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
		json__append_text(list, name);
	}
	return list;
}

static void json_add(struct json_object *list, int nr, const char *name)
{
	struct json_object *object = json_object_new_object();

	json__add_i64(object, "number", nr);
	json__add_text(object, "name", name);
	json__add(object, "classes", json_classes(name));
	json__append(list, object);
}

/* Prints the calls, or with @list appends them to it. */
static int list_all(struct json_object *list)
{
	int err = 0;

	for (int nr = 0; !err && nr < AUXBPF_MAX_SYSCALLS; nr++) {
		_cleanup_free_ char *name = NULL;

		err = syscall__name(nr, false, &name);
		if (name && list)
			json_add(list, nr, name);
		else if (name)
			print_text(nr, name);
	}
	return err;
}

static int print_json(void)
{
	struct json_object *list = json_object_new_array(), *object = list_json__new();
	int err = list ? list_all(list) : -ENOMEM;

	json__add(object, "syscalls", list);
	if (err)
		json_object_put(object);
	else
		list_json__print(object);
	return err;
}

int list_syscalls__print(bool json)
{
	int err = json ? print_json() : list_all(NULL);

	if (err)
		log_err("cannot list the system calls: %s", strerror(-err));
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
