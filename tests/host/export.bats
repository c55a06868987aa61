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
