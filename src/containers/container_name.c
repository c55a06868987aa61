// SPDX-License-Identifier: GPL-2.0-only
#include "containers/container_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

enum id_form {
	/* 64 hexadecimal digits. */
	ID_HEX,
	/* Amazon's container service: 32 hexadecimal digits, '-' and a number. */
	ID_ECS,
	/* Any name. */
	ID_NAME,
	/* libvirt's form: a number and '-' before the name. */
	ID_NUMBERED,
};

struct pattern {
	/* NULL: what fits the pattern is no container. */
	const char *runtime;
	/* The component above; NULL: any. */
	const char *parent;
	const char *prefix;
	const char *suffix;
	enum id_form id;
};

/* The first pattern that fits counts. Prefixes are as in the path, so '-' in a machine's name is "\x2d". */
static const struct pattern patterns[] = {
	{NULL, NULL, "crio-conmon-", "", ID_NAME},
	{NULL, NULL, "libpod-conmon-", "", ID_NAME},
	{NULL, NULL, "lxc.monitor", "", ID_NAME},
	{NULL, NULL, "lxc.pivot", "", ID_NAME},
	{"docker", NULL, "docker-", ".scope", ID_HEX},
	{"docker", "docker", "", "", ID_HEX},
	{"docker", "actions_job", "", "", ID_HEX},
	{"podman", NULL, "libpod-", ".scope", ID_HEX},
	{"podman", NULL, "libpod-", "", ID_HEX},
	{"podman", NULL, "libpod-payload-", ".scope", ID_HEX},
	{"podman", NULL, "libpod-payload-", "", ID_HEX},
	{"containerd", NULL, "cri-containerd-", ".scope", ID_HEX},
	{"containerd", NULL, "nerdctl-", ".scope", ID_HEX},
	{"cri-o", NULL, "crio-", ".scope", ID_HEX},
	{"cri-o", NULL, "crio-", "", ID_HEX},
	{"runc", NULL, "runc-", ".scope", ID_NAME},
	{"crun", NULL, "crun-", ".scope", ID_NAME},
	{"ecs", NULL, "", "", ID_ECS},
	{"nomad", "share.slice", "", ".scope", ID_NAME},
	{"nomad", "reserve.slice", "", ".scope", ID_NAME},
	{"nomad", "nomad.slice", "", ".scope", ID_NAME},
	{"lxc", NULL, "lxc.payload.", "", ID_NAME},
	{"lxc", "lxc.payload", "", "", ID_NAME},
	{"lxc", "lxc", "", "", ID_NAME},
	{"libvirt", NULL, "machine-qemu\\x2d", ".scope", ID_NUMBERED},
	{"libvirt", NULL, "machine-lxc\\x2d", ".scope", ID_NUMBERED},
	{"libvirt", NULL, "", ".libvirt-qemu", ID_NAME},
	{"libvirt", NULL, "", ".libvirt-lxc", ID_NAME},
	{"nspawn", NULL, "machine-", ".scope", ID_NAME},
	{"nspawn", NULL, "systemd-nspawn@", ".service", ID_NAME},
	{"oci", NULL, "", "", ID_HEX},
};

static size_t hex_digits(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

bool container_name__is_hex(const char *text, size_t least)
{
	size_t len = hex_digits(text);

	return len >= least && !text[len];
}

const char *container_name__last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void container_name__format_uid(const char *uid, char *text, size_t size)
{
	snprintf(text, size, "%s", uid);
	for (char *s = text; (s = strchr(s, '_'));)
		*s = '-';
}

static bool ends_with(const char *text, const char *suffix)
{
	size_t len = strlen(text), n = strlen(suffix);

	return len >= n && !strcmp(text + len - n, suffix);
}

/* Writes what is between @prefix and @suffix of @component to @ret; false if there is nothing. */
static bool cut(const char *component, const char *prefix, const char *suffix, char *ret)
{
	size_t before = strlen(prefix), after = strlen(suffix), len = strlen(component);

	if (len <= before + after || strncmp(component, prefix, before) || !ends_with(component, suffix))
		return false;
	snprintf(ret, CONTAINER_NAME_SIZE, "%.*s", (int)(len - before - after), component + before);
	return true;
}

/* Undoes systemd's escapes: a byte that a unit's name cannot have is \xHH (systemd.unit(5)). */
static void unescape(char *text)
{
	char *to = text, digits[3] = "";

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] == 'x' && isxdigit((unsigned char)from[2]) &&
		    isxdigit((unsigned char)from[3])) {
			memcpy(digits, from + 2, 2);
			*to = (char)strtol(digits, NULL, 16);
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* Drops libvirt's number of the start, which is before the name. */
static bool drop_number(char *id)
{
	size_t digits = strspn(id, "0123456789");

	if (!digits || id[digits] != '-' || !id[digits + 1])
		return false;
	memmove(id, id + digits + 1, strlen(id + digits + 1) + 1);
	return true;
}

static bool is_ecs_id(const char *id)
{
	const char *number = id + 33;

	return hex_digits(id) == 32 && id[32] == '-' && *number && !number[strspn(number, "0123456789")];
}

static bool take_id(enum id_form form, char *id)
{
	unescape(id);
	switch (form) {
	case ID_HEX:
		return strlen(id) == 64 && container_name__is_hex(id, 64);
	case ID_ECS:
		return is_ecs_id(id);
	case ID_NUMBERED:
		return drop_number(id);
	case ID_NAME:
		break;
	}
	return true;
}

static const struct pattern *find_pattern(const char *component, const char *parent, char *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		const struct pattern *p = &patterns[i];

		if ((!p->parent || !strcmp(p->parent, parent)) && cut(component, p->prefix, p->suffix, id) &&
		    take_id(p->id, id))
			return p;
	}
	return NULL;
}

/* Tells whether @uid has the form of RFC 4122, or the 32 digits without '-' of a static pod. */
static bool is_pod_uid(const char *uid)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	if (strlen(uid) == 32 && container_name__is_hex(uid, 32))
		return true;
	if (strlen(uid) != strlen(form))
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == '-' ? uid[i] != '-' : !strchr("0123456789abcdef", uid[i]))
			return false;
	return true;
}

/* Reads "pod<uid>", or "kubepods[-QOS]-pod<uid>.slice", before which some put a prefix ("kubelet-"). */
static bool read_pod(const char *component, char *uid)
{
	const char *pod = component, *next;
	char text[CONTAINER_NAME_SIZE];

	if (ends_with(component, ".slice")) {
		if (!strstr(component, "kubepods"))
			return false;
		while ((next = strstr(pod + 1, "-pod")))
			pod = next;
		if (!cut(pod, "-pod", ".slice", text))
			return false;
	} else if (!cut(component, "pod", "", text)) {
		return false;
	}
	container_name__format_uid(text, uid, CONTAINER_NAME_SIZE);
	return is_pod_uid(uid);
}

static bool is_unit(const char *component)
{
	return ends_with(component, ".service") || ends_with(component, ".scope") ||
	       ends_with(component, ".slice");
}

static void set_name(struct container_name *name, enum container_kind kind, const char *runtime)
{
	name->kind = kind;
	name->runtime = runtime;
}

/*
 * Reads "SLICE:PREFIX:ID" as the scope that was meant: a runtime with a cgroupfs driver that is given a path
 * for a systemd driver makes a cgroup of that name.
 */
static void resolve_colons(char *component)
{
	const char *prefix = strchr(component, ':');
	const char *id = prefix ? strchr(prefix + 1, ':') : NULL;
	char scope[CONTAINER_NAME_SIZE + 8] = "";

	if (!id || !id[1])
		return;
	snprintf(scope, sizeof(scope), "%.*s-%s.scope", (int)(id - prefix - 1), prefix + 1, id + 1);
	memcpy(component, scope, CONTAINER_NAME_SIZE - 1);
}

static void read_component(char *component, const char *parent, struct container_name *name)
{
	const struct pattern *p;

	resolve_colons(component);
	p = find_pattern(component, parent, name->id);
	if (p && p->runtime) {
		set_name(name, CONTAINER_CONTAINER, p->runtime);
	} else if (!p && read_pod(component, name->id)) {
		set_name(name, CONTAINER_POD, "kubernetes");
	} else if (!p && is_unit(component)) {
		set_name(name, CONTAINER_UNIT, "systemd");
		snprintf(name->id, sizeof(name->id), "%s", component);
		unescape(name->id);
	} else {
		set_name(name, CONTAINER_NONE, NULL);
		name->id[0] = '\0';
	}
}

void container_name__read(const char *path, struct container_name *ret)
{
	char component[CONTAINER_NAME_SIZE] = {0}, parent[CONTAINER_NAME_SIZE];
	const char *s = path, *end = path;
	size_t len;

	*ret = (struct container_name){0};
	while (*(s += strspn(s, "/"))) {
		if (ret->kind == CONTAINER_CONTAINER && !ret->outer)
			ret->outer = (size_t)(end - path);
		len = strcspn(s, "/");
		memcpy(parent, component, sizeof(parent));
		/* A name that is too long for any file system is read as an empty one. */
		snprintf(component, sizeof(component), "%.*s", len < sizeof(component) ? (int)len : 0, s);
		read_component(component, parent, ret);
		s += len;
		end = s;
	}
}
