#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What `auxbpf export` says of wrong command lines, of what it cannot decode, and of where it cannot write. What it writes
# is tested in the lab.

load ../lib/helpers
load ../lib/export

FORMATS="--folded --html --speedscope --perfetto"

setup() {
	requires auxbpf jq protoc python3
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	! mountpoint -q small || umount small
}

wrong() { # status arguments...
	local want=$1
	shift
	logged auxbpf export "$@"
	[ "$status" -eq "$want" ]
}

# A perf that decodes nothing, and succeeds.
make_perf() {
	printf '#!/bin/sh\nexit 0\n' >perf
	chmod +x perf
	export PERF=$PWD/perf
}

@test "wrong command lines" {
	wrong 2
	has 'in which format?'
	wrong 2 nofile
	has 'in which format?'
	wrong 2 --folded --no-such-option
	wrong 2 --folded --folded
	has 'one format at a time'
	wrong 2 --folded --window 0
	has "--window: '0' is no number above 0"
	wrong 2 --folded --depth x
	has "--depth: 'x' is no number above 0"
	wrong 2 --folded --min-duration 10
	has "--min-duration: '10' is no time with its unit"
	wrong 2 --folded --task 99999999999
	has "--task: '99999999999' is neither the number nor the name of a thread"
	wrong 2 --folded --time 3
	has "--time: '3' is no range of time stamps"
	wrong 2 --folded --time 3,2.5
	has "--time: '3,2.5' ends before it begins"
	wrong 2 --folded --window 1 --time 3,4
	has 'neither --task nor --time goes with it'
	wrong 2 --folded --window 1 --task 3
	wrong 2 --folded --window 1 --task sh
	wrong 2 --folded a b
	has "one capture at a time: what is 'b'?"
	logged auxbpf report --graph --time 10%-20% nofile
	[ "$status" -eq 2 ]
	has "--time: '10%-20%' is no range of time stamps"
}

@test "no capture, one that is cut, one without trace, and no perf" {
	local format
	mkdir empty
	for format in $FORMATS; do
		wrong 1 $format -o out nofile
		has "could not read 'nofile'"
		echo text >text
		wrong 1 $format -o out text
		has "could not read 'text'"
		wrong 1 $format -o out
		has "could not read 'auxbpf.data'"
		wrong 1 $format -o out --window 1 empty
		has "'empty' does not tell of windows"
		(PERF=/no/perf wrong 1 $format -o out nofile && has 'there is no perf')
		(make_perf && wrong 1 $format -o out text && has "'text' has neither trace of a processor's branches nor samples")
		(make_perf && wrong 1 $format -o out --task 3 text && has "samples in what was asked for")
		[ ! -e out ]
	done
	# Nothing is left beside it, either.
	nothing < <(find . -name '.*' -type f)
}

@test "a file of windows that is damaged" {
	mkdir capture
	printf '%s\n' '{"auxbpf_windows":1,"windows":1,"left_out":0}' \
		'{"kind":"syscall","name":"read","ret":0,"begin_ns":1000,"end_ns":3500,"comm":"x","pid":1,"tid":2,"cpu":0}' \
		>capture/windows.ndjson
	wrong 1 --folded --window 2 capture
	has "there is no such window; 'capture' has 1"
	echo '{"kind":"sys' >>capture/windows.ndjson
	wrong 1 --folded capture
	has 'line 3 tells of no window'
}

@test "where it cannot write" {
	echo text >text
	mkdir dir
	wrong 1 --folded -o dir text
	has 'cannot write dir: Is a directory'
	wrong 1 --folded -o no/out text
	has 'cannot open the directory no for no/out'
	# The capture that it reads is not replaced.
	wrong 1 --folded -o text text
	has "'text' is the capture itself"
	[ "$(cat text)" = text ]
	ln text link
	wrong 1 --folded -o link text
	has "'link' is the capture itself"
	# A disk without room: there is no file then, and an older one stays.
	mkdir small
	mount -t tmpfs -o size=64k tmpfs small
	echo older >small/out
	dd if=/dev/zero of=small/full bs=4k 2>/dev/null || true
	make_full_perf
	wrong 1 --folded -o small/out text
	has 'cannot write small/out: No space left on device'
	[ "$(cat small/out)" = older ]
	wrong 1 --folded -o small/new text
	[ "$(ls -A small)" = "$(printf '%s\n' full out)" ]
	wrong 1 --folded -o /dev/full text
	has 'cannot write /dev/full: No space left on device'
}

# A perf that decodes one call.
make_full_perf() {
	model_perf <<-'END'
		function(1, b"main", b"prog")
		function(2, b"work", b"prog")
		task(7, "näme\033;x".encode())
		branch(1000, BEGIN, None, (1, 0))
		branch(2000, CALL, (1, 0x10), (2, 0))
		branch(5000, RETURN, (2, 0x10), (1, 0x15))
	END
}

@test "what it writes to stdout, a pipe and a file, in the place of an older one" {
	echo text >text
	make_full_perf
	must auxbpf export --folded text
	[ "$output" = $'näme\\033:x;main 1000\nnäme\\033:x;main;work 3000' ]
	echo "$output" >want
	must auxbpf export --folded -o - text
	diff <(echo "$output") want
	diff <(auxbpf export --folded -o /dev/stdout text | cat) want
	must auxbpf export --folded -o out text
	[ -z "$output" ]
	diff out want
	[ "$(stat -c %a out)" = 600 ]
	must auxbpf export --folded --depth 1 -o out text
	[ "$output" = "auxbpf: left out: 1 call, deeper than --depth" ]
	[ "$(cat out)" = 'näme\033:x;main 4000' ]
	must auxbpf export --folded --min-duration 4us -o out text
	[ "$output" = "auxbpf: left out: 1 call, shorter than --min-duration" ]
	[ "$(cat out)" = 'näme\033:x;main 4000' ]
	nothing < <(find . -name '.*' -type f)
}

@test "speedscope: names of strangers are text" {
	echo text >text
	make_full_perf
	must auxbpf export --speedscope -o out text
	must jq -e '.profiles[0] | .name == "näme\\033;x 7/7" and .startValue == 0 and .endValue == 4000' out
	[ "$(jq -c '[.shared.frames[]]' out)" = '[{"name":"main","file":"prog"},{"name":"work","file":"prog"}]' ]
	[ "$(jq -c '[.profiles[0].events[] | [.type, .frame, .at]]' out)" = \
		'[["O",0,0],["O",1,1000],["C",1,4000],["C",0,4000]]' ]
}

@test "perfetto: samples beside calls, and of a task that has no calls" {
	echo text >text
	model_sampled_perf 'sample(2500, 101, [100, 2, 1], tid=9)'
	must auxbpf export --perfetto -o out text
	slices_of_perfetto out >slices
	diff slices - <<-'END'
		# 7/7
		P	main	1500	sample	 event=cycles cpu=0 stack=main
		P	vfs_read	3000	sample	 event=cycles cpu=3 stack=main;work;vfs_read_[k]
		O	main	1000	user	 cpu=0
		O	work	2000	user	
		C	-	5000
		C	-	5000
		# 7/9
		P	vfs_read	2500	sample	 event=cycles cpu=0 stack=main;work;vfs_read_[k]
	END
	# Where there are calls, the other formats show these alone.
	must auxbpf export --folded text
	[ "$output" = $'both;main 1000\nboth;main;work 3000' ]
}

# Four snapshots: one of a boot before, which numbers the functions in another order; three of the same boot, of which one cannot be
# read and one is not there any more.
make_snapshots() {
	model_perf <<-'END'
		if capture == "4.data":
		    sys.exit("it is damaged")
		names = [b"main", b"work"]
		if capture == "1.data":
		    names.reverse()
		for number, name in enumerate(names):
		    function(number + 1, name, b"prog")
		main, work = (names.index(name) + 1 for name in (b"main", b"work"))
		begin = {"1.data": 500000, "2.data": 1000, "3.data": 2000000}[capture]
		task(7, b"job")
		branch(begin, BEGIN, None, (main, 0))
		branch(begin + 1000, CALL, (main, 0x10), (work, 0))
		branch(begin + 4000, STOP, (work, 0x20), None)
	END
	add_snapshot dir 1.data first 504500
	add_snapshot dir 2.data second 5500 '{"cpus":[{"cpu":0,"covered_ns":5000,"blind_ns":300}]}'
	add_snapshot dir 5.data second 6000
	add_snapshot dir 3.data second 2004500 '{"rule":"offcpu > 1ms","cpus":[{"cpu":0,"covered_ns":5000,"blind_ns":200}]}'
	add_snapshot dir 4.data second 3000000
	rm dir/5.data
}

@test "the snapshots of a directory" {
	local rest
	make_snapshots
	rest=$'auxbpf: perf: it is damaged\nauxbpf: perf script could not read \'dir/4.data\'\nauxbpf: warning: left out: 1 snapshot that could not be read'
	must auxbpf export --folded -o out dir
	[ "$output" = $'auxbpf: warning: left out: 1 snapshot of the index that is not there\n'"$rest" ]
	diff out - <<-'END'
		job;main 3000
		job;main;work 9000
	END
	must auxbpf export --speedscope -o out dir
	[ "$(jq -c '[.name, (.profiles[] | .name, .startValue, .endValue)], .shared.frames' out)" = '["dir, from 0.000001000","1.data: job 7/7",499000,503000,"2.data: job 7/7",0,4000,"3.data: job 7/7",1999000,2003000]
[{"name":"main","file":"prog"},{"name":"work","file":"prog"}]' ]
	# What needs one time line leaves out those of other boots, and the calls of one snapshot end with its trace.
	must auxbpf export --perfetto -o out dir
	[ "$output" = $'auxbpf: warning: left out: 1 snapshot of the index that is not there
auxbpf: warning: left out: 1 snapshot of other boots than the newest one: their clocks are not its clock; --folded and --speedscope take them\n'"$rest" ]
	slices_of_perfetto out >slices
	diff slices - <<-'END'
		S	trigger	TYPE_INSTANT	syscall:read latency > 1ms	5500	trigger	 time=2026-11-27T14:00:00Z comm=job tid=7 cpu=0 snapshot=2.data
		S	trigger	TYPE_INSTANT	offcpu > 1ms	2004500	trigger	 time=2026-11-27T14:00:00Z comm=job tid=7 cpu=0 snapshot=3.data
		S	trigger	TYPE_INSTANT	syscall:read latency > 1ms	3000000	trigger	 time=2026-11-27T14:00:00Z comm=job tid=7 cpu=0 snapshot=4.data
		S	trace of CPU 0	TYPE_SLICE_BEGIN	trace	500	trigger	
		S	trace of CPU 0	TYPE_SLICE_END		5500		
		S	trace of CPU 0	TYPE_SLICE_BEGIN	[without trace: snapshot]	5500	not traced	
		S	trace of CPU 0	TYPE_SLICE_END		5800		
		S	trace of CPU 0	TYPE_SLICE_BEGIN	trace	1999500	trigger	
		S	trace of CPU 0	TYPE_SLICE_END		2004500		
		S	trace of CPU 0	TYPE_SLICE_BEGIN	[without trace: snapshot]	2004500	not traced	
		S	trace of CPU 0	TYPE_SLICE_END		2004700		
		# 7/7
		O	main	1000	user	 cpu=0
		O	work	2000	user	
		C	-	5000
		C	-	5000
		O	main	2000000	user	
		O	work	2001000	user	
		C	-	2004000
		C	-	2004000
	END
	[ ! -e dir/out ]
}

@test "some snapshots of a directory, none, and what is no directory of them" {
	make_snapshots
	must auxbpf export --folded --rule 'offcpu*' dir
	[ "$output" = $'job;main 1000\njob;main;work 3000' ]
	must auxbpf export --perfetto --rule 'offcpu*' -o out dir
	[ -z "$output" ]
	decode_perfetto out
	[ "$(grep -c '^  timestamp: ' out.text)" -eq 9 ]
	wrong 1 --folded --rule no dir
	has "'dir' has no snapshot of such a rule"
	wrong 1 --folded --rule no dir/1.data
	has "'dir/1.data' is no directory of snapshots: it has no index.ndjson"
	wrong 1 --folded --window 1 dir
	has "--window is for one capture, and 'dir' is a directory of them"
	cp dir/index.ndjson index
	wrong 1 --folded -o dir/index.ndjson dir
	has "'dir/index.ndjson' is the capture itself"
	diff dir/index.ndjson index
	rm dir/[123].data
	wrong 1 --folded -o out2 dir
	has "perf script could not read 'dir/4.data'"
	rm dir/4.data
	wrong 1 --folded -o out2 dir
	has "'dir' has no snapshot"
	[ ! -e out2 ]
}

@test "perfetto: names of strangers are text, windows are there, and no terminal gets it" {
	mkdir capture
	make_full_perf
	printf '%s\n' '{"auxbpf_windows":1,"windows":2,"left_out":0}' \
		'{"kind":"syscall","name":"read","ret":-2,"errno":"ENOENT","args":[1,2,3,4,5,6],"begin_ns":1000,"end_ns":3500,"comm":"x","pid":7,"tid":7,"cpu":0}' \
		'{"kind":"syscall","name":"read","begin_ns":1000,"end_ns":3500,"comm":"x","pid":1,"tid":9,"cpu":0}' >capture/windows.ndjson
	must auxbpf export --perfetto -o out capture
	slices_of_perfetto out >slices
	diff slices - <<-'END'
		# 7/7
		W 2	read	1000	window	 window=1 arg0=1 arg1=2 arg2=3 arg3=4 arg4=5 arg5=6 ret=-2 ENOENT
		w 2	-	3500
		O	main	1000	user	 cpu=0
		O	work	2000	user	
		C	-	5000
		C	-	5000
	END
	grep -F 'thread_name: "n\303\244me\\033;x"' out.text || { cat out.text; return 1; }
	# A terminal of its own.
	logged script -qec "auxbpf export --perfetto capture" /dev/null
	[ "$status" -eq 1 ]
	has 'this format is none for a terminal'
	[[ $output != *main* ]]
}

# A perf that begins, and needs some time for the rest.
make_slow_perf() { # seconds
	model_perf <<-'END'
		import signal, time
		signal.signal(signal.SIGINT, signal.SIG_IGN)
		open("pid", "w").write(str(os.getpid()))
		function(1, b"main", b"prog")
		task(7, b"job")
		branch(1000, BEGIN, None, (1, 0))
		branch(5500, CALL, (1, 0x10), (1, 0))
		pipe.flush()
		time.sleep(float(os.environ["SECONDS_OF_PERF"]))
		task(7, b"job")
	END
	export SECONDS_OF_PERF=$1
}

# A command with a terminal of its own. When the first process there ends, the kernel drops what nobody has read yet: so that is a
# shell, which does not obey Ctrl-C and waits for a moment. What is there so far is in the file screen.
on_terminal() { # command
	logged env --default-signal=INT script -qefc "trap : INT; $1; status=\$?; sleep 0.3; exit \$status" screen
}

@test "progress is shown on a terminal, and taken away" {
	echo text >text
	make_slow_perf 1.1
	on_terminal "auxbpf export --folded --time ,0.00001 -o out text"
	[ "$status" -eq 0 ]
	[[ $output == *'auxbpf: decoding, 50%, 0:0'[1-9]': text'*$'\r\e[K' ]]
	# Elsewhere there is none.
	must auxbpf export --folded --time ,0.00001 -o out text
	[ -z "$output" ]
	# It is the time of all snapshots that counts.
	add_snapshot dir 1.data boot 6000
	add_snapshot dir 2.data boot 7000
	on_terminal "auxbpf export --perfetto -o out dir"
	[ "$status" -eq 0 ]
	[[ $output == *'auxbpf: decoding 2 of 2, 0:0'[1-9]': dir/2.data'*$'\r\e[K' ]]
}

# This perf does not obey the signal itself.
@test "ctrl-C ends perf, too, and takes the progress away" {
	echo text >text
	make_slow_perf 1000
	# What comes from there is what is typed.
	on_terminal "auxbpf export --folded -o out text" < <(wait_until grep -qs decoding, screen; printf '\3')
	[ "$status" -eq 130 ]
	# The terminal's own ^C may be in front of what takes the line away, or behind it.
	[[ ${output/^C/} == *'auxbpf: decoding, 0:0'[1-9]': text'*$'\r\e[K' ]]
	wait_until eval '! kill -0 "$(cat pid)"'
	[ ! -e out ]
}

@test "it leaves no file if it is killed" {
	printf '#!/bin/sh\necho $$ >pid\nexec sleep 1000\n' >perf
	chmod +x perf
	PERF=$PWD/perf auxbpf export --folded -o out nofile &
	export=$!
	wait_until [ -s pid ]
	kill -KILL $export
	wait $export || true
	wait_until eval '! kill -0 "$(cat pid)"'
	[ ! -e out ]
	nothing < <(find . -name '.*' -type f)
}
