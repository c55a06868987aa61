#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# `auxbpf report --compare` of a program that is slow every 50th time, for a reason that only its path shows: the report names it
# first. One boot makes all captures; each test looks at one.

load ../../lib/helpers
load ../../lib/report

record_all() {
	part lock auxbpf -o /out/lock --on-syscall read -- slow_calls lock
	part fault auxbpf -o /out/fault --on-syscall pread64 -- slow_calls fault
	part retry auxbpf --archive -e intel_pt// -o /out/retry --on-function slow_calls:lookup -- slow_calls retry
	part even auxbpf -o /out/even --on-syscall read -- slow_calls lock 40
}

setup_file() {
	requires auxbpf slow_calls scripts/lab jq
	record_in_lab part record_all
}

# Compares, as text and as JSON: DIR/NAME.text and DIR/NAME.ndjson.
compare() { # name arguments...
	local name=$1
	ended "$name" 0
	report "$@" --compare >"$DIR/$name.text"
	report "$@" --compare --json >"$DIR/$name.ndjson"
	cat "$DIR/$name.text"
}

# Whether a condition holds for the lines of the JSON, as an array.
shows() { # name condition
	must jq -es "$2" "$DIR/$1.ndjson"
}

# What holds for each comparison: the window is one of the slow ones, there are as many others as there were calls, and the
# difference of all is that of the causes, the largest first.
well_formed() { # name
	shows "$1" '.[0] | .compare == "window" and .window % 50 == 0 and .others == 119 and .typical_windows >= 30 and
		.duration_ns > 3 * .median_ns'
	shows "$1" '[.[].compare] | .[1] == "parting" and (.[2:] | length > 0 and all(. == "cause"))'
	shows "$1" '[.[2:][].difference_ns | fabs] | . == (sort | reverse)'
	shows "$1" '.[0].difference_ns as $all | .[2].difference_ns | . > 0.5 * $all and . < 1.5 * $all'
	# The same in both forms.
	cause=$(jq -rs '.[2].path | join(" > ")' "$DIR/$1.ndjson")
	grep -A 1 -F '# difference us' "$DIR/$1.text" | grep -F "  $cause"
}

@test "another thread holds the lock" {
	compare lock
	well_formed lock
	# It waited for the lock of the file's position, off the CPU.
	shows lock '.[2] | .kind == "not traced" and .path[-1] == "(off the CPU)" and (.path | index("fdget_pos")) and
		(.path | any(startswith("__mutex_lock"))) and .typical_calls == 0'
	shows lock '.[1] | .parts and .in[-1] == "fdget_pos" and (.here.calls | any(. == "mutex_lock")) and .typical.calls == []'
	grep -F 'The paths part in fdget_pos()' "$DIR/lock.text"
}

@test "pages that are not there yet" {
	compare fault
	well_formed fault
	shows fault '.[2] | .kind == "only here" and .path[-1] == "asm_exc_page_fault" and .here_calls >= 200 and .typical_calls == 0'
	shows fault '.[1] | .parts and .here.calls[0] == "asm_exc_page_fault"'
}

@test "more calls in a loop of the program" {
	compare retry
	well_formed retry
	shows retry '.[2] | .kind == "calls" and .path == ["lookup", "probe"] and .here_calls == 5000 and .typical_calls == 2'
	shows retry '.[1] | .in == ["lookup"] and .behind == "probe" and .here.nr == 4998 and .typical.nr == 0 and .here.then == null'
	grep -F 'probe() 4998 times, then the return' "$DIR/retry.text"
	grep -F '4998 calls more' "$DIR/retry.text"
}

# The calls of 40 windows, none of them slow, are the typical ones.
@test "against another capture" {
	compare lock --compare-with /out/even
	shows lock '.[0] | .with == "/out/even" and .others == 40 and .window % 50 == 0'
	shows lock '.[2] | .path[-1] == "(off the CPU)" and (.path | index("fdget_pos"))'
	grep -F ' of 40 in /out/even, ' "$DIR/lock.text"
}

@test "chosen windows, and those that cannot be compared" {
	ended lock 0
	report lock --compare --slowest 2 >"$DIR/two.text"
	[ "$(grep -c '^# window ' "$DIR/two.text")" -eq 2 ]
	report lock --window 7 --compare >"$DIR/one.text"
	grep '^# window 7: read(' "$DIR/one.text"
	logged report lock --compare --compare-with /out/fault
	[ "$status" -eq 1 ]
	has "'/out/fault' has no window of read"
}
