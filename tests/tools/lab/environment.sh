# SPDX-License-Identifier: GPL-2.0-only
# The environment of COMMAND, in the guest as on the host.
# shellcheck shell=bash

# NUL-terminated: only what is listed here, and what is called AUXBPF_* or LAB_*.
lab_environment() { # [PATH]
	local name build=build
	[ "$VM_ARCH" = x86_64 ] || build+=-$VM_ARCH
	build=${AUXBPF_BUILD:-$build}
	printf '%s\0' "PATH=${1-/src/$build:/src/$build/tests:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin}" \
		HOME=/root USER=root LC_ALL=C.UTF-8 "TERM=${VM_TERM:-dumb}"
	for name in $(compgen -e | grep -E '^(AUXBPF|LAB)_'); do
		printf '%s\0' "$name=${!name}"
	done
}
