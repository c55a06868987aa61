#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The page of `auxbpf export --html`, in a browser: what it shows is what was decoded, by a perf that is a model. Pages of real
# captures are in lab/x86/export.bats.

load ../lib/helpers
load ../lib/export
load ../lib/page

setup() {
	requires auxbpf jq python3 chromium unshare
	cd "$BATS_TEST_TMPDIR" || return
}

# Two tasks: one reads twice, and is off the CPU in between; the other one has an error of the decoder in it.
make_capture() {
	model_perf <<-'END'
		for number, name, file in ((1, b"main", b"/bin/prog"), (2, b"fread", b"/lib/libc.so"), (3, b"work", b"/bin/prog"),
		                           (100, b"do_syscall_64", b"[kernel]"), (101, b"vfs_read", b"[kernel]"), (102, b"schedule", b"[kernel]")):
		    while number > 3 and number > last + 1:
		        last += 1
		        function(last, b"filler", b"")
		    function(number, name, file)
		    last = number
		task(7, b"reader")
		branch(1000000001000, BEGIN, None, (1, 0))
		branch(1000000002000, CALL, (1, 0x10), (2, 0))
		branch(1000000003000, CALL | SYSCALL, (2, 0x10), (100, 0))
		branch(1000000003000, CALL, (100, 0x10), (101, 0))
		branch(1000000004000, CALL, (101, 0x10), (102, 0))
		branch(1000000005000, STOP, (102, 0x10), None)
		task(9, b"worker")
		branch(1000000005000, BEGIN, None, (3, 0), 9)
		error("1000.000006000", 0, 9, "Overflow <packet>")
		branch(1000000006500, BEGIN, None, (3, 8), 9)
		branch(1000000007000, CALL, (3, 0x10), (2, 0), 9)
		branch(1000000007500, RETURN, (2, 0x10), (3, 0x15), 9)
		branch(1000000008000, STOP, (3, 0x20), None, 9)
		branch(1000000009000, BEGIN, None, (102, 0x10), 7, 1)
		branch(1000000010000, RETURN, (102, 0x20), (101, 0x15), 7, 1)
		branch(1000000011000, RETURN, (101, 0x20), (100, 0x15), 7, 1)
		branch(1000000012000, RETURN | SYSCALL, (100, 0x20), (2, 0x12), 7, 1)
		branch(1000000013000, CALL | SYSCALL, (2, 0x20), (100, 0), 7, 1)
		branch(1000000013000, CALL, (100, 0x10), (101, 0), 7, 1)
		branch(1000000014000, RETURN, (101, 0x20), (100, 0x15), 7, 1)
		branch(1000000014000, RETURN | SYSCALL, (100, 0x20), (2, 0x22), 7, 1)
		branch(1000000015000, RETURN, (2, 0x30), (1, 0x15), 7, 1)
	END
	mkdir capture
	printf '%s\n' '{"auxbpf_windows":1,"windows":3,"left_out":0}' \
		'{"kind":"syscall","name":"futex","begin_ns":1000000000500,"comm":"other","pid":20,"tid":21,"cpu":1}' \
		'{"kind":"syscall","name":"read","ret":832,"args":[3,140737488347136,1048575,1048576,0,18446744073709551615],"begin_ns":1000000000900,"end_ns":1000000015100,"off_ns":4000,"moves":1,"comm":"reader","pid":7,"tid":7,"cpu":0}' \
		'{"kind":"syscall","name":"read","ret":-2,"errno":"ENOENT","begin_ns":1000000004900,"end_ns":1000000008100,"comm":"worker","pid":7,"tid":9,"cpu":0}' >capture/windows.ndjson
}

@test "its calls are those of report --graph, nested and with their times" {
	make_capture
	must auxbpf export --html -o page.html capture
	auxbpf report --graph --json capture >graph.json
	must same_calls <(calls_of_graph graph.json) <(calls_of_page page.html) 10
	document_of page.html >document
	finds document state ready
	finds document calls "$(jq -n 'reduce inputs as $call (0; if $call.function then . + 1 else . end)' graph.json)"
	finds document lanes 2
	finds document windows 3
	finds document gaps "$(jq -n 'reduce inputs as $call (0; if $call.mark == "gap" then . + 1 else . end)' graph.json)"
	finds document errors 1
	finds document cpus 0,1
}

@test "it tells of windows, gaps and errors, and goes to a window that its address names" {
	make_capture
	must auxbpf export --html -o page.html capture
	document_of page.html 'window=3' >document
	finds document state ready
	finds document window 3
	[ "$(found_by document | sed -n 's/^from=//p')" -eq 4144 ]
	[ "$(found_by document | sed -n 's/^to=//p')" -eq 7856 ]
	grep -F '<h2 class="">3 read = -2 ENOENT</h2>' document
	document_of page.html 'window=2' >document
	# The table has all of them, and the details tell of this one.
	grep -F '<h2 class="">2 read(3, 0x7fffffffe000, 1048575, 0x100000, 0, 0xffffffffffffffff) = 832</h2>' document
	grep -F '<dt class="">duration</dt><dd class="">14.2 µs</dd><dt class="">off the CPU</dt><dd class="">4 µs</dd>' document
	grep -F '<dd class="">400 ns, time stamp 1000.000000900</dd>' document
	grep -oE '<div class="row( chosen)?" style[^>]*>(<span class="">[^<]*</span>)*' document | sed 's/<[^>]*>/|/g; s/||/|/g' >rows
	diff rows - <<-'END'
		|1|futex|other 20/21|not over||
		|2|read(3, 0x7fffffffe000, 1048575, 0x100000, 0, 0xffffffffffffffff) = 832|reader 7/7|14.2 µs|4 µs|
		|3|read = -2 ENOENT|worker 7/9|3.2 µs||
	END
	# A window that there is not is none, and the whole is shown.
	document_of page.html 'window=4' >document
	finds document state ready
	finds document window ''
	[ "$(found_by document | sed -n 's/^from=//p')" -le 0 ]
	[ "$(found_by document | sed -n 's/^to=//p')" -ge 14500 ]
}

# What ran on the CPUs, and in which calls there was no trace.
runs_of_page() { # page
	read_page "$1" <<-'END'
		for (const {cpu, list} of capture.cpus)
			lines.push(...list.map(run => `CPU ${cpu}: ${run.lane.tid} ${run.begin}-${run.end}`));
		for (const lane of capture.lanes)
			lines.push(`${lane.tid}: ` + lane.runs.map(run => `${run.begin}-${run.end} on ${run.cpu}`).join(", "));
	END
}

@test "what ran on the CPUs" {
	make_capture
	must auxbpf export --html -o page.html capture
	diff <(runs_of_page page.html) - <<-'END'
		CPU 0: 7 500-4500
		CPU 0: 9 4500-7000
		CPU 1: 7 8500-14500
		7: 500-4500 on 0, 8500-14500 on 1
		9: 4500-7000 on 0
	END
	# Of task 8 nobody tells that it left the CPU, which task 9 has meanwhile.
	model_perf <<-'END'
		function(1, b"main", b"prog")
		function(2, b"work", b"prog")
		task(8, b"first")
		branch(1000, BEGIN, None, (1, 0), 8)
		branch(2000, CALL, (1, 0x10), (2, 0), 8)
		task(9, b"second")
		branch(3000, BEGIN, None, (1, 0), 9)
		branch(4000, CALL, (1, 0x10), (2, 0), 9)
		task(8, b"first")
		branch(6000, RETURN, (2, 0x10), (1, 0x15), 8)
		branch(7000, CALL, (1, 0x20), (2, 0), 8)
	END
	echo text >text
	must auxbpf export --html -o page.html text
	diff <(runs_of_page page.html) - <<-'END'
		CPU 0: 8 0-2000
		CPU 0: 9 2000-3000
		CPU 0: 8 5000-6000
		8: 0-2000 on 0, 5000-6000 on 0
		9: 2000-3000 on 0
	END
}

@test "search counts the calls of the functions that have the text" {
	make_capture
	must auxbpf export --html -o page.html capture
	auxbpf report --graph --json capture >graph.json
	for text in read vfs main VFS nothing; do
		wanted=$(jq -n --arg text "$text" 'reduce (inputs | select(.function)) as $call (0;
			if $call.function | ascii_downcase | contains($text | ascii_downcase) then . + 1 else . end)' graph.json)
		document_of page.html "search=$text" >document
		finds document matches "$wanted"
		grep -F "id=\"matches\">$wanted match" document
	done
}

# Task 7 has calls, too; task 9 has samples alone, and is below it.
@test "samples, by time and with their callers" {
	model_sampled_perf 'sample(9000, 101, [2, 1], tid=9)'
	echo text >text
	must auxbpf export --html -o page.html text
	read_page page.html >samples <<-'END'
		for (const lane of capture.lanes) {
			const {time, path, cpu, nr} = lane.samples;
			for (let i = 0; i < nr; i++) {
				const {event, functions} = readPath(capture, path[i]), nameOf = fn => capture.functions[fn][0];
				lines.push([lane.tid, time[i], cpu[i], nameOf(event), functions.map(nameOf).join(" ")].join("\t"));
			}
		}
	END
	diff samples - <<-'END'
		7	500	0	cycles	main
		7	2000	3	cycles	vfs_read work main
		9	8000	0	cycles	work main
	END
	with_script page.html moved.html <<-'END'
		async function play() {
			const chart = document.getElementById("chart"), box = chart.getBoundingClientRect(), said = [];
			const from = Number(document.body.dataset.from), to = Number(document.body.dataset.to);
			const wait = () => new Promise(done => setTimeout(done, 50));
			const mouse = (type, time, y) => chart.dispatchEvent(new PointerEvent(type, {pointerId: 1, bubbles: true,
				clientX: box.left + 170 + (time - from) / (to - from) * (box.width - 170), clientY: box.top + y}));
			const told = id => document.getElementById(id).innerText.split("\n").filter(Boolean).join("|");
			await wait();
			// The samples are below the CPU and the strip, above the calls.
			mouse("pointermove", 2000, 45);
			said.push(told("tip"));
			mouse("pointerdown", 2000, 45);
			mouse("pointerup", 2000, 45);
			said.push(told("details"));
			mouse("pointermove", 5000, 45);
			said.push(document.getElementById("tip").hidden);
			document.body.append(Object.assign(document.createElement("pre"), {id: "said", textContent: said.join("\n")}));
		}
		addEventListener("load", play);
	END
	document_of moved.html >document
	finds document samples 3
	finds document calls 2
	finds document to 8160
	diff <(sed -n '/<pre id="said">/,/<\/pre>/p' document | sed 's/.*<pre id="said">//; s/<\/pre>.*//') - <<-'END'
		vfs_read|sample of cycles, CPU 3, at 2 µs|‹ work|‹ main
		vfs_read|sample of|cycles|object|prog|at|2 µs, time stamp 0.000003000|CPU|3|task|both 7/7|called by|work ‹ main
		true
	END
}

@test "the trigger of a snapshot" {
	make_capture
	mv capture taken.data
	jq -cn '{schema: "auxbpf-snapshot-1", snapshot: "taken.data", rule: "syscall:read <latency> > 1us", time: "2026-11-27T14:00:00Z", comm: "reader", pid: 7, tid: 7, cpu: 1,
		trigger_ns: 1000000015300}' >index.ndjson
	must auxbpf export --html -o page.html taken.data
	document_of page.html >document
	finds document state ready
	finds document trigger 14800
	# It is behind the calls, and shown with them.
	finds document to 15096
	grep -F '<dd class="">syscall:read &lt;latency&gt; &gt; 1us, at 14.8 µs, time stamp 1000.000015300, 2026-11-27T14:00:00Z</dd>' document
	grep -F '<dd class="">reader 7/7 on CPU 1</dd>' document
}

@test "the snapshots of a directory, and going from one to the next" {
	model_perf <<-'END'
		function(1, b"main", b"prog")
		begin = 1000 if capture == "1.data" else 9000000000
		task(7, b"job")
		branch(begin, BEGIN, None, (1, 0))
		branch(begin + 4000, STOP, (1, 0x20), None)
	END
	add_snapshot dir 1.data boot 6000
	add_snapshot dir 2.data boot 9000005000
	must auxbpf export --html -o page.html dir
	diff <(calls_of_page page.html) - <<-'END'
		# 7/7
		0	main	1000	5000
		0	main	9000000000	9000004000
	END
	# Nobody has seen what ran between them.
	diff <(runs_of_page page.html) - <<-'END'
		CPU 0: 7 0-4000
		CPU 0: 7 8999999000-9000003000
		7: 0-4000 on 0, 8999999000-9000003000 on 0
	END
	with_script page.html moved.html <<-'END'
		async function play() {
			const said = [], wait = () => new Promise(done => setTimeout(done, 50));
			const note = async what => { await wait(); said.push(`${what}: ${document.body.dataset.from} ${document.body.dataset.to} ${document.querySelector("#details h2").textContent}`); };
			const key = key => dispatchEvent(new KeyboardEvent("keydown", {key}));
			await note("first");
			document.querySelectorAll("#details .triggers button")[1].click();
			await note("button");
			key("T");
			await note("T");
			key("T");
			await note("T again");
			key("t");
			await note("t");
			document.body.append(Object.assign(document.createElement("pre"), {id: "said", textContent: said.join("\n")}));
		}
		addEventListener("load", play);
	END
	document_of moved.html >document
	finds document trigger 5000,9000004000
	diff <(sed -n '/<pre id="said">/,/<\/pre>/p' document | sed 's/.*<pre id="said">//; s/<\/pre>.*//') - <<-'END'
		first: -180000080 9180004080 dir
		button: 8999004000 9000104000 syscall:read latency &gt; 1ms
		T: -995000 105000 syscall:read latency &gt; 1ms
		T again: -995000 105000 syscall:read latency &gt; 1ms
		t: 8999004000 9000104000 syscall:read latency &gt; 1ms
	END
}

@test "times that are far away, behind an error, are not shown at first" {
	model_perf <<-'END'
		function(1, b"main", b"prog")
		function(2, b"work", b"prog")
		task(7, b"task")
		branch(1000, BEGIN, None, (1, 0))
		for time in range(2000, 12000, 1000):
		    branch(time, CALL, (1, 0x10), (2, 0))
		    branch(time + 500, RETURN, (2, 0x10), (1, 0x15))
		if os.environ.get("ASTRAY"):
		    error("0.000012000", 0, 7, "Overflow packet")
		branch(1 << 61, BEGIN, None, (1, 0x20))
		branch((1 << 61) + 1000, CALL, (1, 0x20), (2, 0))
	END
	echo text >text
	must auxbpf export --html -o page.html text
	document_of page.html >document
	[ "$(found_by document | sed -n 's/^to=//p')" -gt 1000000000 ]
	ASTRAY=1 must auxbpf export --html -o page.html text
	document_of page.html search=work >document
	finds document calls 12
	finds document matches 11
	finds document from -200
	finds document to 10200
}

# Puts the names of strangers where they would do harm if they were HTML.
@test "names of strangers are text" {
	local evil='</script><!--<script><img src=x onerror="document.body.dataset.harm=1">&lt;"'
	model_perf <<-END
		function(1, b'''$evil''', b'''$evil''')
		task(7, b'''$evil''')
		branch(1000, BEGIN, None, (1, 0))
		error("0.000001500", 0, 7, '''$evil''')
		branch(2000, BEGIN, None, (1, 0x10))
		branch(5000, STOP, (1, 0x10), None)
	END
	mkdir "dir<script>"
	jq -cn --arg evil "$evil" '{auxbpf_windows: 1, windows: 1, left_out: 0},
		{kind: "function", name: $evil, begin_ns: 1500, end_ns: 4000, comm: $evil, pid: 7, tid: 7, cpu: 0}' >"dir<script>/windows.ndjson"
	must auxbpf export --html -o page.html "dir<script>"
	document_of page.html 'window=1&search=<script>' >document
	finds document state ready
	finds document calls 1
	finds document matches 1
	finds document errors 1
	nothing < <(grep -iE '<img|data-harm|<script>[^<]*<img' document)
	grep -F '<h1 id="title">dir&lt;script&gt;</h1>' document
	grep -F '<h2 class="">1 &lt;/script&gt;&lt;!--&lt;script&gt;&lt;img src=x onerror="document.body.dataset.harm=1"&gt;&amp;lt;"</h2>' document
	calls_of_page page.html >calls
	[ "$(sed -n 2p calls | cut -f 2)" = "$evil" ]
	# No element of the page is of anything but the page: two scripts less would be the lanes, which it has taken.
	[ "$(grep -o '<script' document | wc -l)" -eq 2 ]
}

@test "the policy forbids other scripts, and all that is not in the page" {
	make_capture
	must auxbpf export --html -o page.html capture
	grep -F "content=\"default-src 'none'; style-src 'sha256-" page.html
	nothing < <(grep -oE "unsafe-[a-z-]+|https?://" page.html)
	{ cat page.html; echo '<script>document.body.dataset.harm = 1</script>'; } >harmed.html
	logged document_of harmed.html
	[ "$status" -ne 0 ]
	has 'Content Security Policy'
	[[ $output != *data-harm* ]]
}

@test "a page that is cut off says so" {
	make_capture
	must auxbpf export --html -o page.html capture
	grep -v '^<script type="application/json"' page.html >cut.html
	document_of cut.html >document 2>said || true
	finds document state failed
	grep -F 'this page failed: ' document
}

# Presses, clicks and turns the wheel; notes what the page shows after each.
@test "keys, wheel, drags and clicks" {
	make_capture
	must auxbpf export --html -o page.html capture
	with_script page.html moved.html <<-'END'
		const wait = () => new Promise(done => setTimeout(done, 50));
		async function play() {
			const shown = () => ["from", "to"].map(name => Number(document.body.dataset[name])), chart = document.getElementById("chart");
			const said = [], note = async (what, is) => { await wait(); said.push(`${what}: ${is() ? "yes" : `no, ${shown()} ${document.body.dataset.window}`}`); };
			const key = key => dispatchEvent(new KeyboardEvent("keydown", {key}));
			const mouse = (type, x, y) => chart.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: x, clientY: y, bubbles: true}));
			const title = () => document.querySelector("#details h2").textContent;
			const box = chart.getBoundingClientRect(), middle = box.left + 170 + (box.width - 170) / 2;
			await wait();
			let before = shown();
			key("w");
			await note("w zooms in", () => shown()[0] > before[0] && shown()[1] < before[1]);
			before = shown();
			key("d");
			await note("d moves right", () => shown()[0] > before[0] && shown()[1] > before[1]);
			key("a");
			await note("a moves left", () => Math.abs(shown()[0] - before[0]) <= 1);
			key("s");
			key("s");
			await note("s zooms out", () => shown()[0] < before[0] && shown()[1] > before[1]);
			key("Home");
			before = shown();
			chart.dispatchEvent(new WheelEvent("wheel", {deltaY: -200, clientX: middle, clientY: box.top + 90, cancelable: true}));
			await note("the wheel zooms", () => shown()[0] > before[0] && shown()[1] < before[1]);
			before = shown();
			mouse("pointerdown", middle, box.top + 90);
			mouse("pointermove", middle - 60, box.top + 90);
			mouse("pointerup", middle - 60, box.top + 90);
			await note("a drag moves", () => shown()[0] > before[0]);
			key("Home");
			// The lane of the first task is below those of two CPUs: its strip, windows, calls.
			mouse("pointermove", middle, box.top + 84);
			await note("the mouse tells", () => document.getElementById("tip").textContent.startsWith("main  (/bin/prog)\n14 µs, self 1 µs\nCPU 0"));
			mouse("pointerdown", middle, box.top + 84);
			mouse("pointerup", middle, box.top + 84);
			await note("a click tells more", () => title() === "main");
			mouse("pointerdown", middle, box.top + 101);
			mouse("pointerup", middle, box.top + 101);
			await note("of what was clicked on", () => title() === "fread");
			before = shown();
			key("f");
			await note("f zooms to it", () => shown()[0] > before[0] && shown()[0] < 2000 && shown()[1] > 14500);
			document.querySelectorAll("#rows .row")[1].click();
			await note("a row of the table", () => document.body.dataset.window === "2" && shown()[0] < 400);
			await new Promise(done => setTimeout(done, 400));
			await note("the address", () => location.hash.includes("window=2"));
			location.hash = "#search=vfs_read";
			await wait();
			key("n");
			await note("n", () => title() === "vfs_read" && document.getElementById("details").textContent.includes("1000.000003000"));
			key("n");
			await note("n again", () => document.getElementById("details").textContent.includes("1000.000013000"));
			key("N");
			await note("N", () => document.getElementById("details").textContent.includes("1000.000003000"));
			key("Home");
			const footer = document.querySelector("footer"), lanes = document.getElementById("lanes");
			footer.style.height = footer.style.maxHeight = "90%";
			dispatchEvent(new Event("resize"));
			await wait();
			const below = chart.getBoundingClientRect();
			mouse("pointerdown", below.left + 170 + (below.width - 170) * 0.8, below.top + 30);
			mouse("pointerup", below.left + 170 + (below.width - 170) * 0.8, below.top + 30);
			await note("a task on a CPU", () => lanes.scrollTop === 38);
			document.body.append(Object.assign(document.createElement("pre"), {id: "said", textContent: said.join("\n")}));
		}
		addEventListener("load", play);
	END
	document_of moved.html >document
	sed -n '/<pre id="said">/,/<\/pre>/p' document
	[ "$(grep -c ': yes' document)" -eq 16 ]
	nothing < <(grep -E ': no, [0-9-]' document)
}

# Ten tasks, each on one of four CPUs for a while.
@test "a million calls" {
	model_perf <<-'END'
		import random
		chance, time, nr, tasks = random.Random(1), 1000, 0, {tid: [] for tid in range(7, 17)}
		for number in range(1, 400):
		    function(number, b"%s_%d" % (b"vfs" if number >= 100 else b"work", number), b"[kernel]" if number >= 100 else b"/bin/prog")
		while nr < 1000000:
		    for tid, stack in tasks.items():
		        cpu, turns = chance.randrange(4), chance.randrange(50, 2000)
		        if not stack:
		            stack.append(1)
		            nr += 1
		        task(tid, b"task")
		        branch(time, BEGIN, None, (stack[-1], 0x20), tid, cpu)
		        for turn in range(turns):
		            time += chance.choice((1, 1, 2, 5, 40, 1000))
		            if len(stack) < 3 or len(stack) < 40 and chance.random() < 0.5:
		                if nr == 1000000:
		                    break
		                stack.append(chance.randrange(1, 400))
		                branch(time, CALL, (stack[-2], 0x10), (stack[-1], 0), tid, cpu)
		                nr += 1
		            else:
		                over = stack.pop()
		                branch(time, RETURN, (over, 0x30), (stack[-1], 0x15), tid, cpu)
		        time += 500
		        branch(time, STOP, (stack[-1], 0x20), None, tid, cpu)
	END
	echo text >text
	must auxbpf export --html -o page.html text
	[ "$(stat -c %s page.html)" -lt 10000000 ]
	document_of page.html 'search=vfs' >document
	finds document state ready
	finds document calls 1000000
	finds document lanes 10
	# Three of four functions are the kernel's.
	matches=$(found_by document | sed -n 's/^matches=//p')
	[ "$matches" -gt 700000 ]
	[ "$matches" -lt 800000 ]
}
