#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Boots one guest. Runs as PID 1 of namespaces of its own (mounts, processes), so its end is the end of all of it.
# In: VM_ARCH, VM_ROOT, VM_GUEST and VM_KERNEL (cache), VM_SOURCE, VM_OUT, VM_ORACLE, VM_PLUGIN (host paths or empty),
# VM_CPUS, VM_MEMORY, VM_APPEND, VM_UNIT, VM_TIMEOUT (seconds, 0 none), VM_SHELL; COMMAND as arguments.
set -euo pipefail

: "${VM_ARCH:?}" "${VM_ROOT:?}" "${VM_GUEST:?}" "${VM_KERNEL:?}" "${VM_SOURCE:?}" "${VM_CPUS:?}" "${VM_MEMORY:?}" "${VM_TIMEOUT:?}"
root=$VM_ROOT/root
share=$root/lab/share

compose_root() {
	mount --bind -o ro "$root" "$root"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs -o mode=755 lab "$root/lab"
	mount -t tmpfs -o mode=1777 tmp "$root/tmp"
	mkdir "$share" "$root/lab/guest" "$root/lab/kernel"
	mount --bind -o ro "$VM_SOURCE" "$root/src"
	mount --bind -o ro "$VM_GUEST" "$root/lab/guest"
	mount --bind -o ro "$VM_KERNEL" "$root/lab/kernel"
	[ -z "$VM_OUT" ] || mount --bind "$VM_OUT" "$root/out"
	[ -z "$VM_ORACLE" ] || mount --bind "$VM_ORACLE" "$(touch "$root/lab/oracle"; echo "$root/lab/oracle")"
}

# The guest's first program and what it reads. It runs from here: the cached initramfs need not know where it is in the checkout.
write_share() { # COMMAND...
	cp -p "$VM_DIR/init" "$share/init"
	printf '%s\0' "$@" >"$share/argv"
	lab_environment >"$share/environment"
	: >"$share/stdout"
	: >"$share/stderr"
	[ -z "$VM_OUT" ] || : >"$share/has-out"
	[ -z "$VM_SHELL" ] || echo "$VM_SHELL_TTY" >"$share/shell"
}

qemu_arguments() {
	# No KVM.
	echo -nodefaults -no-user-config -no-reboot -display none -accel tcg,thread=multi
	machine_arguments
	echo -kernel /lab/kernel/vmlinuz -initrd /lab/kernel/initramfs.cpio
	echo -drive if=virtio,format=raw,readonly=on,file=/lab/guest/root.erofs
	echo -drive if=virtio,format=raw,readonly=on,file=/lab/kernel/modules.erofs
	# multidevs: DIR may hold mounts of other file systems, whose inode numbers may collide.
	echo -virtfs local,path=/src,mount_tag=src,security_model=none,readonly=on,multidevs=remap
	echo -virtfs local,path=/lab/share,mount_tag=lab,security_model=none
	[ -z "$VM_OUT" ] || echo -virtfs local,path=/out,mount_tag=out,security_model=none,multidevs=remap
	echo -serial file:/lab/console
	[ -z "$VM_SHELL" ] || { echo -chardev stdio,id=shell,signal=off && machine_shell shell; }
	[ -z "$VM_PLUGIN" ] || echo -plugin "/src/$VM_PLUGIN${VM_ORACLE:+,oracle=/lab/oracle}$(machine_plugin_options)${VM_UNIT:+,$VM_UNIT}"
	[ -z "$VM_OTHER_PLUGIN" ] || echo -plugin "/src/$VM_OTHER_PLUGIN"
}

# Copies what the guest writes, until QEMU is gone and all is copied.
tail_of() { # file
	tail --pid="$qemu" -s 0.1 -c +1 -f "$share/$1"
}

boot() {
	local arguments parameters
	machine_prepare
	mapfile -t arguments < <(qemu_arguments | tr ' ' '\n')
	parameters="$(machine_parameters) quiet panic=-1 $VM_APPEND"
	if [ -n "$VM_SHELL" ]; then
		chroot "$root" "$VM_QEMU" "${arguments[@]}" -append "$parameters" 2>"$root/lab/qemu" || qemu_status=$?
		return
	fi
	timeout -k 5 "$VM_TIMEOUT" chroot "$root" "$VM_QEMU" "${arguments[@]}" -append "$parameters" \
		</dev/null >"$root/lab/qemu" 2>&1 &
	qemu=$!
	exec 3>&2
	tail_of stdout 2>/dev/null &
	tail_of stderr 2>/dev/null >&3 3>&- &
	wait "$qemu" || qemu_status=$?
	wait
}

# The console's end, and what it began with if that is further up.
show_console() {
	local console=$root/lab/console
	[ ! -s "$root/lab/qemu" ] || sed 's/^/lab: qemu: /' "$root/lab/qemu" >&2
	[ -s "$console" ] || return 0
	{
		head -n -40 "$console" | grep -E 'Kernel panic|BUG:|Oops:' || true
		tail -n 40 "$console"
	} | tr -d '\r' | sed 's/^/lab: console: /' >&2
}

# What a guest has no use for and every allocation and system call would pay for; and of the start,
# the tests of ciphers, which would take an emulated CPU half a second.
# shellcheck disable=SC2034 # for the machine
VM_PLAIN='init_on_alloc=0 apparmor=0 audit=0 cryptomgr.notests'

# shellcheck source=environment.sh
. "$VM_DIR/environment.sh"
# shellcheck source=machine_aarch64.sh
. "$VM_DIR/machine_$VM_ARCH.sh"
compose_root
write_share "$@"
qemu_status=0
boot

if [ -s "$share/status" ]; then
	exit "$(cat "$share/status")"
fi
show_console
case $qemu_status in
	124 | 137) echo "lab: the guest was still running after $VM_TIMEOUT s: killed" >&2; exit 124 ;;
	0) echo "lab: the guest went down before COMMAND ended" >&2 ;;
	*) echo "lab: QEMU ended with status $qemu_status" >&2 ;;
esac
exit 125
