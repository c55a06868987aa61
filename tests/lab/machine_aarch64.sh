# SPDX-License-Identifier: GPL-2.0-only
# QEMU's machine for an Arm guest. What it has is in a device tree of QEMU's, which knows no trace unit: one is added.
# shellcheck shell=bash disable=SC2034,SC2154 # shared with vm.sh

VM_QEMU=/lab/guest/qemu-system-aarch64
VM_SHELL_TTY=hvc0

# Pointers are signed by a quick hash instead of an emulated cipher; 52-bit addresses would only mean more tables to walk,
# and the state of the vector extensions is some kilobytes per task.
machine_base() {
	echo -machine "virt,gic-version=3${1-}" -m "$VM_MEMORY" -smp "$VM_CPUS"
	echo -cpu max,pauth-impdef=on,lpa2=off,sve=off,sme=off
}

machine_arguments() {
	machine_base
	[ -z "$VM_PLUGIN" ] || echo -dtb /lab/devices.dtb
}

machine_shell() { # chardev
	echo -device virtio-serial -device "virtconsole,chardev=$1"
}

machine_parameters() {
	echo "console=ttyAMA0"
}

# As the kernel's bindings arm,embedded-trace-extension.yaml and arm,trace-buffer-extension.yaml describe the unit.
machine_prepare() {
	local arguments cpu
	[ -n "$VM_PLUGIN" ] || return 0
	mapfile -t arguments < <(machine_base ,dumpdtb=/lab/devices.dtb | tr ' ' '\n')
	chroot "$root" "$VM_QEMU" -nodefaults -display none "${arguments[@]}" >/dev/null
	for cpu in $(device_tree get -l /cpus | grep '^cpu@'); do
		device "ete${cpu#cpu@}" arm,embedded-trace-extension cpu "$(device_tree get -tx "/cpus/$cpu" phandle)"
	done
	# An interrupt private to each CPU, the fifth of them, as Arm's Base System Architecture has it; 4: level, active high.
	device trbe arm,trace-buffer-extension interrupts 1 5 4
}

device() { # name, compatible, property, cells...
	device_tree put -c "/$1"
	device_tree put -ts "/$1" compatible "$2"
	device_tree put -tx "/$1" "${@:3}"
}

device_tree() { # get or put, option, arguments...
	chroot "$root" "/lab/guest/fdt$1" "$2" /lab/devices.dtb "${@:3}"
}
