#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The full trace: buffers that wrap many times while they are read, and a reader that is stopped so that trace is lost. What
# is decoded is what ran, and of every byte that the unit wrote it is known where it went.

load ../../lib/helpers
load ../../lib/stream

LONG="often long"

# The recorder is stopped while its targets fill the buffer several times over, and goes on.
lose() {
	mkfifo /tmp/go
	bash -c 'read -r </tmp/go; syscall_cases uname 1500; : >/tmp/lost; read -r </tmp/go; exec syscall_cases uname 500' &
	auxbpf -v --stream --aux-size 64K --on-syscall uname -p $! -o /out/lost &
	until grep -q 'Ctrl-C ends it' /out/lost.stderr; do
		sleep 0.1
	done
	kill -STOP %2
	echo >/tmp/go
	wait_for /tmp/lost
	kill -CONT %2
	until grep -q 'traced again' /out/lost.stderr; do
		sleep 0.1
	done
	echo >/tmp/go
	wait %2
}

# The same again and again, and in between the recorder reads what there is: the buffer fills from anywhere in it.
lose_often() {
	local round
	bash -c 'for round in $(seq 12); do
			until [ -e "/tmp/go.$round" ]; do sleep 0.1; done
			syscall_cases uname 600
			: >"/tmp/done.$round"
			syscall_cases uname $((10 + round))
		done' &
	auxbpf -v --stream --aux-size 16K --on-syscall uname -p $! -o /out/often &
	until grep -q 'Ctrl-C ends it' /out/often.stderr; do
		sleep 0.1
	done
	for round in $(seq 12); do
		kill -STOP %2
		: >"/tmp/go.$round"
		wait_for "/tmp/done.$round"
		kill -CONT %2
		sleep 1 # it reads, as a rule
	done
	wait %2
}

# Of the recorder's largest file, which has no name yet.
file_size() {
	stat -Lc %s "/proc/$PPID/fd/"* 2>/dev/null | sort -n | tail -n 1
}

# More than 200 MB of trace, and a reader that stands still for a part of it. The log has the branches of a program in the
# middle of it alone; all of them would be some gigabytes. In long.filled is a line for each MiB that should be in the file.
run_long() {
	local size
	oracle-mark only units
	fill 0 1024 110 >>/out/long.filled & fill 1 1024 110 >>/out/long.filled
	wait $!
	kill -STOP $PPID
	fill 0 1024 8 >/dev/null
	size=$(file_size)
	kill -CONT $PPID
	# It has read what the buffer holds, and something from behind the gap.
	until [ "$(file_size)" -ge $((size + (5 << 20))) ]; do fill 0 1024 1 >>/out/long.filled; done
	oracle-mark only traced
	user_branches all
	oracle-mark only units
	# What was lost is made up for.
	until [ "$(file_size)" -ge 204000000 ]; do
		fill 0 1024 8 >>/out/long.filled & fill 1 1024 8 >>/out/long.filled
		wait $!
	done
}

# A recording that nothing is lost of. A reader may fall behind, on a machine that stands still now and then, and says so:
# then again, as another phase of the log, the last of which is in NAME.phase. The others are kept: of them is known what is
# lost, and the rest is right.
record_whole() { # name phase oracle-mark's-options auxbpf's arguments...
	local name=$1 phase=$2 log=$3
	shift 3
	for phase in "$phase" $((phase + 10)) $((phase + 20)) $((phase + 30)) $((phase + 40)); do
		# shellcheck disable=SC2086 # words of the options
		part "$name" oracle-mark run --again --phase "$phase" $log -- auxbpf -v --stream -o "/out/$name" "$@"
		grep -q 'the buffer was full' "/out/$name.stderr" || break
		keep_attempt "$name" "$phase"
	done
	echo "$phase" >"/out/$name.phase"
}

record_streams() {
	export -f lose lose_often wait_until wait_for file_size run_long keep_attempt
	cat /proc/kallsyms >/out/kallsyms
	oracle-mark run -- true # sets the kernel's symbols
	record_whole windows 31 "--new" -z --aux-size 64K --on-syscall uname -- wake -- syscall_cases uname 1000
	record_whole user 32 --traced --aux-size 16K -e intel_pt//u -- user_branches all
	part lost oracle-mark run --again --phase 33 --traced -- bash -c lose
	part often oracle-mark run --again --phase 35 --traced -- bash -c lose_often
	part long oracle-mark run --again --phase 34 --traced -- auxbpf -v --stream --archive --aux-size 4M -e intel_pt//u -o /tmp/long -- \
		bash -c run_long
	left_out long || cp -r /tmp/long /out/long
	part size auxbpf --stream --aux-size 64K --max-size 100K --on-syscall uname -o /tmp/size -- syscall_cases uname 20000
	part time auxbpf --stream --max-time 5s --on-syscall uname -o /tmp/time -- sh -c 'uname; sleep 8; exit 3'
	mkdir /tmp/small
	mount -t tmpfs -o size=64m none /tmp/small
	part disk auxbpf --stream --aux-size 64K --min-free 1G --on-syscall uname -o /tmp/small/disk -- syscall_cases uname 2000
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark syscall_cases user_branches fill wake scripts/lab auxbpf
	record_in_lab --oracle lose lose_often file_size run_long part keep_attempt record_whole record_streams
}

# A recording with gaps: each is said, nothing else is wrong, and between them is what ran.
is_right_but_for_gaps() { # name phase
	local name=$1 phase=$2 parts
	ended "$name" 0 "the buffer was full" "trace is missing there"
	said=$output
	decode_branches "$DIR" "$name"
	errs_at_gaps_only "$DIR/$name.branches"
	awk -v file="$DIR/$name.part" '/instruction trace error/ { nr++; next } { print >(file sprintf("%03d", nr)) }' "$DIR/$name.branches"
	parts=("$DIR/$name".part*)
	[ ${#parts[@]} -ge 2 ]
	accounts_for_all "$name" "$phase" "${parts[@]}"
}

@test "windows, in a buffer that wraps: all of them, and nothing else" {
	with_attempts windows is_right_but_for_gaps
	ended windows 0 "1000 windows on CPU"
	said=$output
	[ "$(counted | awk '{ written += $2; left_out += $3 } END { print(written > 3 * 65536 && !left_out) }')" -eq 1 ]
	phase=$(<"$DIR/windows.phase")
	decode_check "$DIR" windows --phase "$phase" --kallsyms "$DIR/windows/kcore_dir/kallsyms"
	gate_check "$DIR" windows --phase "$phase" --windows 1000 --syscall 63 --target-note 100
	accounts_for_all windows "$phase" "$DIR/windows.branches"
}

@test "user mode, all kinds of branches" {
	with_attempts user is_right_but_for_gaps
	ended user 0
	said=$output
	phase=$(<"$DIR/user.phase")
	decode_check "$DIR" user --phase "$phase" --kallsyms "$DIR/kallsyms"
	accounts_for_all user "$phase" "$DIR/user.branches"
}

# A window that was preempted opens again in the switch to its task, which is still that of the task before. So what is of
# another task begins with the trace, in the gate's program at the switch, and goes on as the target's.
others_lead_to() { # comm
	awk -v target="$1" '
		{ cpu = $2; from = $3; for (i = 4; $i != "=>"; i++); to = $(i + 1) }
		$1 != target {
			if (!nr[cpu]++) { at_switch[cpu] = 0; if (from != "0") print "wrong: it began before:", $0 }
			if (/_on_switch/) at_switch[cpu] = 1
			if (to == "0") print "wrong: it ended:", $0
			others++
			next
		}
		nr[cpu] {
			if (from == "0" || !at_switch[cpu]) print "wrong: no switch led here:", $0
			nr[cpu] = 0
		}
		{ own++ }
		END {
			for (cpu in nr) if (nr[cpu]) print "wrong: the last", nr[cpu], "of CPU", cpu
			print others + 0, "branches of others,", own + 0, "of", target
		}'
}

@test "a reader that falls behind: what is lost is said, what is there is right" {
	is_right_but_for_gaps lost 33
	lab host --out "$DIR" -- perf script -i /out/lost --itrace=b -F comm,cpu,ip,sym,addr >"$DIR/lost.comms"
	others_lead_to syscall_cases <"$DIR/lost.comms" >"$DIR/lost.others"
	cat "$DIR/lost.others"
	[ "$(grep -c wrong "$DIR/lost.others")" -eq 0 ]
}

# The driver of intel_pt goes on behind a full buffer if there is room again, and where the tail of what was read is in the
# middle of a page, it would write over what was not.
# bats test_tags=long
@test "a reader that falls behind again and again, from anywhere in the buffer" {
	is_right_but_for_gaps often 35
}

# When a program of the capture began and ended, as perf takes it for --time.
lifetime() { # name comm
	lab host --out "$DIR" -- perf script -i "/out/$1" --no-itrace --show-task-events -F comm,time,event |
		awk -v comm="$2" '$0 ~ "PERF_RECORD_COMM exec: " comm ":" { begin = $0 } $1 == comm && /PERF_RECORD_EXIT/ { end = $0 }
			function time(line) { match(line, /[0-9]+\.[0-9]+:/); return substr(line, RSTART, RLENGTH - 1) }
			END { print time(begin) "," time(end) }'
}

# bats test_tags=long
@test "200 MB: every byte is in the file or counted, and behind many of them it decodes to what ran" {
	ended long 0 "the buffer was full"
	said=$output
	counted | awk -v filled="$(wc -l <"$DIR/long.filled")" '
		{ written += $2 }
		END { printf("%d bytes of at least %d MiB\n", written, filled); exit written < 200000000 || written < filled * 0.75 * 2 ^ 20 }'
	# perf tells of gaps whatever the time is: those of other times go.
	life=$(lifetime long user_branches)
	script_in_lab "$DIR" long --time "$life" --itrace=be -F cpu,event,ip,addr >"$DIR/long.decoded"
	errs_at_gaps_only "$DIR/long.decoded"
	awk -v life="$life" 'BEGIN { split(life, t, ",") }
		/instruction trace error/ { match($0, / time [0-9.]+/); at = substr($0, RSTART + 6, RLENGTH - 6) + 0
			if (at < t[1] + 0 || at > t[2] + 0) next }
		{ print }' "$DIR/long.decoded" >"$DIR/long.branches"
	[ "$(wc -l <"$DIR/long.branches")" -gt 10000 ]
	accounts_for_all long 34 "$DIR/long.branches"
}

@test "limits: --max-size, --max-time and --min-free end the recording, and the file is whole" {
	ended size 0 "as much trace as --max-size allows"
	ended time 3 "the time of --max-time is over" "1 window on CPU"
	ended disk 0 "than --min-free leaves"
}
