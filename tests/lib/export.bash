# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reads what `auxbpf export` has written, and compares it with what `auxbpf report --graph --json` shows. All are turned into one
# form: "# PID/TID" for each task, and behind it a line for each call, in the order in which they began: its depth, its name,
# its begin and end in ns, with tabs in between. A time without trace is a call of [not traced].

# Of `report --graph --json`; - is a time that is not known.
calls_of_graph() { # file
	jq -r 'if .tid then "# \(.pid)/\(.tid)"
		elif .mark == "error" then empty
		else [.depth, .function // "[not traced]", .begin_ns // "-", .end_ns // "-"] | @tsv end' "$1"
}

# Puts begins and ends together that come one by one: "O<TAB>NAME<TAB>NS", "C<TAB>NAME or -<TAB>NS"; other lines stay. Fails
# if one ends that has not begun, if one does not end, or if a time is before the last one.
nest_calls() {
	awk -F '\t' -v OFS='\t' '
		BEGIN { depth = nr = last = 0 }
		function flush(   i) {
			if (depth) fail(depth " calls do not end")
			for (i = 1; i <= nr; i++) print at_depth[i], name[i], begin[i], end[i]
			nr = last = 0
		}
		function fail(why) { print "line " NR ": " why > "/dev/stderr"; bad = 1; exit 1 }
		$1 == "O" || $1 == "C" {
			if ($3 + 0 < last) fail("at " $3 ", behind " last)
			last = $3 + 0
		}
		$1 == "O" { open[depth] = ++nr; at_depth[nr] = depth++; name[nr] = $2; begin[nr] = $3; next }
		$1 == "C" {
			if (!depth) fail("an end of nothing")
			i = open[--depth]
			if ($2 != "-" && $2 != name[i]) fail("the end of " $2 " in " name[i])
			end[i] = $3
			next
		}
		{ flush(); print }
		END { if (!bad) flush(); exit bad }'
}

# Of a file for speedscope. Its times begin with the capture's first call.
calls_of_speedscope() { # file
	jq -e '."$schema" == "https://www.speedscope.app/file-format-schema.json" and (.exporter | type) == "string" and
		all(.shared.frames[]; .name | type == "string") and
		all(.profiles[]; .type == "evented" and .unit == "nanoseconds" and .startValue <= .endValue)' "$1" >/dev/null
	jq -r '(.name | capture("from (?<s>[0-9]+)\\.(?<ns>[0-9]+)$") | (.s | tonumber) * 1000000000 + (.ns | tonumber)) as $base |
		.shared.frames as $frames | .profiles[] |
		"# " + (.name | split(" ") | last),
		(.startValue as $from | .endValue as $to | .events[] |
			if .at < $from or .at > $to then error("an event outside of its profile") else . end |
			[.type, ($frames[.frame] // error("no such frame") | .name), .at + $base] | @tsv)' "$1" | nest_calls
}

# Two such lists are the same, as far as their times are known, and have at least so many calls.
same_calls() { # file file least
	paste -d '\t' "$1" "$2" | awk -F '\t' -v least="$3" '
		$1 ~ /^#/ { if ($1 != $2) { print "line " NR ": " $0; exit bad = 1 }; next }
		{ nr++ }
		$1 != $5 || $2 != $6 || ($3 != "-" && $7 != "-" && $3 != $7) || ($4 != "-" && $8 != "-" && $4 != $8) {
			print "line " NR ": " $0
			exit bad = 1
		}
		END { if (!bad) print nr " calls"; exit bad || nr < least }'
}

# The paths of such a list, with the time in the last function itself, as `export --folded` has them but for the names of tasks
# and modes: "a;b NS", sorted.
paths_of_calls() { # file
	awk -F '\t' '
		/^#/ { next }
		{
			took = $4 - $3
			path[$1] = ($1 ? path[$1 - 1] ";" : "") $2
			self[path[$1]] += took
			if ($1) self[path[$1 - 1]] -= took
		}
		END { for (p in self) if (self[p]) printf "%s %.0f\n", p, self[p] }' "$1" | LC_ALL=C sort
}

# The same of a file that it has written.
paths_of_folded() { # file
	sed -E 's/^[^;]*;//; s/_\[k\](;| [0-9]+$)/\1/g' "$1" |
		awk '{ ns = $NF; sub(/ [0-9]+$/, ""); sum[$0] += ns } END { for (p in sum) printf "%s %.0f\n", p, sum[p] }' | LC_ALL=C sort
}
