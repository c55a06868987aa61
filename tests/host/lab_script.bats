#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/lab where no guest is booted: its arguments, and its cache, filled from a recipe of the test's own.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	tmp=$BATS_TEST_TMPDIR
}

usage_error() { # text, arguments...
	local text=$1
	shift
	run --separate-stderr scripts/lab "$@" </dev/null
	echo "status $status, stdout: $output, stderr: $stderr"
	[ "$status" -eq 2 ] && [ -z "$output" ] && [[ $stderr == *"$text"* ]]
}

@test "usage errors: status 2, before anything is built or booted" {
	export AUXBPF_LAB_CACHE=$tmp/cache
	usage_error "Usage:"
	usage_error "no command is called boot" boot
	usage_error "run needs a COMMAND" run
	usage_error "COMMAND goes after --" run uname
	usage_error "no option is called --fast" run --fast -- true
	usage_error "--cpus needs a value" run --cpus
	usage_error "--cpus: not a number from 1: '0'" run --cpus 0 -- true
	usage_error "--timeout: not a number from 0: 'x'" run --timeout x -- true
	usage_error "--unit needs the trace unit" run --no-trace-unit --unit sync=7 -- true
	usage_error "--arch: x86_64 or aarch64, not 'riscv64'" run --arch riscv64 -- true
	usage_error "--kernel: not a version" run --kernel ../x -- true
	usage_error "--oracle needs the trace unit" run --no-trace-unit --oracle f -- true
	usage_error "shell needs a terminal" shell
	[ ! -e "$tmp/cache" ]
	run scripts/lab --help
	[ "$status" -eq 0 ]
	[[ $output == "Usage: scripts/lab run"* ]]
}

# Fills a cache from a recipe of the test's own instead of Debian's packages.
fill_cache() {
	VM_CACHE=$tmp/cache VM_DIR=$tmp/recipe BUILDS=$tmp/builds bash -euo pipefail -c '
		. "$VM_DIR/cache.sh"
		lab_namespace() { "$@"; }
		lab_cache_ensure "$VM_CACHE/root-1" lab_root_build'
}

builds() {
	wc -l <"$tmp/builds"
}

@test "a damaged, half-made or missing cache is made again, a good one is not" {
	mkdir "$tmp/recipe"
	cp tests/tools/lab/cache.sh "$tmp/recipe"
	touch "$tmp"/recipe/{packages,root_aarch64,kernel}.sh
	cat >"$tmp/recipe/root.sh" <<-'END'
		lab_root_build() {
			echo >>"$BUILDS"
			lab_step "first" mkdir "$1/root"
			lab_step "second" bash -c 'sleep 0.5; echo qemu >"$0/root/qemu"' "$1"
			echo image >"$1/root.erofs"
		}
	END
	fill_cache & fill_cache
	wait
	[ "$(builds)" -eq 1 ]
	truncate -s -1 "$tmp/cache/root-1/root.erofs"
	fill_cache
	[ "$(builds)" -eq 2 ]
	echo more >>"$tmp/cache/root-1/root/qemu"
	fill_cache
	[ "$(builds)" -eq 3 ]
	rm "$tmp/cache/root-1/root/qemu"
	fill_cache
	[ "$(builds)" -eq 4 ]
	rm "$tmp/cache/root-1/stamp"
	run fill_cache
	[ "$status" -eq 0 ]
	[ "$(builds)" -eq 5 ]
	[[ $output == *"root-1 in the cache is damaged or incomplete: making it again"*"lab: second"* ]]
	fill_cache
	[ "$(builds)" -eq 5 ]

	rm -r "$tmp/cache/root-1"
	echo 'lab_root_build() { lab_step "third" bash -c "echo because; exit 1"; }' >"$tmp/recipe/root.sh"
	run fill_cache
	[ "$status" -eq 125 ]
	[[ $output == *"lab:   because"*"lab: third: failed"* ]]
	[ "$(ls "$tmp/cache")" = lock ]
}
