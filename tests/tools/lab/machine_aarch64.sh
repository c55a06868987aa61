# SPDX-License-Identifier: GPL-2.0-only
# QEMU's machine for an Arm guest. What it has is in a device tree of QEMU's, which knows no trace unit: one is added.
# shellcheck shell=bash disable=SC2034,SC2154 # shared with vm.sh

VM_QEMU=/lab/guest/qemu-system-aarch64
VM_SHELL_TTY=hvc0

# A megabyte of memory that the guest's kernel does not know of begins behind what it has been told of; there is the page
# that the trace unit makes the registers of an ETR of, whose trace comes from all CPUs.
etr_address() {
	printf '%x' $((0x40000000 + VM_MEMORY * 1048576))
}

# Pointers are signed by a quick hash instead of an emulated cipher; 52-bit addresses would only mean more tables to walk,
# and the state of the vector extensions is some kilobytes per task.
machine_base() {
	echo -machine "virt,gic-version=3${1-}" -m $((VM_MEMORY + 1)) -smp "$VM_CPUS"
	echo -cpu max,pauth-impdef=on,lpa2=off,sve=off,sme=off
}

machine_arguments() {
	machine_base
	[ -z "$VM_PLUGIN" ] || echo -dtb /lab/devices.dtb
}

machine_plugin_options() {
	echo ",etr=0x$(etr_address)"
}

machine_shell() { # chardev
	echo -device virtio-serial -device "virtconsole,chardev=$1"
}

machine_parameters() {
	echo "console=ttyAMA0 mem=${VM_MEMORY}M $VM_PLAIN"
}

# As the kernel's bindings arm,embedded-trace-extension.yaml, arm,trace-buffer-extension.yaml, arm,coresight-tmc.yaml and
# arm,coresight-static-funnel.yaml describe the unit: each CPU's trace goes to its own buffer (TRBE) or to the ETR.
machine_prepare() {
	local arguments cpu number=0
	[ -n "$VM_PLUGIN" ] || return 0
	mapfile -t arguments < <(machine_base ,dumpdtb=/lab/devices.dtb | tr ' ' '\n')
	chroot "$root" "$VM_QEMU" -nodefaults -display none "${arguments[@]}" >/dev/null
	device funnel arm,coresight-static-funnel
	for cpu in $(device_tree get -l /cpus | grep '^cpu@'); do
		device "ete${cpu#cpu@}" arm,embedded-trace-extension cpu "$(device_tree get -tx "/cpus/$cpu" phandle)"
		connect "/ete${cpu#cpu@}/out-ports/port" "/funnel/in-ports/port@$number"
		device_tree put -tx "/funnel/in-ports/port@$number" reg "$number"
		number=$((number + 1))
	done
	# An interrupt private to each CPU, the fifth of them, as Arm's Base System Architecture has it; 4: level, active high.
	device trbe arm,trace-buffer-extension interrupts 1 5 4
	device "etr@$(etr_address)" "arm,coresight-tmc arm,primecell" reg 0 "$(etr_address)" 0 1000
	device_tree put -tx "/etr@$(etr_address)" clocks "$(device_tree get -tx /apb-pclk phandle)"
	device_tree put -ts "/etr@$(etr_address)" clock-names apb_pclk
	connect /funnel/out-ports/port "/etr@$(etr_address)/in-ports/port"
}

device() { # name, what it is compatible with, property, cells...
	local compatible
	read -ra compatible <<<"$2"
	device_tree put -c "/$1"
	device_tree put -ts "/$1" compatible "${compatible[@]}"
	[ $# -eq 2 ] || device_tree put -tx "/$1" "${@:3}"
}

# The ends of a connection name each other, by handles that nothing of QEMU's has.
next_handle=$((0x10000))
connect() { # port, port
	local port
	for port; do
		device_tree put -cp "$port/endpoint"
		device_tree put -tx "$port/endpoint" phandle "$(printf '%x' $next_handle)"
		device_tree put -tx "$port/endpoint" remote-endpoint "$(printf '%x' $((next_handle ^ 1)))"
		next_handle=$((next_handle + 1))
	done
}

device_tree() { # get or put, option, arguments...
	chroot "$root" "/lab/guest/fdt$1" "$2" /lab/devices.dtb "${@:3}"
}
