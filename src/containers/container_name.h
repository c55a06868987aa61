/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells from the path of a cgroup whose it is. Container runtimes, the kubelet, machine managers and systemd
 * name cgroups by patterns, those of a cgroupfs driver and those of a systemd driver.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CONTAINERS_CONTAINER_NAME_H
#define AUXBPF_CONTAINERS_CONTAINER_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

/* A cgroup's name is a file name: at most NAME_MAX bytes. */
#define CONTAINER_NAME_SIZE 256

enum container_kind {
	/* None of these: an interior cgroup, a payload below a container's own cgroup, a container's
	 * monitor. */
	CONTAINER_NONE,
	/* A container or a machine. */
	CONTAINER_CONTAINER,
	/* A pod of Kubernetes; its containers are below. */
	CONTAINER_POD,
	/* Any other systemd service, scope or slice. */
	CONTAINER_UNIT,
};

struct container_name {
	enum container_kind kind;
	/*
	 * The program that made it: "docker", "podman", "containerd", "cri-o", "ecs", "runc", "crun", "lxc",
	 * "nspawn", "libvirt", "kubernetes" (a pod), "systemd" (a unit); "oci" is a runtime that the path
	 * does not tell. A static string.
	 */
	const char *runtime;
	/* The container's id, the machine's name, the pod's UID (with '-'), the unit's name; without escapes.
	 */
	char id[CONTAINER_NAME_SIZE];
	/* The length of the path of the outermost container around it; 0 if it is in none. */
	size_t outer;
};

/* Reads the path of a cgroup, relative to the root of its hierarchy, as in /proc/PID/cgroup. */
void container_name__read(const char *path, struct container_name *ret) _nonnull_(1, 2);

/* Returns the last component of a path. */
const char *container_name__last(const char *path) _nonnull_(1);

/* Tells whether @text is at least @least digits of a hexadecimal number and nothing else. */
bool container_name__is_hex(const char *text, size_t least) _nonnull_(1);

/* Writes a pod's UID as Kubernetes does: with '-' where a unit's name has '_'. */
void container_name__format_uid(const char *uid, char *text, size_t size) _nonnull_(1, 2);

#endif
