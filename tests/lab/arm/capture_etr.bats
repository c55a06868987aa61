#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# auxbpf with a sink that CPUs share, an ETR under Debian's own coresight-tmc: captures and snapshots of tasks on both CPUs
# are, branch by branch, what ran. One boot makes all of them; each test looks at one.

load ../../lib/helpers

export AUXBPF_LAB_ARCH=aarch64

ETR=cs_etm/@tmc_etr0/
RULE='syscall:openat ret == -ENOENT && comm == trigger_cases'
# On both CPUs at once.
BOTH='taskset 1 user_branches threads & taskset 2 user_branches threads; wait'
# On each of the CPUs for a while, the last one for longer than the lookback of 300ms.
MOVES='for cpu in 0 1; do taskset -cp $cpu $$; i=0; while [ $i -lt 50 ]; do i=$((i + 1)); done; sleep 1; done; exit 3'

LONG="breakpoint one ioctl triggers all threshold"

# Runs auxbpf with a phase of the oracle's log for it.
record() { # name phase options...
	local name=$1 phase=$2
	shift 2
	part "$name" oracle-mark run --again --traced --phase "$phase" -- auxbpf -v -o "/out/$name" "$@"
}

# Two sessions, of which the first has the sink while the second one's target runs.
record_two() {
	auxbpf -C 0 -e ${ETR}u --on-cpu -o /tmp/first -- taskset 1 sh -c ': >/tmp/go; until [ -e /tmp/done ]; do :; done' 2>/out/first.stderr &
	wait_for /tmp/go
	part second auxbpf -C 1 -e ${ETR}u --on-cpu -o /tmp/second -- taskset 2 true
	: >/tmp/done
	wait $!
}

record_all() {
	cat /proc/kallsyms >/out/kallsyms
	oracle-mark run -- true # sets the kernel's symbols
	record user 20 -e ${ETR}u --on-cpu --archive -- sh -c "$BOTH"
	record migrate 22 -e $ETR --on-syscall clock_nanosleep -- syscall_cases migrate
	record breakpoint 23 --control breakpoint -e $ETR --on-syscall uname -- syscall_cases uname 3
	record one 21 -C 0 -e $ETR --on-syscall uname -- taskset 1 syscall_cases uname 3
	# A thread opens the gate, and may have to wait for a CPU: a short program would be over by then.
	record ioctl 24 --control ioctl -e ${ETR}u --on-cpu --archive -- sh -c 'for i in $(seq 20); do user_branches calls; done'
	record triggers 25 -e ${ETR}u --archive --spare 4 --snapshot-on "$RULE" -- trigger_cases --cpu 1 --case openat --count 3 --gap 500
	record triggers_kernel 31 -e ${ETR}k --spare 4 --snapshot-on "$RULE" -- trigger_cases --cpu 1 --case openat --count 3 --gap 500
	# shellcheck disable=SC2016 # for the shell that is traced
	record asked 26 -e ${ETR}u --on-cpu --archive --snapshot-on signal:SIGSEGV -- \
		sh -c "$BOTH"'; kill -USR2 $PPID; sleep 0.5'
	record moved 27 -e ${ETR}u --archive --lookback 300ms --snapshot-on 'exit code == 3' -- sh -c "$MOVES"
	record all 28 -e ${ETR}u --archive --lookback all --snapshot-on 'exit code == 3' -- sh -c "$MOVES"
	record stream 29 -e $ETR --stream -- true
	record threshold 30 -e cs_etm/cycacc,cc_threshold=0x200/u --on-cpu -- user_branches calls
	record_two
	dmesg >/out/dmesg
}

setup_file() {
	requires build/trace-unit/ete.so build-aarch64/auxbpf oracle-check \
		build-aarch64/tests/{oracle-mark,user_branches,syscall_cases,trigger_cases} scripts/lab jq
	record_in_lab --oracle ETR RULE BOTH MOVES part record record_two record_all
}

# What perf decodes of a capture: in the file $branches. No error of the decoder is among it.
decoded() { # file
	branches=$DIR/${1//\//-}.branches
	script_in_lab "$DIR" "$1" --itrace=be -F cpu,event,ip,addr >"$branches" 2>&1
	logged grep -E "OCSD_ERR|Couldn't find|instruction trace error" "$branches"
	[ "$status" -eq 1 ]
}

is_equal() { # name phase
	cat "$DIR/$1.stderr"
	[ "$(<"$DIR/$1.status")" -eq 0 ]
	decoded "$1"
	must oracle-check decode --oracle "$DIR/oracle" --script "$branches" --kallsyms "$DIR/kallsyms" --etm --shared-sink --phase "$2"
	has "decode: equal"
}

# The snapshots of a run; their branches are in the files $scripts.
snapshots_are_right() { # name phase count least
	local snapshot
	scripts=()
	cat "$DIR/$1.stderr" "$DIR/$1/index.ndjson"
	for snapshot in $(jq -r .snapshot "$DIR/$1/index.ndjson"); do
		decoded "$1/$snapshot"
		scripts+=("$branches")
	done
	[ "${#scripts[@]}" -eq "$3" ]
	must oracle-check snapshots --oracle "$DIR/oracle" --kallsyms "$DIR/kallsyms" --etm --shared-sink --phase "$2" --least "$4" "${scripts[@]}"
}

# There are branches of this CPU in a decoded capture.
has_cpu() { # CPU file
	grep -q "\[00$1\].*=>" "$2"
}

@test "user mode, threads on two CPUs" {
	is_equal user 20
	has_cpu 0 "$branches"
	has_cpu 1 "$branches"
}

@test "a window whose task is moved to another CPU" {
	is_equal migrate 22
	grep -q '^auxbpf: 1 window on CPU 0,1' "$DIR/migrate.stderr"
	has_cpu 0 "$branches"
	has_cpu 1 "$branches"
}

# Each pause hands over then: the pieces are decoded as one.
# bats test_tags=long
@test "windows on the only CPU that is traced" { is_equal one 21; }

# bats test_tags=long
@test "the gate by debug registers" {
	is_equal breakpoint 23
	grep -q '^auxbpf: 3 windows on CPU' "$DIR/breakpoint.stderr"
}

# It is late at system calls, of which perf then shows the begin or not.
# bats test_tags=long
@test "the gate moved from user space" {
	decoded ioctl
	[ "$(grep -c '=>' "$branches")" -gt 2000 ]
}

# From a sleep's end to the trigger it is a dozen branches; what runs behind a trigger is in no snapshot while that one is copied.
# bats test_tags=long
@test "snapshots of triggers: each has what is new on all CPUs" {
	snapshots_are_right triggers 25 3 8
	# The one buffer is read with the event that is stopped last.
	jq -s -e 'length == 3 and all([.cpus[].covered_ns] | max > 0)' "$DIR/triggers/index.ndjson"
}

@test "snapshots of triggers, in the kernel" { snapshots_are_right triggers_kernel 31 3 500; }

@test "a snapshot asked for by a signal" {
	snapshots_are_right asked 26 1 500
	has_cpu 0 "${scripts[0]}"
	has_cpu 1 "${scripts[0]}"
}

@test "a snapshot of a task that moved has nothing of the CPU that it left long ago" {
	snapshots_are_right moved 27 1 500
	logged has_cpu 0 "${scripts[0]}"
	[ "$status" -eq 1 ]
	has_cpu 1 "${scripts[0]}"
	! left_out all || return 0
	snapshots_are_right all 28 1 500
	has_cpu 0 "${scripts[0]}"
	has_cpu 1 "${scripts[0]}"
}

@test "a stream is refused" {
	[ "$(<"$DIR/stream.status")" -eq 2 ]
	grep -q "^auxbpf: --stream: the CPUs' trace goes into one buffer" "$DIR/stream.stderr"
}

# bats test_tags=long
@test "a term in the fourth word of attributes is taken" {
	cat "$DIR/threshold.stderr"
	[ "$(<"$DIR/threshold.status")" -eq 0 ]
}

@test "a sink that another session has: that one goes on, and this one says why it has no trace" {
	ended second 0 ", 0 bytes of cs_etm trace" "warning: CPU 1: the kernel stopped the trace " "another session has its sink"
	cat "$DIR/first.stderr"
	grep -qE 'targets ran on CPU 0, [1-9][0-9]* bytes of cs_etm trace' "$DIR/first.stderr"
	[ "$(grep -c warning: "$DIR/first.stderr")" -eq 0 ]
}

@test "the drivers complain of nothing" {
	grep -E 'coresight|BUG:|WARNING:|Oops' "$DIR/dmesg" | grep -v ' initiali[sz]ed$' | nothing
}
