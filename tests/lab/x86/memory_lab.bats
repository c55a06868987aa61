#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# How much memory a plain capture takes on a machine that switches all the time, and that its file is right all the same. One
# boot makes all captures.

load ../../lib/helpers

# Records of all of them would take 11 MiB; auxbpf itself takes 2.
LONG=often
SWITCHES=120000
MAX_KIB=6144

# For the traced shell: while others switch, so often, `rare` has a window before and one behind that, `often` very many in
# between, and `user` some programs. What auxbpf, its parent, has of memory of its own then is in /out/CASE.kib. On one CPU.
make_switching() {
	cat >/tmp/switching <<-'END'
		switches() {
			while read -r name number _; do
				[ "$name" != ctxt ] || echo "$number"
			done </proc/stat
		}
		wait_for_switches() {
			next=$(($(switches) + $1))
			while [ "$(switches)" -lt "$next" ]; do sleep 0.01; done
		}
		kill -CONT "$3"
		end=$(($(switches) + $2))
		case $1 in
			rare) uname && wait_for_switches "$2" && uname ;;
			often) while [ "$(switches)" -lt "$end" ]; do uname && wait_for_switches 100; done ;;
			user) while [ "$(switches)" -lt "$end" ]; do uname && sleep 1; done ;;
		esac
		kill -STOP "$3"
		while read -r name number _; do
			[ "$name" != RssAnon: ] || echo "$number" >"/out/$1.kib"
		done <"/proc/$PPID/status"
	END
}

# The others are on the CPU that is traced, and stand still while auxbpf starts.
record_all() {
	local others
	set -e
	make_switching
	oracle-mark run -- true # sets the kernel's symbols
	taskset -c 1 perf bench sched pipe -l 100000000 >/dev/null 2>&1 &
	others=$!
	sleep 1
	kill -STOP $others
	part rare oracle-mark run --again --traced --phase 21 -- auxbpf -v --on-syscall uname -o /out/rare -- \
		taskset -c 1 sh /tmp/switching rare "$SWITCHES" $others
	part often oracle-mark run --again --traced --phase 22 -- auxbpf -v --on-syscall uname -o /out/often -- \
		taskset -c 1 sh /tmp/switching often "$SWITCHES" $others
	part user oracle-mark run --again --traced --phase 23 -- auxbpf -v --aux-size 64K --archive -e intel_pt//u --on-cpu -o /out/user -- \
		taskset -c 1 sh /tmp/switching user "$SWITCHES" $others
	kill -KILL $others
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark scripts/lab auxbpf
	record_in_lab --oracle SWITCHES part make_switching record_all
}

# With the branches of the file in DIR/NAME those that ran.
is_small_and_right() { # name phase options...
	local name=$1 phase=$2
	shift 2
	[ "$(<"$DIR/$name.status")" -eq 0 ]
	cat "$DIR/$name.stderr" "$DIR/$name.kib"
	[ "$(<"$DIR/$name.kib")" -le "$MAX_KIB" ]
	decode_check "$DIR" "$name" --phase "$phase" "$@"
}

@test "two windows with very many switches between them: both are there, in little memory" {
	is_small_and_right rare 21 --kallsyms "$DIR/rare/kcore_dir/kallsyms"
	grep '2 windows on CPU 1, ' "$DIR/rare.stderr"
}

# bats test_tags=long
@test "very many switches between windows: all windows are there" {
	is_small_and_right often 22 --kallsyms "$DIR/often/kcore_dir/kallsyms"
	! grep 'left out' "$DIR/often.stderr"
}

# The trace of the other CPU, on which all of them begin, is older.
@test "trace that is older than the records that there is room for is left out, and of the rest what was mapped long before is known" {
	is_small_and_right user 23 --kallsyms "$DIR/rare/kcore_dir/kallsyms" --cpu 1 --tail --least 1000
	grep 'bytes of trace, the oldest, are left out' "$DIR/user.stderr"
}
