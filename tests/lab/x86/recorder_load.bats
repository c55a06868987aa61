#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The flight recorder under many triggers, and what of the past a snapshot has: no byte twice, nothing older than was
# asked for, no CPU that has nothing to do with it. One boot.

load ../../lib/helpers

COUNT=$(quick_or 60 200)
# How many of them are decoded of the first and of the last; all of them takes long.
SAMPLE=$(quick_or 4 10)
# One of them waits for a minute.
LONG="often all race"
RULE='syscall:openat ret == -ENOENT && comm == trigger_cases'

# Name, phase of the log, options of auxbpf, options of trigger_cases. The load does without the limits; what the default
# ones leave out is reported.
RUNS=(
	"load 31; --max-size 0 --max-rate 0 --cool-down 0 --aux-size 4M; --cpus 2 --gap 100 --count $COUNT"
	"limited 32; --cool-down 1s --max-rate 2/s; --cpus 2 --gap 100 --count 40"
	"few 33; --scope task --lookback 1s; --from 0 --cpu 1 --switches 10 --gap 2500"
	"often 34; --scope task --lookback 1s; --from 0 --cpu 1 --switches 10000 --gap 61000"
	"moved 35; --scope task --lookback all; --from 0 --cpu 1 --switches 10"
	"cpu 36; --scope cpu --lookback all; --from 0 --cpu 1 --switches 10"
	"all 37; --scope all --lookback all; --from 0 --cpu 1 --switches 10 --gap 2500"
)

# To memory, and out of the guest in the end: its way out is slower than any disk.
record_runs() {
	local run name phase options case
	oracle-mark run -- true # sets the kernel's symbols
	for run in "${RUNS[@]}"; do
		IFS=';' read -r name options case <<<"$run"
		read -r name phase <<<"$name"
		! left_out "$name" || continue
		echo "$name ($SECONDS s)"
		# shellcheck disable=SC2086 # words of the options
		oracle-mark run --again --traced --phase "$phase" -- auxbpf -v -o "/tmp/$name" --spare 4 $options \
			--snapshot-on "$RULE" -- trigger_cases --case openat $case >"/out/$name.done" 2>"/out/$name.stderr" || {
			echo "$name: status $?"
			cat "/out/$name.stderr"
		}
		cp -a "/tmp/$name" "/out/$name"
		rm -r "/tmp/$name"
	done
}

# Snapshots of a full buffer while the CPU fills it again, faster than any program does that is not made for it.
record_race() {
	local pid
	: >/out/race.done
	oracle-mark run --again --traced --phase 38 -- auxbpf -v -o /out/race --spare 4 --aux-size 1M --lookback all --max-rate 0 --cool-down 0 \
		--snapshot-on SIGUSR2 -- fill 1 1024 >/out/race.done 2>/out/race.stderr &
	for _ in 1 2 3; do
		wait_for_lines $(($(wc -l </out/race.done) + 2))
		pid=$(pgrep -x auxbpf)
		kill -USR2 "$pid"
	done
	wait_for_lines $(($(wc -l </out/race.done) + 2))
	pkill -x fill
	wait
}

# The recorder comes to a trigger half a second late. Of the kernel alone: sleep is in the guest's vDSO, which decoding does not have.
record_late() {
	part late oracle-mark run --again --traced --phase 39 -- auxbpf -v -o /out/late -e intel_pt//k --snapshot-on 'exit code == 7' -- taskset 1 bash -c '
		for _ in {1..15}; do sleep 0.1; done
		kill -STOP $PPID
		(exit 7)
		sleep 0.5
		kill -CONT $PPID'
}

wait_for_lines() { # number
	while [ "$(wc -l </out/race.done)" -lt "$1" ]; do sleep 0.1; done
}

record_all() {
	record_runs
	left_out race || record_race
	record_late
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check trigger_cases fill build/tests/oracle-mark scripts/lab auxbpf jq
	record_in_lab --cpus 2 --oracle RULE RUNS wait_for_lines record_runs record_race part record_late record_all
}

teardown_file() {
	rm -f "$DIR.oracle"
}

# What the rule saw is what became of it, and the index says the same.
adds_up() { # name
	local seen taken missed left_out
	grep ': seen ' "$DIR/$1.stderr"
	read -r seen taken missed < <(sed -n 's/.*: seen \([0-9]*\) times*, \([0-9]*\) snapshots*, missed \([0-9]*\).*/\1 \2 \3/p' "$DIR/$1.stderr")
	left_out=$(sed -n 's/.*; left out: //p' "$DIR/$1.stderr" | grep -oE '[0-9]+ \(' | awk '{ n += $1 } END { print n + 0 }')
	[ "$seen" -eq "$(grep -c . "$DIR/$1.done")" ]
	[ "$seen" -eq $((taken + missed + left_out)) ]
	[ "$taken" -eq "$(jq -s length "$DIR/$1/index.ndjson")" ]
	[ "$(jq -s 'map(.missed) | add' "$DIR/$1/index.ndjson")" -le "$missed" ]
}

# Each of the snapshots given decodes without an error; what they show ran, in this order, and nothing of it twice.
is_right() { # name phase options of the check, words in one argument; snapshot...
	local name=$1 phase=$2 options=$3 snapshot scripts=()
	shift 3
	for snapshot; do
		decode_branches "$DIR" "$name/$snapshot"
		scripts+=("$DIR/$name/$snapshot.branches")
	done
	jq -r '.cpus[] | "\(.cpu) \(.begin) \(.end)"' "$DIR/$name/index.ndjson" >"$DIR/$name.bytes"
	[ -s "$DIR/$name.bytes" ]
	# shellcheck disable=SC2086 # words of the options
	must oracle-check snapshots --oracle "$DIR/oracle" --phase "$phase" $options \
		--kallsyms "$DIR/$name/$snapshot/kcore_dir/kallsyms" --bytes "$DIR/$name.bytes" "${scripts[@]}"
}

# The CPUs that the only snapshot has are these.
has_cpus() { # name json
	jq -c .cpus "$DIR/$1/index.ndjson"
	[ "$(jq -c '[.cpus[].cpu] | sort' "$DIR/$1/index.ndjson")" = "$2" ]
}

@test "$COUNT triggers in a row: each is a snapshot or counted" { adds_up load; }

@test "perf takes all of the snapshots" {
	# shellcheck disable=SC2016 # the guest's
	must lab host --out "$DIR" -- bash -c 'for file in /out/load/auxbpf-*.data; do
			perf report --header-only -i "$file" >/dev/null || exit 1
		done'
}

@test "what the limits leave out is counted" {
	adds_up limited
	grep ': seen .*left out: [0-9]* (too soon after the last one of the rule)' "$DIR/limited.stderr"
}

@test "snapshots in a row decode, no branch is in two, and none between them is missing" {
	local names
	mapfile -t names < <(jq -r .snapshot "$DIR/load/index.ndjson")
	[ "${#names[@]}" -ge $((2 * SAMPLE)) ]
	is_right load 31 '--back 990000000' "${names[@]:0:SAMPLE}"
	is_right load 31 '--back 990000000 --later' "${names[@]: -SAMPLE}"
}

@test "a CPU that the task left before the lookback is not in its snapshot" {
	has_cpus few '[1]'
	left_out often || has_cpus often '[1]'
}

@test "one that it left within the lookback is" { has_cpus moved '[0,1]'; }
@test "--scope cpu has the CPU of the trigger" { has_cpus cpu '[1]'; }
# bats test_tags=long
@test "--scope all has all" { has_cpus all '[0,1]'; }

# bats test_tags=long
@test "how often a task was switched before the lookback makes no snapshot larger" {
	local few often
	few=$(jq '.cpus[0].bytes' "$DIR/few/index.ndjson")
	often=$(jq '.cpus[0].bytes' "$DIR/often/index.ndjson")
	echo "few $few, often $often"
	# While the task sleeps nothing is traced: each begins at the last sync point before that, of which there is one in 16 KiB.
	[ "$few" -lt 32768 ]
	[ "$often" -lt 32768 ]
	is_right often 34 '--back 990000000' "$(jq -r .snapshot "$DIR/often/index.ndjson")"
}

# Of each snapshot of a run, what its file has besides the trace.
rest_of_files() { # name
	local snapshot bytes
	while read -r snapshot bytes; do
		echo $(($(stat -c %s "$DIR/$1/$snapshot/data") - bytes))
	done < <(jq -r '"\(.snapshot) \(.bytes)"' "$DIR/$1/index.ndjson")
}

# Those of the last minute, of whomever, stay: the trace of the snapshot begins that long ago.
# bats test_tags=long
@test "nor does it make its file: of all the switches before its trace one of each CPU is in it" {
	local snapshot
	snapshot=/out/often/$(jq -r .snapshot "$DIR/often/index.ndjson")
	lab host --out "$DIR" -- perf script -i "$snapshot" --itrace=b -F time >"$DIR/often.times"
	lab host --out "$DIR" -- perf script -i "$snapshot" --no-itrace --show-switch-events -F cpu,time,event >"$DIR/often.switches"
	awk 'NR == FNR { if (!first) first = $1 + 0; next }
		/PERF_RECORD_SWITCH/ { all++; if ($2 + 0 < first) before[$1]++ }
		END { for (cpu in before) { print cpu, before[cpu], "of", all; bad += before[cpu] > 1 } exit bad || !all }' \
		"$DIR/often.times" "$DIR/often.switches"
}

# One behind many that were missed has the switches of all that time, up to the lookback: any one may be large, but not most.
@test "the longer a recording runs, the files of its snapshots do not get larger" {
	local first last
	first=$(rest_of_files load | head -n 20 | sort -n | tail -n 1)
	last=$(rest_of_files load | tail -n 20 | sort -n | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }')
	echo "the largest of the first 20: $first, the middle one of the last 20: $last"
	[ "$last" -lt $((first + 16384)) ]
}

@test "what is older than the lookback is cut at the sync point before" {
	[ "$(jq '.cpus[0].covered_ns' "$DIR/few/index.ndjson")" -ge 1000000000 ]
	is_right few 33 '--back 990000000' "$(jq -r .snapshot "$DIR/few/index.ndjson")"
}

@test "the lookback is the time before the trigger, also where the recorder comes late" {
	[ "$(jq .blind_ns "$DIR/late/index.ndjson")" -ge 400000000 ]
	is_right late 39 '--back 990000000' "$(jq -r .snapshot "$DIR/late/index.ndjson")"
}

# bats test_tags=long
@test "the trace that goes on while a snapshot is copied does not get into it" {
	local names
	grep 'bytes of trace' "$DIR/race.stderr"
	mapfile -t names < <(jq -r .snapshot "$DIR/race/index.ndjson")
	[ "${#names[@]}" -eq 3 ]
	[ "$(jq -s 'map(.bytes >= 524288) | all' "$DIR/race/index.ndjson")" = true ]
	is_right race 38 '--least 100000' "${names[@]}"
}
