# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Records slow_calls, which is slow every 50th time, and looks at what `auxbpf report --compare` says of it.

# Runs in the guest; PMU is its trace PMU.
record_slow() {
	part lock auxbpf -o /out/lock --on-syscall read -- slow_calls lock
	part fault auxbpf -o /out/fault --on-syscall pread64 -- slow_calls fault
	part retry auxbpf --archive -e "$PMU//" -o /out/retry --on-function slow_calls:lookup -- slow_calls retry
	part even auxbpf -o /out/even --on-syscall read -- slow_calls lock 40
}

# Compares a slow window, as text and as JSON: DIR/NAME.text and DIR/NAME.ndjson. It need not be the slowest: on a machine with
# other load any of them may be.
compare() { # name arguments...
	local name=$1
	ended "$name" 0
	report "$@" --compare --window 50 >"$DIR/$name.text"
	report "$@" --compare --window 50 --json >"$DIR/$name.ndjson"
	cat "$DIR/$name.text"
}

# Whether a condition holds for the lines of the JSON, as an array.
shows() { # name condition
	must jq -es "$2" "$DIR/$1.ndjson"
}

# What holds for each of them: there are as many others as there were calls, one cause is most
# of the difference, and the largest come first.
well_formed() { # name
	local cause
	shows "$1" '.[0] | .compare == "window" and .window == 50 and .others == 119 and .typical_windows >= 30 and
		.duration_ns > 3 * .median_ns'
	shows "$1" '[.[].compare] | .[1] == "parting" and (.[2:] | length > 0 and all(. == "cause"))'
	shows "$1" '[.[2:][].difference_ns | fabs] | . == (sort | reverse)'
	shows "$1" '.[0].difference_ns as $all | .[2].difference_ns | . > 0.5 * $all and . < 1.5 * $all'
	# The text names it first, too.
	cause=$(jq -rs '.[2].path | join(" > ")' "$DIR/$1.ndjson")
	grep -A 1 -F '# difference us' "$DIR/$1.text" | grep -F "  $cause"
}

# The window waited for the lock of the file's position, off the CPU.
waits_for_lock() { # name
	shows "$1" '.[2] | .kind == "not traced" and .path[-1] == "(off the CPU)" and (.path | index("fdget_pos")) and
		(.path | any(startswith("__mutex_lock"))) and .typical_calls == 0'
	shows "$1" '.[1] | .parts and .in[-1] == "fdget_pos" and (.here.calls | any(. == "mutex_lock")) and .typical.calls == []'
	grep -F 'The paths part in fdget_pos()' "$DIR/$1.text"
}

# Pages were not there, for which an exception had to be taken.
runs_into_pages() { # name exception
	shows "$1" '.[2] | .kind == "only here" and .path[-1] == "'"$2"'" and .here_calls >= 200 and .typical_calls == 0'
	shows "$1" '.[1] | .parts and (.here.calls | any(. == "'"$2"'"))'
}

# A loop of the program's took more turns.
takes_more_turns() { # name
	shows "$1" '.[2] | .kind == "calls" and .path[-2:] == ["lookup", "probe"] and .here_calls == 5000 and .typical_calls == 2'
	shows "$1" '.[1] | .in[-1] == "lookup" and .behind == "probe" and .here.nr == 4998 and .typical.nr == 0'
	grep -F 'probe() 4998 times, then ' "$DIR/$1.text"
	grep -F '4998 calls more' "$DIR/$1.text"
}
