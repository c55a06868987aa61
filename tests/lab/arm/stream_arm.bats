#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# auxbpf on 64-bit Arm: user mode, and all that a program does, on two CPUs. What perf decodes is exactly what ran, in full
# traces, buffers that wrap or fill before they are read, and snapshots. A boot for each kernel makes all captures; each test looks
# at one.

load ../../lib/helpers
load ../../lib/stream

# name, phase of the oracle's log, options of auxbpf, command
CASES=(
	"user 20 -e cs_etm//u --on-cpu --archive -- user_branches all"
	"both 21 --on-cpu --archive -- user_branches calls"
	"wrapped 22 -e cs_etm//u --on-cpu --aux-size 16K --archive -- user_branches all"
	"sink 23 -e cs_etm/@trbe0/u -C 0 --on-cpu --archive -- user_branches calls"
	"snapshot 24 -e cs_etm//u --on-cpu --archive --snapshot-on syscall:exit_group -- user_branches calls"
	"stream 25 --on-cpu --stream --archive -- user_branches all"
	"full 26 -e cs_etm//u --on-cpu --stream --aux-size 16K --archive -- user_branches all"
	"large 27 -e cs_etm//u --on-cpu --stream --aux-size 4M --archive -- fill_both"
	"filter 29 --on-cpu --stream --archive -- interrupt_cases denied 5"
	"lost 28 --on-syscall uname --stream --aux-size 64K -- lose"
)
# Of a kernel whose driver cannot pause the trace: a thread opens the gate, and may have to wait for a CPU, so they take longer.
OLD_CASES=(
	"ioctl 20 -e cs_etm//u --on-cpu --archive -- user_branches calls 20000"
	"ioctl_kernel 21 --on-cpu --archive -- user_branches calls 20000"
)

# The older kernel has a boot of its own; gate_arm.bats has it too.
LONG="both sink snapshot large old_kernel"

# More than 10 MB of trace.
fill_both() {
	fill 0 1024 3 >/dev/null & fill 1 1024 3 >/dev/null
	wait
}

# The recorder is stopped while the buffer of one CPU fills several times over: by all calls, which on two CPUs might fill none.
lose() {
	taskset -c 0 syscall_cases uname 10
	kill -STOP $PPID
	taskset -c 1 syscall_cases uname 1000
	kill -CONT $PPID
	until grep -q 'traced again' /out/lost.stderr; do sleep 0.1; done
	taskset -c 1 syscall_cases uname 100
}

# A reader that should not fall behind may, on a machine that stands still now and then, and says so: then again, as another
# phase of the log, the last of which is in NAME.phase. The others are kept, as in stream.bats.
capture() { # case...
	local name phase options again=
	cat /proc/kallsyms >/out/kallsyms
	for name in fill_both lose; do
		printf '#!/bin/bash\n%s\n%s\n' "$(declare -f "$name")" "$name" >"/tmp/$name"
		chmod +x "/tmp/$name"
	done
	export PATH=$PATH:/tmp
	for case; do
		read -r name phase options <<<"$case"
		! left_out "$name" || continue
		for phase in "$phase" $((phase + 10)) $((phase + 20)) $((phase + 30)) $((phase + 40)); do
			# shellcheck disable=SC2086 # words of the options
			part "$name" oracle-mark run $again --traced --phase "$phase" -- \
				taskset "$([ "$name" = sink ] && echo 1 || echo 3)" auxbpf -v -o "/out/$name" $options
			again=--again # the kernel's symbols are set
			[ "$name" != lost ] && grep -q 'the buffer was full' "/out/$name.stderr" || break
			keep_attempt "$name" "$phase"
		done
		echo "$phase" >"/out/$name.phase"
	done
}

capture_all() {
	capture "${CASES[@]}"
}

capture_old() {
	capture "${OLD_CASES[@]}"
}

setup_file() {
	requires build/trace-unit/ete.so build-aarch64/auxbpf build-aarch64/tests/{oracle-mark,user_branches,fill} oracle-check \
		scripts/lab
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab --oracle CASES part fill_both lose keep_attempt capture capture_all
	NEW=$DIR
	! left_out old_kernel || return 0
	record_in_lab --oracle --kernel 6.12 OLD_CASES part fill_both lose keep_attempt capture capture_old
	export OLD=$DIR DIR=$NEW
}

phase_of() { # name
	cat "$DIR/$1.phase"
}

# What its kernel had where; of user mode alone a capture does not say.
symbols_of() { # name
	ls "$DIR/$1/kcore_dir/kallsyms" 2>/dev/null || echo "$DIR/kallsyms"
}

# A recording with gaps: each is said, no record tells of what is not in the file, and all that is decoded ran; of no CPU there
# is more missing, in the middle, than is said, and the CPUs without one have all. A CPU whose gate was open as its buffer
# became full is started for a moment to close it: that is left out.
is_right_but_for_gaps() { # name phase
	local name=$1 phase=$2 gaps whole
	ended "$name" 0 "the buffer was full" "trace is missing there"
	said=$output
	decode_branches "$DIR" "$name"
	gaps=$(sed -n 's/.* bytes of trace in the file, .* \([0-9]*\) gaps;.*/\1/p' <<<"$said" | awk '{ sum += $1 } END { print sum }')
	[ "$gaps" -gt 0 ]
	must oracle-check snapshots --oracle "$DIR/oracle" --etm --pieces all --phase "$phase" --kallsyms "$(symbols_of "$name")" \
		--gaps "$gaps" --least 1000 "$DIR/$name.branches"
	read -ra whole < <(counted | awk '$3 <= 1 { printf("--cpu %s ", $1) } END { print "" }')
	[ ${#whole[@]} -eq 0 ] || logged oracle-check decode --oracle "$DIR/oracle" --script "$DIR/$name.branches" --etm --pieces all \
		--phase "$phase" --kallsyms "$(symbols_of "$name")" "${whole[@]}"
	# All may have been on a CPU with gaps.
	[ "$status" -eq 0 ] || has "nothing was traced"
	logged grep -E "Couldn't find|OCSD_ERR" "$DIR/$name.perf" "$DIR/$name.branches"
	[ "$status" -eq 1 ]
}

# Its trace was decoded to what ran.
is_right() { # name options...
	local name=$1 symbols
	shift
	with_attempts "$name" is_right_but_for_gaps
	ended "$name" 0
	symbols=$(symbols_of "$name")
	decode_check "$DIR" "$name" --etm --phase "$(phase_of "$name")" --kallsyms "$symbols" "$@"
}

ran_on_both_cpus() { # name
	[ "$(cut -c 1-6 "$DIR/$1.branches" | sort -u | grep -c '[[]')" -eq 2 ]
}

@test "a program in user mode, with signals and threads on two CPUs" {
	is_right user
	ran_on_both_cpus user
}
# bats test_tags=long
@test "user mode and the kernel, whenever a target runs" { is_right both; }
@test "a small buffer has the newest part" {
	is_right wrapped --tail --least 1000
	has "overwritten"
}
# bats test_tags=long
@test "a sink by its name" { is_right sink; }
# bats test_tags=long
@test "a snapshot" {
	local file
	ended snapshot 0
	file=$(basename "$(ls -d "$DIR"/snapshot/*000001.data)")
	decode_check "$DIR" "snapshot/$file" --etm --pieces none --phase "$(phase_of snapshot)"
}
@test "the full trace of user mode and the kernel" {
	is_right stream --pieces all
	ran_on_both_cpus stream
	said=$(<"$DIR/stream.stderr")
	accounts_for_all stream "$(phase_of stream)" --etm --pieces all "$DIR/stream.branches"
}
# bats test_tags=long
@test "more than 10 MB in full" {
	is_right large --pieces all
	ran_on_both_cpus large
	said=$(<"$DIR/large.stderr")
	[ "$(counted | awk '{ written += $2; left_out += $3 } END { print(written > 10000000 && !left_out) }')" -eq 1 ]
}
@test "calls through a seccomp filter that the program gets while it is traced" { is_right filter --pieces all; }
@test "buffers that fill before they are read: what is missing there is no branch more or less" {
	is_right full --pieces all
	grep -q 'collision' "$DIR/full.perf"
	said=$(<"$DIR/full.stderr")
	accounts_for_all full "$(phase_of full)" --etm --pieces all "$DIR/full.branches"
}

@test "a reader that falls behind: what is lost is said, and no record tells of what is not in the file" {
	is_right_but_for_gaps lost "$(phase_of lost)"
	[ "$(counted | awk '$3 <= 1' | wc -l)" -ge 1 ]
}

# bats test_tags=long
@test "6.12, whose driver cannot pause: the gate is moved from user space" {
	DIR=$OLD
	is_right ioctl
	is_right ioctl_kernel
}
