# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares what `auxbpf report` shows with what ran, by the oracle. A bats file has CASES: a name, a phase of the log, the
# names of the command's threads, options, and the command.

# Records all cases; runs in the guest.
record_cases() {
	local name phase options busy waker again=
	# shellcheck disable=SC2016 # for the traced shell
	printf '%s\n' 'trap "echo handled" USR1; ls /etc; kill -USR1 $$; true' >/tmp/handler
	# The kernel has no number any more for a task that its parent has reaped while it still runs, so perf does not know whose
	# those branches are: with the kernel's own nobody is to be waited for.
	# shellcheck disable=SC2016 # for the traced shell
	printf '%s\n' 'trap "echo handled" USR1; kill -USR1 $$; exec ls /etc' >/tmp/alone
	printf '%s\n' 'ls /etc >/tmp/list; sleep 0.01; cat /tmp/list | wc' >/tmp/pipeline
	# Tasks that do nothing else take the CPUs away now and then.
	burn 0 1000 500 >/dev/null &
	burn 1 1000 500 >/dev/null &
	mapfile -t busy < <(jobs -p)
	while sleep 1.5; do kill -CONT "${busy[@]}"; done &
	waker=$!
	cd /tmp || return
	for case in "${CASES[@]}"; do
		read -r name phase _ options <<<"$case"
		# All branches are logged, not only those that are traced: the log must know of returns that are not.
		# shellcheck disable=SC2086 # words of the command
		part "$name" oracle-mark run $again --new --phase "$phase" -- auxbpf --aux-size 8M -o "/out/$name" $options
		again=--again # the kernel's symbols are set
	done
	kill "$waker"
	kill -KILL "${busy[@]}"
	wait "$waker" "${busy[@]}" 2>/dev/null || true
}

# Prints what auxbpf says of a capture, among the guest's files; it is the auxbpf of this machine also where the guest is
# another one's.
report() { # name arguments...
	local name=$1
	shift
	lab host --out "$DIR" -- /src/build/auxbpf report "$@" "/out/$name"
}

# Prints a field of a case.
of_case() { # name field
	printf '%s\n' "${CASES[@]}" | awk -v name="$1" -v field="$2" '$1 == name { print $field }'
}

# Prints the numbers of the threads that ran the command, with commas.
threads_of() { # name
	jq -r --arg names "$(of_case "$1" 3)" 'select(.task) | select(.task as $task | $names | split(",") | index($task)) | .tid' \
		"$DIR/$1.json" | paste -s -d ,
}

# The calls that are shown are those that ran, and at least so many; the options are oracle-check's.
shows_what_ran() { # name least [option]...
	local name=$1 least=$2 kallsyms=$DIR/$1/kcore_dir/kallsyms
	shift 2
	ended "$name" 0
	[ -e "$kallsyms" ] || kallsyms=$DIR/windows/kcore_dir/kallsyms
	report "$name" --graph --json --show-gate >"$DIR/$name.json"
	must oracle-check calls --oracle "$DIR/oracle" --phase "$(of_case "$name" 2)" --kallsyms "$kallsyms" \
		--script "$DIR/$name.json" --target-pid "$(threads_of "$name")" --least "$least" "$@"
}

# The time off the CPU that is shown of the only window is what windows.ndjson tells of it: where the task came back, and how long
# that was, if that is much longer than what the kernel takes for switches. Each is where the trace has the switch.
shows_time_off() { # name
	report "$1" --graph --window 1 --json --show-gate >"$DIR/$1.json"
	tail -n 1 "$DIR/$1/windows.ndjson" >"$DIR/$1.window"
	# shellcheck disable=SC2016 # for jq
	must jq -es --slurpfile window "$DIR/$1.window" '$window[0] as $w | . as $lines
		| [range(length) | select($lines[.].mark == "off")] as $at | [$lines[$at[]]] as $off
		| ([$off[] | .end_ns - .begin_ns] | add - $w.off_ns) as $more
		| [$at[] | [$lines[. - 1, . + 1].function]] as $around
		| (([$off[] | select(.cpu != .end_cpu)] | length) == $w.moves and $w.moves > 0
		and $off[0].cpu == $w.cpu and $off[-1].end_cpu == $w.end_cpu
		and all($off[]; .begin_ns > $w.begin_ns and .end_ns < $w.end_ns and .depth > 2)
		and ($w.off_ns < 1000000000 or ($more | fabs) * 20 < $w.off_ns)
		and all($around[]; index("__switch_to")))
		| if . then . else {$w, $off, $more, $around}, false end' "$DIR/$1.json"
}

# Prints the line of inlined_cases that has this at its end.
line_of() { # name
	grep -n "/\* $1 \*/\$" "$AUXBPF_ROOT/tests/tools/programs/inlined_cases.c" | cut -d : -f 1
}
