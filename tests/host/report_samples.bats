#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What `auxbpf report` and `auxbpf export` show of a capture that has samples of regular events and no trace: as many as
# perf script finds, at the functions that it finds, and the callers that the program has by its source.

load ../lib/helpers
load ../lib/export

setup_file() {
	requires auxbpf perf jq sampled_calls python3
	cd "$BATS_FILE_TMPDIR" || return
	auxbpf -o out -e cpu-clock -g --snapshot-on end -- sampled_calls
	ln -s out/auxbpf-*.data one
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

# The function of each sample, and how many samples there are of it, by perf. Callers are on lines of their own, behind that of
# the time; without any, the function is beside the time. The part of a function that the compiler moved away is that function.
# Of a chain with a number in it that could not be an address perf prints nothing at all: "(nothing)".
leaves_of_perf() { # capture
	perf script --no-inline -i "$1" -F time,ip,sym 2>/dev/null | awk '
		function leaf() { sub(/^[ \t]*[0-9a-f]+ /, ""); sub(/\.cold$/, ""); nr[$0]++ }
		/^ *[0-9]+\.[0-9]+: / {
			nr["(nothing)"] += is_first
			sub(/^[^:]*: */, "")
			is_first = !NF
			if (NF) leaf()
			next
		}
		NF && is_first { leaf(); is_first = 0 }
		END { nr["(nothing)"] += is_first; for (name in nr) print nr[name], name }'
}

nr_samples_of_perf() { # capture
	perf script -i "$1" -F tid 2>/dev/null | grep -cE '^ *-?[0-9]'
}

@test "functions: as many samples as perf finds in each" {
	auxbpf report --functions --json one >functions
	leaves_of_perf one >wanted
	[ "$(wc -l <wanted)" -gt 4 ]
	# Functions of one name are one for perf's names alone, and code without a symbol is unknown.
	jq -r 'select(.self > 0) | "\(.self) \(if .function | startswith("[") then "[unknown]" else .function end)"' functions |
		awk '{ nr = $1; sub(/^[0-9]+ /, ""); sum[$0] += nr } END { for (name in sum) print sum[name], name }' >got
	awk '{ nr = $1; sub(/^[0-9]+ /, "") }
		NR == FNR && $0 == "(nothing)" { nothing = nr; next }
		NR == FNR { wanted[$0] = nr; next }
		{ more += nr - wanted[$0]; if (nr < wanted[$0]) print $0 ": " nr " of " wanted[$0]; delete wanted[$0] }
		END { for (name in wanted) print "no " name; if (more != nothing) print more " more, " nothing " of which perf prints nothing" }' wanted got >differences
	nothing <differences
	[ "$(jq -s 'map(.self) | add' functions)" -eq "$(nr_samples_of_perf one)" ]
}

@test "callers: by the program's source, with one that is never returned to" {
	auxbpf export --folded one >folded
	for path in 'main;first;spin' 'main;second;spin' 'main;last'; do
		[ "$(grep -E "^sampled_calls;(.*;)?$path [0-9]+$" folded | awk '{ sum += $NF } END { print sum + 0 }')" -gt 20 ]
	done
	nothing < <(grep -E '^sampled_calls;(.*;)?(first|second|last)[; ]' folded | grep -vE ';main;(first|second|last)[; ]')
	auxbpf report --graph --json one >graph
	[ "$(jq -s 'map(select(.depth != null)) | map(.self) | add' graph)" -eq "$(awk '{ sum += $NF } END { print sum }' folded)" ]
	[ "$(jq -s 'map(select(.tid != null)) | map(.samples) | add' graph)" -eq "$(nr_samples_of_perf one)" ]
	# A caller comes in front of what it called, and has all of its samples.
	jq -n -e 'reduce inputs as $line ({above: [], is_so: true};
		if $line.tid != null then .above = [$line.samples] else
			.is_so = (.is_so and $line.samples <= .above[$line.depth] and $line.self <= $line.samples) |
			.above[$line.depth + 1] = $line.samples
		end) | .is_so' graph
}

@test "text: the same, with percentages" {
	local all
	logged auxbpf report one
	[ "$status" -eq 0 ]
	has '# SAMPLES        %      SELF  FUNCTION' '# sampled_calls '
	grep -E '^ +[0-9]+ +[0-9.]+% +0 +main$' <<<"$output"
	logged auxbpf report --functions -s self -S 'spin' one
	[ "$(grep -vc '^#' <<<"$output")" -eq 1 ]
	all=$(nr_samples_of_perf one)
	awk -v all="$all" '/spin/ { if ($2 != sprintf("%.2f%%", 100 * $1 / all) || $1 < $3 || $4 != sprintf("%.2f%%", 100 * $3 / all)) exit 1 }' <<<"$output"
	logged auxbpf report --functions -s p99 one
	[ "$status" -eq 1 ]
	has "samples tell nothing of 'p99': they are sorted by total or self"
}

@test "speedscope: the same paths" {
	auxbpf export --speedscope -o speedscope one
	auxbpf export --folded one | sed 's/_\[k\]//g' | sort >wanted
	jq -r '.shared.frames as $frames | .profiles[] | select(.type == "sampled" and .unit == "none") | . as $profile |
		(.name | sub(" [-0-9]+/[-0-9]+$"; "")) as $task | (.samples | length) as $nr |
		if ($nr != (.weights | length)) or (.endValue != (.weights | add)) then error("weights") else . end |
		range($nr) | . as $i | ([$task] + [$profile.samples[$i][] | $frames[.].name] | map(gsub(";"; ":")) | join(";")) + " \($profile.weights[$i])"' speedscope |
		sort >got
	diff wanted got
}

@test "several events: each has its paths" {
	auxbpf -o two -e cpu-clock -e context-switches -g --snapshot-on end -- sh -c 'for i in 1 2 3; do sleep 0.01; done; sampled_calls'
	auxbpf export --folded two/auxbpf-*.data >folded
	grep -E '^sampled_calls;cpu-clock;' folded >/dev/null
	grep -E '^[^;]*;context-switches;' folded >/dev/null
	nothing < <(grep -vE '^[^;]*;(cpu-clock|context-switches);' folded)
	[ "$(awk '{ sum += $NF } END { print sum }' folded)" -eq "$(nr_samples_of_perf two/auxbpf-*.data)" ]
}

# The paths of samples with their numbers, as --folded has them but for the names of tasks.
paths_of_samples() { # slices
	sed -n 's/^P\t.* stack=//p' "$1" | sort | uniq -c | awk '{ nr = $1; sub(/^ *[0-9]+ /, ""); print $0, nr }' | LC_ALL=C sort
}

@test "perfetto: each sample, when and where it was" {
	auxbpf export --perfetto -o perfetto one
	slices_of_perfetto perfetto >slices
	perf script --ns -i one -F time 2>/dev/null | tr -d ' :.' | sort -n >wanted
	[ -s wanted ]
	diff <(grep ^P slices | cut -f 3 | sort -n) wanted
	auxbpf export --folded one | sed 's/^[^;]*;//' | awk '{ nr = $NF; sub(/ [0-9]+$/, ""); sum[$0] += nr } END { for (p in sum) print p, sum[p] }' |
		LC_ALL=C sort >wanted
	diff <(paths_of_samples slices) wanted
	nothing < <(grep ^P slices | grep -vP '\tsample\t event=cpu-clock cpu=[0-9]+ stack=')
	# A sample has the name of the innermost function.
	nothing < <(grep ^P slices | awk -F '\t' '{ leaf = $5; sub(/.*[;=]/, "", leaf); sub(/_\[k\]$/, "", leaf); if (leaf != $2) print }')
}

@test "options that are for calls" {
	logged auxbpf export --perfetto --min-duration 1us -o none one
	[ "$status" -eq 1 ]
	has "--min-duration and --depth are for calls"
	[ ! -e none ]
	logged auxbpf export --folded --depth 3 one
	[ "$status" -eq 1 ]
	has "--min-duration and --depth are for calls"
}
