# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of windows.ndjson share.

# The file is what the man page says: a header, and so many windows in the order of their begins.
well_formed() { # windows.ndjson
	jq -es '.[0].auxbpf_windows == 1 and .[0].windows == (.[1:] | length) and all(.[1:][]; .begin_ns > 0 and .tid > 0
		and (if .cut == "open" then has("end_ns") | not else .end_ns >= .begin_ns and .off_ns <= .end_ns - .begin_ns end)
		and (if .kind == "syscall" then (.args | length) == 6 and (has("ret") == (has("cut") | not)) else has("args") | not end))
		and ([.[1:][].begin_ns] | . == sort)' "$1" >/dev/null || {
		cat "$1"
		return 1
	}
}

# The windows of each thread are the calls that `strace -f -e raw=all` saw: their names, as many arguments as strace knows,
# what they returned, their order and their number. The first line is the execve of strace's own child.
# strace says `= ?` of a call that does not return.
same_as_strace() { # windows.ndjson strace's-output
	python3 - "$1" "$2" <<-'END'
		import collections, errno, json, re, sys

		SPECIAL = {"ERESTARTSYS": 512, "ERESTARTNOINTR": 513, "ERESTARTNOHAND": 514, "ERESTART_RESTARTBLOCK": 516}
		kept, seen, begun = collections.defaultdict(list), collections.defaultdict(list), {}

		def result(text):
		    if text.startswith("?"):
		        return None
		    if not text.startswith("-1 "):
		        return int(text.split()[0], 0)
		    name = text.split()[1]
		    return -(SPECIAL.get(name) or getattr(errno, name))

		def add(tid, name, args, ret):
		    seen[tid].append((name, [int(a, 0) for a in re.split(", *", args.strip()) if a], result(ret)))

		for line in list(open(sys.argv[2]))[1:]:
		    tid, text = re.match(r"(\d+) +(.*)", line).groups()
		    if m := re.match(r"(\w+)\((.*)\) *= (.*)", text):
		        add(tid, *m.groups())
		    elif m := re.match(r"(\w+)\((.*)<unfinished \.\.\.>", text):
		        begun[tid] = m.groups()
		    elif m := re.match(r"<\.\.\. \w+ resumed>(.*)\) *= (.*)", text):
		        name, args = begun.pop(tid)
		        add(tid, name, args + m.group(1), m.group(2))
		for line in list(open(sys.argv[1]))[1:]:
		    w = json.loads(line)
		    nr = len(kept[str(w["tid"])])
		    calls = seen[str(w["tid"])]
		    arity = len(calls[nr][1]) if nr < len(calls) else 6
		    kept[str(w["tid"])].append((w["name"], w["args"][:arity], w.get("ret")))
		for tid in sorted(set(kept) | set(seen)):
		    if kept[tid] != seen[tid]:
		        print("of", tid, "strace saw", seen[tid], "the file has", kept[tid], sep="\n")
		        sys.exit(1)
		sys.exit(0 if seen else "strace saw nothing")
	END
}
