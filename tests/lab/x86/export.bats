#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What `auxbpf export` writes has the calls that `auxbpf report --graph --json` shows, with their begins and ends; those are
# compared with what ran by report.bats. One boot makes all captures; each test looks at one format.

load ../../lib/helpers
load ../../lib/export
load ../../lib/page

CAPTURES="windows both threads"

# Runs in the guest.
capture_all() {
	cd /tmp || return
	printf '%s\n' 'ls /etc >/tmp/list; sleep 0.01; cat /tmp/list | wc' >/tmp/pipeline
	part windows auxbpf --aux-size 8M -o /out/windows --on-syscall openat,read,newfstatat,clock_nanosleep -- sh pipeline
	part both auxbpf --aux-size 8M -o /out/both --archive -e intel_pt// --on-cpu -- ls /etc
	part snapshot auxbpf --aux-size 1M -o /out/snapshot -e intel_pt// --on-cpu --snapshot-on 'syscall:uname latency > 1ns' -- uname
	part threads auxbpf --aux-size 8M -o /out/threads --archive -e intel_pt// --on-cpu -- function_cases threads
}

setup_file() {
	requires auxbpf jq protoc chromium function_cases scripts/lab
	record_in_lab part capture_all
}

# Runs auxbpf on a capture, among the guest's files.
of_capture() { # arguments...
	lab host --out "$DIR" -- /src/build/auxbpf "$@"
}

# Makes DIR/NAME.graph, the list of the calls that are shown, if it is not there.
list_calls() { # name
	[ ! -e "$DIR/$1.graph" ] || return 0
	ended "$1" 0
	of_capture report --graph --json "/out/$1" >"$DIR/$1.json"
	calls_of_graph "$DIR/$1.json" >"$DIR/$1.graph"
}

# Of the list of the calls: those that have a begin, and last so long, are inside of so many others.
count_calls() { # file condition
	awk -F '\t' "!/^#/ && \$2 != \"[not traced]\" && $2 { nr++ } END { print nr + 0 }" "$1"
}

@test "speedscope: the calls of each task, balanced and in order" {
	local name
	for name in $CAPTURES; do
		list_calls "$name"
		of_capture export --speedscope -o "/out/$name.speedscope" "/out/$name"
		calls_of_speedscope "$DIR/$name.speedscope" >"$DIR/$name.calls"
		must same_calls "$DIR/$name.graph" "$DIR/$name.calls" 10000
	done
}

# A task of which the kernel did not tell the number is a track by its name.
@test "html: the calls of each task, balanced and in order, and what the page says of them" {
	local name
	for name in $CAPTURES; do
		list_calls "$name"
		of_capture export --html -o "/out/$name.html" "/out/$name"
		calls_of_page "$DIR/$name.html" >"$DIR/$name.calls"
		must same_calls "$DIR/$name.graph" "$DIR/$name.calls" 10000
		document_of "$DIR/$name.html" "search=schedule" >"$DIR/$name.document"
		finds "$DIR/$name.document" state ready
		finds "$DIR/$name.document" lanes "$(grep -c '^#' "$DIR/$name.graph")"
		finds "$DIR/$name.document" calls "$(count_calls "$DIR/$name.graph" 1)"
		finds "$DIR/$name.document" matches "$(count_calls "$DIR/$name.graph" '$2 ~ /schedule/')"
		finds "$DIR/$name.document" gaps "$(awk -F '\t' '$2 == "[not traced]"' "$DIR/$name.graph" | wc -l)"
	done
}

@test "html: the windows, and going to one of them" {
	local last
	of_capture export --html -o /out/windows.html /out/windows
	sed -n '/^<script type="application\/json"/,/^<\/script>/p' "$DIR/windows.html" | sed '1d; $d' >"$DIR/windows.shown"
	diff <(jq -r '(.base | tonumber) as $base | .windows | sort_by(.window)[] | [.name, .begin + $base, if .end then .end + $base else "-" end] | @tsv' \
		"$DIR/windows.shown") <(windows_of_file "$DIR/windows/windows.ndjson")
	last=$(jq '.windows | length' "$DIR/windows.shown")
	document_of "$DIR/windows.html" "window=$last" >"$DIR/windows.document"
	finds "$DIR/windows.document" state ready
	finds "$DIR/windows.document" windows "$last"
	finds "$DIR/windows.document" window "$last"
	[ "$(found_by "$DIR/windows.document" | sed -n 's/^from=//p')" -le "$(jq '.windows[] | select(.window == '"$last"') | .begin' "$DIR/windows.shown")" ]
}

@test "perfetto: the calls of each task, nested and in order, and their modes" {
	local name
	for name in $CAPTURES; do
		list_calls "$name"
		of_capture export --perfetto -o "/out/$name.perfetto" "/out/$name"
		calls_of_perfetto "$DIR/$name.perfetto" >"$DIR/$name.calls"
		sed 's|^# -1/-1$|# :-1|' "$DIR/$name.graph" >"$DIR/$name.wanted"
		must same_calls "$DIR/$name.wanted" "$DIR/$name.calls" 10000
		for mode in kernel user; do
			[ "$(slices_of_perfetto "$DIR/$name.perfetto" | awk -F '\t' -v mode=$mode '$1 == "O" && $4 == mode { nr++ } END { print nr + 0 }')" \
				-eq "$(jq -n --arg mode $mode 'reduce inputs as $call (0; if $call.mode == $mode then . + 1 else . end)' "$DIR/$name.json")" ]
		done
	done
}

@test "perfetto: the windows, with arguments and results" {
	of_capture export --perfetto -o /out/windows.perfetto /out/windows
	windows_of_perfetto "$DIR/windows.perfetto" >"$DIR/windows.slices"
	windows_of_file "$DIR/windows/windows.ndjson" >"$DIR/windows.list"
	[ "$(wc -l <"$DIR/windows.list")" -gt 50 ]
	diff <(cut -f 1-3 "$DIR/windows.slices") "$DIR/windows.list"
	# jq does not keep all bits of a number.
	sed -nE 's/.*"args":\[([^]]*)\](,"ret":(-?[0-9]+))?(,"errno":"([A-Z0-9]+)")?.*/\1|\3|\5/p' "$DIR/windows/windows.ndjson" |
		awk -F '|' '{ n = split($1, arg, ","); for (i = 1; i <= n; i++) printf " arg%d=%s", i - 1, arg[i]
			print ($2 != "" ? " ret=" $2 : "") ($3 != "" ? " " $3 : "") }' >"$DIR/windows.notes"
	diff <(cut -f 4 "$DIR/windows.slices" | sed -E 's/^ window=[0-9]+//; s/ (off_cpu_ns|moves)=[0-9]+//g') "$DIR/windows.notes"
}

# By perf's own list of the records of switches.
@test "perfetto: which tasks were on the CPUs" {
	local name
	for name in windows threads; do
		of_capture export --perfetto -o "/out/$name.perfetto" "/out/$name"
		slices_of_perfetto "$DIR/$name.perfetto" | grep $'^S\tCPU' >"$DIR/$name.slices"
		script_in_lab "$DIR" "$name" --no-itrace --show-switch-events --ns -F tid,cpu,time 2>/dev/null |
			sed -nE 's/^ *([0-9]+) \[0*([0-9]+)\] +([0-9]+)\.([0-9]+): PERF_RECORD_SWITCH_CPU_WIDE (IN|OUT).*/\2 \1 \3\4 \5/p' |
			sed -E 's/ 0+([0-9])/ \1/g' | awk '$2 && $4 == "IN" { print $1, $2, $3 }' | sort >"$DIR/$name.switches"
		[ "$(wc -l <"$DIR/$name.switches")" -gt 10 ]
		awk -F '\t' '$3 == "TYPE_SLICE_BEGIN" { sub(/^CPU /, "", $2); sub(/^ tid=/, "", $7); print $2, $7, $5 }' "$DIR/$name.slices" |
			sort | diff - "$DIR/$name.switches"
		# One task at a time, and each goes away.
		awk -F '\t' '$3 == "TYPE_SLICE_BEGIN" { if (open[$2]++) exit 1 } $3 == "TYPE_SLICE_END" { if (!open[$2]--) exit 1 }
			$5 < last[$2] { exit 1 } { last[$2] = $5 } END { for (cpu in open) if (open[cpu]) exit 1 }' "$DIR/$name.slices"
		grep -F $'\t'"${name/windows/sleep}"$'\t' "$DIR/$name.slices" >/dev/null || grep -F $'\tfunction_cases\t' "$DIR/$name.slices" >/dev/null
	done
}

# The last that ran in front of the trigger is in the trace: its clock is that of the index.
@test "perfetto: the trigger of a snapshot, and the time without trace behind it" {
	local name trigger last index
	ended snapshot 0 '1 snapshot'
	name=$(cd "$DIR/snapshot" && echo auxbpf-*.data)
	index=$DIR/snapshot/index.ndjson
	trigger=$(jq .trigger_ns "$index")
	of_capture export --perfetto -o /out/snapshot.perfetto "/out/snapshot/$name"
	slices_of_perfetto "$DIR/snapshot.perfetto" >"$DIR/snapshot.slices"
	grep -F $'S\ttrigger\tTYPE_INSTANT\tsyscall:uname latency > 1ns\t'"$trigger"$'\ttrigger\t time=' "$DIR/snapshot.slices" |
		grep -F " event=uname = 0 duration_ns=$(jq .latency_ns "$index") comm=uname tid=$(jq .tid "$index") cpu=$(jq .cpu "$index")"
	[ "$(grep ^V "$DIR/snapshot.slices")" = $'V\t'$((trigger - 1000000))$'\t'$((trigger + 100000)) ]
	diff <(grep $'^S\ttrace of CPU' "$DIR/snapshot.slices" | cut -f 2-5) <(jq -r --argjson trigger "$trigger" '.cpus[] | "trace of CPU \(.cpu)" as $track |
		(if .covered_ns > 0 then [$track, "TYPE_SLICE_BEGIN", "trace", $trigger - .covered_ns], [$track, "TYPE_SLICE_END", "", $trigger] else empty end),
		[$track, "TYPE_SLICE_BEGIN", "[without trace: snapshot]", $trigger], [$track, "TYPE_SLICE_END", "", $trigger + .blind_ns] | @tsv' "$index")
	last=$(grep '^C' "$DIR/snapshot.slices" | cut -f 3 | sort -n | tail -n 1)
	echo "the last call ends $((trigger - last)) ns before the trigger"
	[ $((trigger - last)) -lt 20000000 ]
	[ $((last - trigger)) -lt 1000000 ]
}

# Without auxbpf's own work its time is that of nobody, so all is shown here.
@test "folded: the time in each path of calls" {
	local name
	for name in $CAPTURES; do
		ended "$name" 0
		of_capture export --show-gate --speedscope -o "/out/$name.all" "/out/$name"
		calls_of_speedscope "$DIR/$name.all" >"$DIR/$name.calls"
		of_capture export --show-gate --folded -o "/out/$name.folded" "/out/$name"
		paths_of_calls "$DIR/$name.calls" >"$DIR/$name.paths"
		[ "$(wc -l <"$DIR/$name.paths")" -gt 1000 ]
		diff "$DIR/$name.paths" <(paths_of_folded "$DIR/$name.folded")
	done
	# The kernel's functions are marked, and no others.
	grep -E ';main;.*_\[k\] [0-9]+$' "$DIR/threads.folded" >/dev/null
	grep -E ';do_syscall_64_\[k\];' "$DIR/windows.folded" >/dev/null
	nothing < <(grep -E ';main_\[k\]' "$DIR/threads.folded")
	grep -F ';[not traced] ' "$DIR/windows.folded" >/dev/null
}

@test "folded: auxbpf's own work is not there" {
	of_capture export --folded /out/windows >"$DIR/windows.shown"
	grep -F 'bpf_prog_' "$DIR/windows.folded" >/dev/null
	nothing < <(grep -F 'bpf_prog_' "$DIR/windows.shown")
}

@test "shorter and deeper calls are left out, and counted" {
	local all kept
	list_calls both
	of_capture export --speedscope -o /out/both.speedscope /out/both
	calls_of_speedscope "$DIR/both.speedscope" >"$DIR/both.calls"
	all=$(count_calls "$DIR/both.calls" 1)
	for limit in "--min-duration 20us|\$4 - \$3 >= 20000" "--depth 4|\$1 < 4"; do
		must of_capture export --speedscope ${limit%|*} -o /out/both.some /out/both
		calls_of_speedscope "$DIR/both.some" >"$DIR/both.some.calls"
		kept=$(count_calls "$DIR/both.calls" "${limit#*|}")
		[ "$kept" -gt 100 ]
		[ "$(count_calls "$DIR/both.some.calls" 1)" -eq "$kept" ]
		has "left out: $((all - kept)) calls, "
		must of_capture export --folded ${limit%|*} -o /out/both.some /out/both
		has "left out: $((all - kept)) calls, "
	done
}

# What is exported of a window, or of its time, is what report shows of it.
@test "a window, and a range of time" {
	local window range
	read -r window range < <(of_capture report --windows --json /out/windows |
		jq -r 'select(.name == "newfstatat") | "\(.window) \(.begin_ns / 1e9),\(.end_ns / 1e9)"' | head -n 1)
	for part in "--window $window" "--time $range"; do
		of_capture report --graph --json $part /out/windows >"$DIR/part.json"
		calls_of_graph "$DIR/part.json" >"$DIR/part.graph"
		grep -F $'\tvfs_fstatat\t' "$DIR/part.graph"
		of_capture export --speedscope $part -o /out/part.speedscope /out/windows
		calls_of_speedscope "$DIR/part.speedscope" >"$DIR/part.calls"
		must same_calls "$DIR/part.graph" "$DIR/part.calls" 10
		of_capture export --show-gate --speedscope $part -o /out/part.speedscope /out/windows
		calls_of_speedscope "$DIR/part.speedscope" >"$DIR/part.calls"
		of_capture export --show-gate --folded $part -o /out/part.folded /out/windows
		diff <(paths_of_calls "$DIR/part.calls") <(paths_of_folded "$DIR/part.folded")
	done
	logged of_capture export --speedscope --window 100000 -o /out/part.none /out/windows
	[ "$status" -eq 1 ]
	has 'there is no such window'
	[ ! -e "$DIR/part.none" ]
}

@test "a capture that is cut in the middle: no file" {
	cp -r "$DIR/both" "$DIR/cut"
	truncate -s $(($(stat -c %s "$DIR/cut/data") / 2)) "$DIR/cut/data"
	for format in folded html speedscope perfetto; do
		logged of_capture export --$format -o /out/cut.out /out/cut
		[ "$status" -eq 1 ]
		has "could not read '/out/cut'"
		[ ! -e "$DIR/cut.out" ]
	done
}

# No packet of the trace begins so. By chance the damage cuts a packet so that the decoder takes anything for a time; if times go back
# by that, formats in which they must not tell of others than the graph does.
# bats test_tags=long
@test "damaged trace: errors are counted, and have their places" {
	local errors
	cp -r "$DIR/both" "$DIR/damaged"
	head -c 3000 /dev/zero | tr '\0' '\377' |
		dd of="$DIR/damaged/data" bs=1 seek=$(($(stat -c %s "$DIR/damaged/data") * 3 / 4)) conv=notrunc 2>/dev/null
	# All of them, also in auxbpf's own work and in idle tasks.
	must of_capture export --show-gate --perfetto -o /out/damaged.perfetto /out/damaged
	errors=$(sed -n 's/.*warning: \([0-9]*\) errors\? of the decoder.*/\1/p' <<<"$output")
	[ "$errors" -gt 0 ]
	[ "$(slices_of_perfetto "$DIR/damaged.perfetto" | grep -c '^I')" -eq "$errors" ]
	must of_capture export --perfetto -o /out/damaged.perfetto /out/damaged
	of_capture report --graph --json /out/damaged >"$DIR/damaged.json"
	calls_of_graph "$DIR/damaged.json" | sed 's|^# -1/-1$|# :-1|' >"$DIR/damaged.wanted"
	calls_of_perfetto "$DIR/damaged.perfetto" >"$DIR/damaged.calls"
	must same_calls "$DIR/damaged.wanted" "$DIR/damaged.calls" 1000
	must of_capture export --speedscope -o /out/damaged.speedscope /out/damaged
	has "$errors error"
	calls_of_speedscope "$DIR/damaged.speedscope" >"$DIR/damaged.calls"
	must same_calls <(calls_of_graph "$DIR/damaged.json") "$DIR/damaged.calls" 1000
	must of_capture export --show-gate --html -o /out/damaged.html /out/damaged
	document_of "$DIR/damaged.html" >"$DIR/damaged.document"
	finds "$DIR/damaged.document" errors "$errors"
	must of_capture export --folded -o /out/damaged.folded /out/damaged
	has "$errors error"
}
