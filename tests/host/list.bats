#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# auxbpf list on this machine's own kernel, with the trace PMU hidden if there is one; what it says where there is one is
# in control.bats.

load ../lib/helpers

setup() {
	requires jq auxbpf
}

teardown() {
	[ -z "${top-}" ] || find "$top" -depth -type d -exec rmdir {} +
}

# Under a /sys with the PMUs whose directories are in DIR. Tracefs is mounted; with tracefs=no it is out of reach.
tracefs=yes
list_in() { # dir auxbpf's arguments...
	local dir=$1
	shift
	# shellcheck disable=SC2016 # for sh
	logged unshare --mount sh -c 'for path in tracing debug; do umount -l /sys/kernel/$path 2>/dev/null; done; \
[ "$1" = no ] || mount -t tracefs tracefs /sys/kernel/tracing && mount --bind "$2" /sys/bus/event_source/devices && \
shift 2 && exec auxbpf list "$@"' - "$tracefs" "$dir" "$@"
}

fake_pmu() { # name type
	mkdir -p "$BATS_TEST_TMPDIR/pmus/$1/format"
	echo "$2" >"$BATS_TEST_TMPDIR/pmus/$1/type"
}

@test "--help names every way, and the main help names list" {
	must auxbpf list --help
	[[ $output == "Usage: auxbpf list"* ]]
	local way
	for way in kfunc tracepoint breakpoint ioctl; do
		has "  $way "
	done
	[ "$(wc -l <<<"$output")" -le 24 ]
	[ -z "$(auxbpf list -h 2>&1 >/dev/null)" ]
	must auxbpf --help
	has "auxbpf list"
}

@test "without a trace PMU: says so, what there is, and what would work; exit status 1" {
	fake_pmu cpu 4
	fake_pmu software 1
	list_in "$BATS_TEST_TMPDIR/pmus"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "no trace PMU that auxbpf knows (looked for intel_pt, cs_etm)" ]
	[[ ${lines[2]} =~ ^\ +cpu\ +4$ ]]
	[[ ${lines[3]} =~ ^\ +software\ +1$ ]]
	[[ ${lines[5]} =~ ^\ +kfunc\ +no:\ this\ kernel\ has\ no\ bpf_perf_event_aux_pause ]]
	[[ ${lines[6]} =~ ^\ +tracepoint\ +yes$ ]]
	# perf, too, finds two free debug registers on all CPUs.
	perf stat -a -e mem:0xfffffffffffff000:w -e mem:0xfffffffffffff008:w true
	[[ ${lines[7]} =~ ^\ +breakpoint\ +yes$ ]]
	[[ ${lines[8]} =~ ^\ +ioctl\ +yes$ ]]
	[ "${#lines[@]}" -eq 9 ]
	tracefs=no list_in "$BATS_TEST_TMPDIR/pmus"
	[ "$status" -eq 1 ]
	[[ ${lines[6]} =~ ^\ +tracepoint\ +no:\ tracefs\ is\ out\ of\ reach ]]
	[[ ${lines[7]} =~ ^\ +breakpoint\ +yes$ ]]
}

@test "--json without a trace PMU" {
	fake_pmu cpu 4
	list_in "$BATS_TEST_TMPDIR/pmus" --json
	[ "$status" -eq 1 ]
	local json=$output
	must jq -e '.schema == 1 and .trace_pmus == [] and .other_pmus == ["cpu"]' <<<"$json"
	must jq -e '[.control[].way] == ["kfunc", "tracepoint", "breakpoint", "ioctl"]' <<<"$json"
	must jq -e '.control[0] | .works == false and (.reason | contains("bpf_perf_event_aux_pause"))' <<<"$json"
	must jq -e '.control[1:3] | all(.works == true and (has("reason") | not))' <<<"$json"
	must jq -e '.control[3] | .works == true and (has("reason") | not)' <<<"$json"
	must jq -e 'has("default_control") | not' <<<"$json"
	[ "$(list_in "$BATS_TEST_TMPDIR/pmus" pmus -j | sed -n '/^{/,/^}/p')" = "$json" ]
}

@test "a trace PMU that the kernel does not open: the reason for each way; exit status 1" {
	fake_pmu intel_pt 999
	echo config:10 >"$BATS_TEST_TMPDIR/pmus/intel_pt/format/tsc"
	list_in "$BATS_TEST_TMPDIR/pmus"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "intel_pt (type 999)" ]
	[[ ${lines[2]} =~ ^\ +tsc\ +config:10$ ]]
	[[ $output =~ ioctl\ +no:\ cannot\ open\ intel_pt: ]]
	list_in "$BATS_TEST_TMPDIR/pmus" --json
	[ "$status" -eq 1 ]
	must jq -e '.trace_pmus[0] | .name == "intel_pt" and .type == 999 and .terms.tsc == "config:10" and
		([.control[].works] | any | not) and .held_by == []' <<<"$output"
}

@test "breakpoint: no free debug registers on one CPU is said with its number" {
	local cpu watch=()
	cpu=$(nproc --all)
	cpu=$((cpu - 1))
	for address in 0 8 16; do
		watch+=(-e "mem:0xfffffffffff00$(printf %03x $address):w")
	done
	perf record -q -o /dev/null -C "$cpu" "${watch[@]}" -- sh -c "touch $BATS_TEST_TMPDIR/up; exec sleep 30" &
	local perf=$!
	timeout 20 sh -c 'until [ -e "$0" ]; do sleep 0.1; done' "$BATS_TEST_TMPDIR/up"
	fake_pmu cpu 4
	list_in "$BATS_TEST_TMPDIR/pmus"
	kill -INT "$perf"
	wait "$perf" || true
	[[ $output =~ breakpoint\ +no:\ CPU\ $cpu\ has\ no\ two\ free\ debug\ registers ]]
}

@test "syscalls: numbers, names, and the classes that they are in, as --on-syscall takes them" {
	requires strace
	must auxbpf list syscalls
	[ "$(awk '$2 == "uname"' <<<"$output" | wc -w)" -eq 2 ]
	[ "$(awk '$2 == "statx" { print $3, $4, $5, $6, $7 }' <<<"$output")" = "%desc %file %fstat %%stat " ]
	local name number
	read -r number name _ <<<"${lines[60]}"
	# An unknown one is a usage error, no trace PMU is not.
	for item in "$name" "$number" %%stat; do
		logged unshare --mount sh -c 'mount -t tmpfs none /sys/bus/event_source/devices &&
			exec auxbpf --on-syscall "$1" -- true' - "$item"
		[ "$status" -eq 1 ]
	done
	must auxbpf list syscalls --json
	must jq -e --arg name "$name" --argjson number "$number" \
		'.schema == 1 and (.syscalls[] | select(.name == $name).number == $number)' <<<"$output"
}

@test "containers: runtime, id, name and cgroup" {
	local v2 id=3f1c5a9be0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
	v2=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -n "$v2" ]
	top=$v2/auxbpf-list.$$
	mkdir -p "$top/docker/$id" "$top/machine.slice/machine-web.scope"
	must auxbpf list containers
	local text=$output
	must auxbpf list containers --json
	grep -E "^docker +${id:0:12}  -  +/auxbpf-list.$$/docker/$id\$" <<<"$text"
	grep -E "^nspawn +-  +web  +/auxbpf-list.$$/machine.slice/machine-web.scope\$" <<<"$text"
	must jq -e --arg id "$id" '.schema == 1 and (.containers[] | select(.id == $id) |
		.runtime == "docker" and .kind == "container" and (has("name") | not) and (.cgroup | endswith($id)))' <<<"$output"
}

@test "wrong command lines" {
	logged auxbpf list nothing
	[ "$status" -eq 2 ]
	has "there is no list of 'nothing'"
	logged auxbpf list pmus more
	[ "$status" -eq 2 ]
	has "what is 'more'?"
	logged auxbpf list --jason
	[ "$status" -eq 2 ]
	has "unrecognized option '--jason'"
	has 'auxbpf list --help'
}

@test "stdout that cannot be written is an error" {
	logged sh -c 'auxbpf list --help >/dev/full'
	[ "$status" -eq 1 ]
	logged sh -c 'auxbpf list >/dev/full'
	[ "$status" -eq 1 ]
	has "cannot write to stdout: No space left on device"
}
