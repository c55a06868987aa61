#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs COMMAND on this machine's kernel in the guest's root file system. Runs in mount and PID namespaces of its own, as
# PID 1, which COMMAND is not: signals whose default would end it do not reach that.
# In: VM_ARCH, VM_ROOT, VM_GUEST, VM_SOURCE, VM_OUT (or empty); COMMAND as arguments.
set -euo pipefail

: "${VM_ROOT:?}" "${VM_GUEST:?}" "${VM_SOURCE:?}"
root=$VM_GUEST/root

# An Arm guest's programs cannot run here: those of the x86_64 root do, from /lab, where the guest has none; their libraries
# are where they look for them, beside the guest's.
compose_x86_64() {
	local lib
	mount --bind -o ro "$VM_ROOT/root" "$root/lab"
	for lib in usr/lib64 usr/lib/x86_64-linux-gnu; do
		mount --bind -o ro "$VM_ROOT/root/$lib" "$root/$lib"
	done
}

mount --bind -o ro "$root" "$root"
for dir in proc sys dev; do mount --rbind "/$dir" "$root/$dir"; done
for dir in tmp root run; do mount -t tmpfs tmpfs "$root/$dir"; done
chmod 1777 "$root/tmp"
mount --bind -o ro "$VM_SOURCE" "$root/src"
if [ -n "$VM_OUT" ]; then mount --bind "$VM_OUT" "$root/out"; else mount -t tmpfs tmpfs "$root/out"; fi

# shellcheck source=environment.sh
. "$VM_DIR/environment.sh"
if [ "$VM_GUEST" = "$VM_ROOT" ]; then
	mapfile -d '' -t environment < <(lab_environment)
	env=/usr/bin/env
else
	compose_x86_64
	mapfile -d '' -t environment < <(lab_environment /lab/usr/sbin:/lab/usr/bin)
	env=/lab/usr/bin/env
fi
chroot "$root" "$env" -i -C /src "${environment[@]}" "$@"
