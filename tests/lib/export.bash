# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reads what `auxbpf export` has written, and compares it with what `auxbpf report --graph --json` shows. All are turned into one
# form: "# PID/TID" for each task, and behind it a line for each call, in the order in which they began: its depth, its name,
# its begin and end in ns, with tabs in between. A time without trace is a call of [not traced].

# Of `report --graph --json`; - is a time that is not known.
calls_of_graph() { # file
	jq -r 'if .tid then "# \(.pid)/\(.tid)"
		elif .mark == "error" or .mark == "off" then empty
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

# Two such lists are the same, as far as their times are known, and have at least so many calls. Of times above 2^53 ns, as a
# decoder may tell in damaged trace, jq does not keep all bits; below, none may differ.
same_calls() { # file file least
	paste -d '\t' "$1" "$2" | awk -F '\t' -v least="$3" '
		function differ(a, b) { return a != "-" && b != "-" && a != b && (a < 2 ^ 53 || a - b > a * 1e-15 || b - a > a * 1e-15) }
		$1 ~ /^#/ { if ($1 != $2) { print "line " NR ": " $0; exit bad = 1 }; next }
		{ nr++ }
		$1 != $5 || $2 != $6 || differ($3, $7) || differ($4, $8) {
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

# What protoc decodes of a file for Perfetto by our own messages, and not one field more.
decode_perfetto() { # file
	protoc --decode=perfetto.Trace --proto_path="$AUXBPF_ROOT/src/export" "$AUXBPF_ROOT/src/export/perfetto.proto" <"$1" >"$1.text"
	grep -qE '^ *[0-9]+[: ]' "$1.text" && echo "$1: fields that are not in perfetto.proto" >&2 && return 1
	return 0
}

# The slices of its tracks, a line each with tabs in between, in the order of the file: "# PID/TID" (or the name) for a task's track;
# "O NAME NS CATEGORY NOTES" and "C - NS"; "W" and "w" in place of O and C, with the number of the track, for windows; "I TEXT NS"; "P
# NAME NS CATEGORY NOTES" for a sample. Of a snapshot also the tracks of the
# trigger and of CPUs: "S TRACK TYPE NAME NS CATEGORY NOTES", and the part that is shown first: "V FROM TO".
# Names must have been told before they are used, and tracks too; all but the first packet need what is interned.
slices_of_perfetto() { # file
	decode_perfetto "$1"
	awk '
		function fail(why) { print "line " NR ": " why > "/dev/stderr"; bad = 1; exit 1 }
		function value(   v) {
			v = $0
			sub(/^ *[a-z_0-9]+: /, "", v)
			gsub(/^"|"$/, "", v)
			return v
		}
		function event(   name, letter) {
			if (!(track in kind)) fail("no such track")
			name = text
			if (name_iid && !(name_iid in names)) fail("a name that was not told")
			if (name_iid) name = names[name_iid]
			if (category && !(category in categories)) fail("a category that was not told")
			if (kind[track] == "snapshot") {
				print "S\t" title[track] "\t" type "\t" name "\t" time "\t" categories[category] "\t" notes
				return
			}
			if (kind[track] == "samples") {
				print "P\t" name "\t" time "\t" categories[category] "\t" notes
				return
			}
			letter = kind[track] == "calls" ? "O" : "W " track
			if (type == "TYPE_SLICE_BEGIN") print letter "\t" name "\t" time "\t" categories[category] "\t" notes
			else if (type == "TYPE_SLICE_END") print (kind[track] == "calls" ? "C" : "w " track) "\t-\t" time
			else print "I\t" name "\t" time
		}
		function descriptor() {
			if (process) return
			kind[uuid] = parent ? (text == "samples" ? "samples" : "windows") : text ~ /^(trigger|(trace of )?CPU [0-9]+)$/ ? "snapshot" : "calls"
			title[uuid] = text
			if (kind[uuid] == "snapshot") return
			if (parent && kind[parent] != "calls") fail("a parent that was not told")
			if (!parent) print "# " (tid ? pid "/" tid : text)
		}
		/^packet \{/ {
			section = part = text = notes = category = name_iid = type = parent = tid = pid = process = track = ""
			nr++
		}
		/^  timestamp:/ { time = $2 }
		/^  sequence_flags:/ { if ($2 != (nr == 1 ? 1 : 2)) fail("flags") }
		/^  trusted_packet_sequence_id:/ { sequences[$2] }
		/^  [a-z_]+ \{/ { section = $1 }
		/^    [a-z_]+ \{/ { part = $1; iid = note = "" }
		/^    name: / { text = value() }
		/^    name_iid: / { name_iid = $2 }
		/^    category_iids: / { category = $2 }
		/^    type: / { type = $2 }
		/^    track_uuid: / { track = $2 }
		/^    uuid: / { uuid = $2 }
		/^    parent_uuid: / { parent = $2 }
		/^      iid: / { iid = $2 }
		/^      name: / && part == "event_names" { names[iid] = value() }
		/^      str: / && part == "debug_annotation_string_values" { texts[iid] = value() }
		/^      name: / && part == "event_categories" { categories[iid] = value() }
		/^      (uint|pointer|string)_value: / { note = value() }
		/^      name: / && part == "debug_annotations" { notes = notes " " value() "=" note }
		/^      string_value_iid: / { if (!($2 in texts)) fail("a text that was not told"); notes = notes texts[$2] }
		/^      pid: / && part == "thread" { pid = $2 }
		/^      tid: / { tid = $2 }
		/^    timeline_start_ts: / { from = $2 }
		/^    timeline_end_ts: / { print "V\t" from "\t" $2 }
		/^    process \{/ { process = 1 }
		/^}/ && section == "track_event" { event() }
		/^}/ && section == "track_descriptor" { descriptor() }
		END { if (!bad && length(sequences) != 1) fail("more than one sequence"); exit bad }' "$1.text"
}

calls_of_perfetto() { # file
	slices_of_perfetto "$1" | grep '^[#OC]' | cut -f 1-3 | nest_calls
}

# The windows of such a file: name, begin, end, notes, by their numbers.
windows_of_perfetto() { # file
	slices_of_perfetto "$1" | awk -F '\t' -v OFS='\t' '
		$1 ~ /^W/ { track = substr($1, 2); if (track in open) exit bad = 1; open[track] = ++nr; name[nr] = $2; begin[nr] = $3; notes[nr] = $5; end[nr] = "-" }
		$1 ~ /^w/ { track = substr($1, 2); end[open[track]] = $3; delete open[track] }
		END { for (i = 1; i <= nr; i++) print name[i], begin[i], end[i], notes[i]; exit bad }' |
		awk -F '\t' -v OFS='\t' '{ match($4, /window=[0-9]+/); print substr($4, RSTART + 7, RLENGTH - 7), $0 }' | sort -n | cut -f 2-
}

# The same of windows.ndjson.
windows_of_file() { # file
	jq -r 'select(.kind) | [.name // .kind, .begin_ns, .end_ns // "-"] | @tsv' "$1"
}

# Adds a snapshot to a directory, with its line in the index, for a perf that model_perf makes: its trigger was at NS, in the boot
# BOOT. More members of the line may follow, as JSON.
add_snapshot() { # dir name boot ns [members]
	mkdir -p "$1"
	echo "a capture" >"$1/$2"
	jq -cn --arg name "$2" --arg boot "$3" --argjson ns "$4" --argjson more "${5:-{\}}" '{schema: "auxbpf-snapshot-1", snapshot: $name,
		rule: "syscall:read latency > 1ms", time: "2026-11-27T14:00:00Z", trigger_ns: $ns, boot: $boot, comm: "job", pid: 7, tid: 7,
		cpu: 0} + $more' >>"$1/index.ndjson"
}

# Makes a perf that takes the place of the decoder and sets PERF to it. On stdin is Python that tells what it decodes, with
# the functions below; a place is a function and an offset in it, and capture is the name of the file that is decoded;
# the innermost of a sample's frames comes first. Functions from 100 on are the kernel's. A call site has the number of a function
# that it is in, its offset in the file, that of its function, and the file's build id. It writes the messages of
# src/decode/decoded.h into the pipe whose number is the first --dlarg.
model_perf() {
	{
		cat <<-'END'
			#!/usr/bin/env python3
			import os, struct, sys
			CALL, RETURN, SYSCALL, BEGIN, STOP = 1 << 1, 1 << 2, 1 << 4, 1 << 8, 1 << 9
			capture = os.path.basename(sys.argv[sys.argv.index("-i") + 1])
			pipe = os.fdopen(int(sys.argv[sys.argv.index("--dlarg") + 1]), "wb")
			def message(kind, body):
			    body += b"\0" * (-len(body) % 8)
			    pipe.write(struct.pack("<II", 8 + len(body), kind) + body)
			def function(number, name, file):
			    message(1, struct.pack("<II", number, len(name) + 1) + name + b"\0" + file + b"\0")
			def sample(time, event, frames, tid=7, cpu=0):
			    message(4, struct.pack("<QiiiIII", time, 7, tid, cpu, event, len(frames), 0) +
			            b"".join(struct.pack("<II", frame, frame >= 100) for frame in frames))
			def task(tid, name):
			    message(2, struct.pack("<iI", tid, 0) + name + b"\0")
			def line(text):
			    message(3, (text + "\n\0").encode())
			def error(seconds, cpu, tid, text):
			    line(" instruction trace error type 1 time %s cpu %d pid 7 tid %d ip 0 code 5: %s" % (seconds, cpu, tid, text))
			def address(place):
			    return (1 << 63 if place[0] >= 100 else 0) + place[0] * 0x1000 + place[1] if place else 0
			def site(number, of, address, start, build_id):
			    message(5, struct.pack("<IIQQI20sBB", number, 0, address, start, of, build_id, len(build_id), of >= 100))
			def branch(time, flags, source, to, tid=7, cpu=0, site=0):
			    message(0, struct.pack("<QQQiiiIIIII", time, address(source), address(to), 7, tid, cpu, flags, source[0] if source else 0,
			                           to[0] if to else 0, to[1] if to else 0, site))
		END
		cat
		echo 'pipe.flush()'
	} >perf
	chmod +x perf
	export PERF=$PWD/perf
}

# That of a capture with calls and samples of a task, and of another task what is given: samples alone.
model_sampled_perf() { # Python
	model_perf <<-END
		for number in range(1, 102):
		    function(number, {1: b"main", 2: b"work", 100: b"vfs_read", 101: b"cycles"}.get(number, b"filler"), b"prog")
		task(7, b"both")
		branch(1000, BEGIN, None, (1, 0))
		sample(1500, 101, [1])
		branch(2000, CALL, (1, 0x10), (2, 0))
		sample(3000, 101, [100, 2, 1], cpu=3)
		branch(5000, RETURN, (2, 0x10), (1, 0x15))
		task(9, b"sampled")
		$1
	END
}
