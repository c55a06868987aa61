# SPDX-License-Identifier: GPL-2.0-only
# QEMU's machine for an x86_64 guest. All devices of it are found by the guest itself: nothing is to be prepared.
# shellcheck shell=bash disable=SC2034,SC2154 # shared with vm.sh

VM_QEMU=qemu-system-x86_64
VM_SHELL_TTY=ttyS1

# A Genuine Intel CPU, or perf ignores PT; the flags that are off are those that the trace unit cannot see (RDTSCP,
# RDPID: other ways to the TSC and CPU number; the x2APIC: its MSRs) or that cost time (5-level tables). Without erms
# and fsrm the kernel and libc copy memory and clear pages by 8 bytes and more: QEMU does REP MOVSB and REP STOSB byte by byte.
machine_arguments() {
	echo -machine pc,usb=off -m "$VM_MEMORY" -smp "$VM_CPUS"
	echo -cpu max,vendor=GenuineIntel,-svm,-x2apic,-rdtscp,-rdpid,-la57,-pcid,-erms,-fsrm
}

machine_plugin_options() { :; }

machine_shell() { # chardev
	echo -serial "chardev:$1"
}

# The trace unit is the only clock that counts, so the kernel must not doubt the TSC. No mitigations: a current Intel CPU
# needs neither page table isolation nor retpolines, but QEMU's does not say so, and both would be in every trace.
machine_parameters() {
	echo "console=ttyS0 tsc=reliable mitigations=off $VM_PLAIN"
}

machine_prepare() { :; }
