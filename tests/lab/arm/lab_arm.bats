#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The lab's Arm guest: what lab.bats shows of the other one, in one boot, and what is particular to Arm.

load ../../lib/helpers

export AUXBPF_LAB_ARCH=aarch64

# What the tests need; a line for each that is missing.
guest_is_complete() {
	[ "$(uname -m) $(nproc)" = "aarch64 3" ] || echo "$(nproc) CPUs, $(uname -m)"
	[[ $PATH == /src/build-aarch64:/src/build-aarch64/tests:* ]] || echo "PATH $PATH"
	[ "$(id -u) $HOME $(hostname)" = "0 /root lab" ] || echo "$(id -u) $HOME $(hostname)"
	id nobody >/dev/null || echo "no nobody"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 3 ] || echo "perf_event_paranoid is not the default"
	[ -r /sys/kernel/btf/vmlinux ] || echo "no BTF"
	[[ $(perf --version) == "perf version 7."* ]] || perf --version
	for tool in bpftool strace podman awk sh cmp; do command -v "$tool" >/dev/null || echo "no $tool"; done
	modprobe loop || echo "no modules"
	[ ! -e /sys/bus/event_source/devices/cs_etm ] || echo "there is a trace unit"
	dmesg | grep -E 'BUG:|WARNING:|Oops'
}

@test "without the trace unit: output, status and /out pass through, the guest is what the tests need" {
	local out=$BATS_TEST_TMPDIR/out
	run lab run --no-trace-unit --cpus 3 --out "$out" -- bash -c "$(declare -f guest_is_complete)"'
		guest_is_complete
		perf record -q -e cpu-clock -o /out/samples -- sh -c "for i in \$(seq 20000); do :; done"
		echo "$1" >/out/argument
		exit 77' name "  a  'b' \$c"
	echo "$output"
	[ "$status" -eq 77 ]
	[ -z "$(grep -v '^lab: ' <<<"$output")" ]
	[ "$(<"$out/argument")" = "  a  'b' \$c" ]

	# This machine's perf finds the guest's programs.
	must lab host --out "$out" -- sh -c 'uname -m; [ "$(pwd)" = /src ] && perf script -i /out/samples -F comm,ip,sym,dso'
	[ "${lines[0]}" = "$(uname -m)" ]
	grep -E '^ *sh +[0-9a-f]+ [a-z_]+ .*/lib/aarch64-linux-gnu/libc\.so\.6' <<<"$output" >"$out/found"
}
