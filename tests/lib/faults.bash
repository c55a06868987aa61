# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Runs auxbpf with one fault each and looks at what became of it. In a file: `load ../lib/faults`, after the helpers.

# Runs in the directory `fault`, which is made anew, with the fault that the first words make: a prefix of the command line. What is
# recorded goes to fault/out; its command makes `began` and `ended`, and ends with 3.
with_fault() { # prefix... -- auxbpf's options...
	local prefix=()
	while [ "$1" != -- ]; do
		prefix+=("$1")
		shift
	done
	shift
	rm -rf fault
	mkdir fault
	(
		cd fault || exit
		status=0
		# shellcheck disable=SC2016 # for the shell in between
		with_tracefs timeout -k 1 300 "${prefix[@]}" auxbpf -o out -e cpu-clock -M 64K "$@" -- \
			sh -c 'echo >began; (exit 4); for i in 1 2 3 4 5 6 7 8; do :; done; echo >ended; exit 3' >stdout 2>said </dev/null || status=$?
		echo "$status" >status
	) 2>/dev/null
}

# Lines of the messages that are told in any case.
told_anyway='^auxbpf: (armed$|auxbpf-[0-9TZ-]*\.data: |.*: seen [0-9]* times?, [0-9]* snapshots?, missed 0$|[0-9]+ snapshots? in out, of [0-9]* triggers? seen; 0 missed$)'

bad() { # text
	echo "BAD: $1"
	return 1
}

# Nothing is left but snapshots that perf reads, and the index has each, or it is said: without any memory no more than that.
files_are_whole() {
	local file
	[ -d fault/out ] || return 0
	[ -z "$(find fault/out -maxdepth 1 -name '.*')" ] || bad "left: $(find fault/out -maxdepth 1 -name '.*')" || return
	for file in fault/out/*.data; do
		[ -e "$file" ] || break
		perf script -i "$file" >fault/samples 2>fault/perf || bad "perf script: $(<fault/perf)" || return
		[ -s fault/samples ] || bad "no samples" || return
		grep -qF "\"${file##*/}\"" fault/out/index.ndjson || grep -qE 'index|: out of memory$' fault/said || bad "not in the index" || return
	done
	[ ! -s fault/out/index.ndjson ] || jq -e .snapshot fault/out/index.ndjson >/dev/null || bad "index" || return
	for file in $(jq -r .snapshot fault/out/index.ndjson 2>/dev/null); do
		[ -e "fault/out/$file" ] || bad "$file is in the index only" || return
	done
}

# What is promised of a run with a fault.
is_well() { # snapshots without a fault
	local status said nr
	# Left running, as it must be: others' file systems that hang.
	! grep -q "its file system has not answered" fault/said || return 0
	status=$(<fault/status)
	said=$(grep -vE "$told_anyway" fault/said || true)
	nr=$(find fault/out -maxdepth 1 -name '*.data' 2>/dev/null | wc -l)
	[ "$status" -le 126 ] && [ "$status" -ne 124 ] && [ "$status" -ne 125 ] || bad "status $status" || return
	[ ! -e fault/began ] || [ -e fault/ended ] || bad "the command was harmed" || return
	[ "$status" -ne 3 ] || [ -e fault/ended ] || bad "the command's status without the command" || return
	[ "$status" -eq 3 ] || [ -n "$said" ] || bad "status $status without a word" || return
	[ "$status" -ne 3 ] || [ "$nr" -eq "$1" ] || [ -n "$said" ] || bad "$nr snapshots without a word" || return
	files_are_whole
}

# The positions of a sweep: so many of the calls 1 to TOTAL, the first among them.
positions() { # total places
	local step=$((($1 + $2 - 1) / $2))
	[ "$step" -eq 0 ] || seq 1 "$step" "$1"
}

# How many calls there were in the last run.
calls_counted() {
	sed -n 's/ calls$//p' fault/log
}

# The dynamic linker ends the program before its own code runs; it tells why, or crashes.
is_of_linker() {
	grep -q 'error while loading shared libraries' fault/said || { [ ! -s fault/said ] && [ "$(<fault/status)" -gt 128 ] && [ "$1" -le 2 ]; }
}

# Fails with what was seen if the last run was not well.
judge() { # snapshots number what
	is_of_linker "$2" || is_well "$1" || {
		echo "fault: $3, number $2"
		cat fault/said fault/log
		return 1
	}
}

fail_each_allocation() { # places [rest] auxbpf's options...
	local places=$1 nr rest=()
	shift
	if [ "$1" = rest ]; then
		rest=(FAIL_ALLOCATION_REST=1)
		shift
	fi
	local fault=(env "LD_PRELOAD=$AUXBPF_ROOT/build/tests/fail_allocation.so" FAIL_ALLOCATION_LOG=log "${rest[@]}")
	with_fault fail_call getcpu EIO 0 "${fault[@]}" FAIL_ALLOCATION=0 -- "$@"
	for nr in $(positions "$(calls_counted)" "$places"); do
		with_fault fail_call getcpu EIO 0 "${fault[@]}" "FAIL_ALLOCATION=$nr" -- "$@"
		# Without any memory no directory can be listed, so that what is unfinished is left to the next recorder.
		[ ${#rest[@]} -eq 0 ] || ! grep -q ': out of memory$' fault/said || rm -rf fault/out/.auxbpf-*
		judge 1 "$nr" "allocation ${rest[*]}"
	done
}

fail_each_call() { # places call errno auxbpf's options...
	local places=$1 call=$2 error=$3 nr
	shift 3
	with_fault fail_call -l log "$call" "$error" 0 -- "$@"
	judge 1 0 nothing
	for nr in $(positions "$(calls_counted)" "$places"); do
		with_fault fail_call -l log "$call" "$error" "$nr" -- "$@"
		judge 1 "$nr" "$call $error"
	done
}
