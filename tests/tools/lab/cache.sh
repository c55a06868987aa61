# SPDX-License-Identifier: GPL-2.0-only
# The lab's cache: one directory per root and per kernel, each made in a temporary directory, stamped last, then renamed.
# A directory without a stamp, or whose files are not those of the stamp, is not used but made again.
# shellcheck shell=bash

# One line of progress per step, and a sign of life while it lasts; what the step printed is shown if it fails.
lab_step() { # text, command...
	local text=$1 log pid waited=0
	shift
	log=$(mktemp)
	echo "lab: $text" >&2
	(set -euo pipefail; "$@") </dev/null >"$log" 2>&1 &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		waited=$((waited + 1))
		[ $((waited % 75)) -ne 0 ] || echo "lab:   $((waited / 5)) s: $(tail -n 1 "$log" | cut -c 1-100)" >&2
	done
	if ! wait "$pid"; then
		tail -n 20 "$log" | sed 's/^/lab:   /' >&2
		rm -f "$log"
		echo "lab: $text: failed" >&2
		exit 125
	fi
	rm -f "$log"
}

lab_cache_key() { # words... ; the recipes' files on stdin
	{ cat; echo "$VM_MIRROR" "$@"; } | sha256sum | cut -c 1-12
}

# Everything in a directory that a run relies on, by name, size and time: reading all of it would take longer than a boot.
lab_cache_manifest() { # directory
	local file
	(
		cd "$1" || exit
		for file in *; do
			case $file in
				stamp | lock | root) ;;
				*) stat -c '%n %s %Y' "$file" ;;
			esac
		done
		[ ! -d root ] || find root -printf '%p %y %s %T@ %l\n' | LC_ALL=C sort | sha256sum
	)
}

lab_cache_stamp() { # directory
	lab_cache_manifest "$1" >"$1/stamp"
}

lab_cache_valid() { # directory
	[ -s "$1/stamp" ] && [ "$(lab_cache_manifest "$1")" = "$(cat "$1/stamp")" ]
}

# Makes the directory with a function in a mount namespace of its own: whatever kills it, no mount stays behind.
lab_cache_make() { # directory, function, arguments...
	local dir=$1 tmp
	shift
	tmp=$(mktemp -d "$VM_CACHE/tmp.XXXXXX") && chmod 755 "$tmp" || return
	VM_FUNCTION=$1 VM_TMP=$tmp lab_namespace bash -c '
		set -euo pipefail
		for part in cache packages root root_aarch64 kernel; do . "$VM_DIR/$part.sh"; done
		"$VM_FUNCTION" "${VM_TMP:?}" "$@"' lab "${@:2}" || { rm -rf "$tmp"; return 1; }
	: >"$tmp/lock" && lab_cache_stamp "$tmp" && rm -rf "$dir" && mv -T "$tmp" "$dir"
}

# Checks, and if need be makes, a directory; only one lab at a time makes any.
lab_cache_ensure() { # directory, function, arguments...
	lab_cache_valid "$1" && return
	mkdir -p "$VM_CACHE" && : >>"$VM_CACHE/lock" || exit 125
	exec 8>>"$VM_CACHE/lock"
	flock -n 8 || until
		echo "lab: waiting for another lab that fills $VM_CACHE" >&2
		flock -w 20 8
	do :; done
	if ! lab_cache_valid "$1"; then
		[ ! -e "$1" ] || echo "lab: ${1##*/} in the cache is damaged or incomplete: making it again" >&2
		rm -rf "$VM_CACHE"/tmp.*
		lab_cache_make "$@" || exit 125
		lab_cache_prune
	fi
	exec 8>&-
}

# Removes what no run has used for two weeks: older recipes, older kernels.
lab_cache_prune() {
	local lock
	find "$VM_CACHE" -mindepth 2 -maxdepth 2 -name lock -mtime +14 | while read -r lock; do
		flock -n "$lock" rm -rf "${lock%/lock}" || true
	done
}

# A run holds this lock on what it uses, so that nobody prunes it.
lab_cache_use() { # fd, directory
	eval "exec $1<\"\$2/lock\""
	flock -s "$1"
	touch "$2/lock"
}

# The x86_64 root, in which QEMU and perf run, whatever the guest, and the guest's own.
lab_cache_roots() {
	export VM_ROOT VM_GUEST
	VM_ROOT=$VM_CACHE/root-$(lab_cache_key <"$VM_DIR/root.sh")
	lab_cache_ensure "$VM_ROOT" lab_root_build
	lab_cache_use 6 "$VM_ROOT"
	VM_GUEST=$VM_ROOT
	[ "$VM_ARCH" != x86_64 ] || return 0
	VM_GUEST=$VM_CACHE/root-$VM_ARCH-$(cd "$VM_DIR" && cat root.sh packages.sh "root_$VM_ARCH.sh" | lab_cache_key)
	lab_cache_ensure "$VM_GUEST" lab_arm_build
	lab_cache_use 5 "$VM_GUEST"
}

lab_cache_kernel() { # wanted
	local debian=amd64
	[ "$VM_ARCH" = x86_64 ] || debian=arm64
	export VM_KERNEL
	VM_KERNEL=$VM_CACHE/kernel-$1-$debian-$(cd "$VM_DIR" && cat root.sh packages.sh kernel.sh initramfs | lab_cache_key "$1")
	lab_cache_ensure "$VM_KERNEL" lab_kernel_build "$debian" "$1"
	lab_cache_use 7 "$VM_KERNEL"
}
