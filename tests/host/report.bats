#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What `auxbpf report` says of wrong command lines, and of what it cannot show. What it shows is tested in the lab.

load ../lib/helpers
load ../lib/export
load ../lib/report

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

wrong() { # status arguments...
	local want=$1
	shift
	logged auxbpf report "$@"
	[ "$status" -eq "$want" ]
}

@test "wrong command lines" {
	wrong 2 --no-such-option
	wrong 2 --sort size
	has "there is no column 'size', there are: calls total"
	wrong 2 --window 0
	wrong 2 --slowest x
	has "--slowest: 'x' is no number above 0"
	wrong 2 --task ''
	has "--task: '' is neither the number nor the name of a thread"
	wrong 2 --task 0
	wrong 2 --color=no
	has "--color: 'no' is none of auto, always and never"
	wrong 2 --window 1 --task 3
	has 'neither --task nor --time goes with it'
	wrong 2 a b
	has "one capture at a time: what is 'b'?"
}

@test "no capture" {
	for how in --graph --functions; do
		wrong 1 $how nofile
		has 'nofile'
		has "could not read 'nofile'"
		echo text >text
		wrong 1 $how text
		has "could not read 'text'"
	done
	for how in --windows --compare; do
		wrong 1 $how text
		has "'text' does not tell of windows"
	done
	# Without an argument it is the one that auxbpf writes by default.
	wrong 1
	has "could not read 'auxbpf.data'"
}

@test "no perf" {
	PERF=/no/perf wrong 1 --graph nofile
	has 'there is no perf'
	# One that has a fault of its own, with what it says, whatever that is.
	printf '#!/bin/sh\nprintf "first\\033[31m\\n" >&2\nexit 3\n' >perf
	chmod +x perf
	PERF=$PWD/perf wrong 1 --graph nofile
	has 'perf: first\033[31m'
	[[ $output != *$'\033'* ]]
	# One that ends by a signal.
	printf '#!/bin/sh\nkill -SEGV $$\n' >perf
	PERF=$PWD/perf wrong 1 --graph nofile
	has 'could not read'
}

@test "a capture without trace, and one that is cut" {
	must auxbpf -e cpu-clock -o samples -M 64K --snapshot-on end -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	wrong 1 --graph --time 0,1 "$(echo samples/*.data)"
	has "has neither trace of a processor's branches nor samples in what was asked for"
	wrong 1 --functions --time 0,1 "$(echo samples/*.data)"
	has "has neither trace"
	for size in 0 1 100 4000; do
		head -c "$size" "$(find samples -type f -size +4k | head -n 1)" >cut
		wrong 1 --graph cut
	done
}

@test "a file of windows that is damaged" {
	mkdir capture
	echo '{"auxbpf_windows":1,"windows":1,"left_out":0}' >capture/windows.ndjson
	must auxbpf report --windows capture
	has '# 0 windows'
	echo '{"kind":"syscall","name":"read","ret":0,"begin_ns":1000,"end_ns":3500,"comm":"\u001b[31m","pid":1,"tid":2,"cpu":0}' \
		>>capture/windows.ndjson
	must auxbpf report capture
	has 'window 1: read = 0, \033[31m 1/2, CPU 0, at 0.000001000, 2.500 us'
	must auxbpf report --json capture
	jq -e 'select(.window == 1 and .end_ns == 3500)' <<<"$output"
	wrong 1 --window 2 capture
	has "there is no such window; 'capture' has 1"
	echo '{"kind":"sys' >>capture/windows.ndjson
	wrong 1 capture
	has 'line 3 tells of no window'
}

@test "the windows of a task" {
	mkdir capture
	for task in 'sh 7' 'ls 8' 'cat 9' 'ls 8' 'kworker/0:1 10'; do
		echo '{"kind":"syscall","name":"read","ret":0,"begin_ns":1000,"end_ns":3500,"comm":"'${task% *}'","pid":7,"tid":'${task#* }',"cpu":0}'
	done >capture/windows.ndjson
	for task in 8 ls 'l?'; do
		must auxbpf report --windows --json --task "$task" capture
		[ "$(jq -c '[.window, .tid]' <<<"$output" | paste -s)" = $'[2,8]\t[4,8]' ]
	done
	must auxbpf report --task 'kw*' capture
	has '# 1 window'
	wrong 1 --windows --task vi capture
	has "'capture' has no window of such a task; it has of: sh 7, ls 8, cat 9, kworker/0:1 10"
	wrong 1 --slowest 1 --task 11 capture
	has "it has of: sh 7, ls 8, cat 9, kworker/0:1 10"
	# Nothing is decoded for windows of other tasks: there is no perf here.
	PERF=/no/perf wrong 1 --last 3 --task cat capture
	has 'there is no perf'
	: >capture/windows.ndjson
	wrong 1 --windows --task sh capture
	has "it has of: none"
}

# Of windows that cannot be compared nothing is decoded: there is no perf here.
@test "windows that cannot be compared" {
	export PERF=/no/perf
	mkdir capture other
	echo '{"kind":"syscall","name":"read","ret":0,"begin_ns":1000,"end_ns":3500,"comm":"a","pid":1,"tid":1,"cpu":0}' \
		>capture/windows.ndjson
	wrong 1 --compare capture
	has 'window 1 is the only one of read; choose another one'
	echo '{"kind":"syscall","name":"write","ret":0,"begin_ns":4000,"end_ns":4500,"comm":"a","pid":1,"tid":1,"cpu":0}' \
		>other/windows.ndjson
	wrong 1 --compare-with other capture
	has "window 1: 'other' has no window of read that is over"
	wrong 1 --compare --window 2 capture
	has "there is no such window; 'capture' has 1"
	wrong 1 --compare-with nofile capture
	has "'nofile' does not tell of windows"
	echo '{"kind":"syscall","name":"read","begin_ns":5000,"comm":"a","pid":1,"tid":1,"cpu":0,"cut":"open"}' \
		>>capture/windows.ndjson
	wrong 1 --compare --window 2 capture
	has 'window 2 is not over'
	# With another one that is over it would be decoded.
	echo '{"kind":"syscall","name":"read","ret":0,"begin_ns":8000,"end_ns":9500,"comm":"a","pid":1,"tid":1,"cpu":0}' \
		>>capture/windows.ndjson
	wrong 1 --slowest 1 --compare capture
	has 'there is no perf'
}

# A perf that finds no branch, as where the trace has nothing of the window any more.
@test "a window that is not in the trace" {
	mkdir capture
	for begin in 1000 5000 9000; do
		echo '{"kind":"syscall","name":"read","ret":0,"begin_ns":'$begin',"end_ns":9500,"comm":"a","pid":1,"tid":1,"cpu":0}'
	done >capture/windows.ndjson
	printf '#!/bin/sh\nexit 0\n' >perf
	chmod +x perf
	PERF=$PWD/perf wrong 1 --compare capture
	has "window 1: nothing of it is in the trace of 'capture'"
}

# A perf whose trace has main, which calls work; on stdin is what else it tells in between.
make_full_perf() {
	model_perf < <(
		cat <<-'END'
			function(1, b"main", b"prog")
			function(2, b"work", b"prog")
			task(7, b"prog")
			branch(1000, BEGIN, None, (1, 0))
			branch(2000, CALL, (1, 0x10), (2, 0))
		END
		cat
		echo 'branch(3500000, RETURN, (2, 0x10), (1, 0x15))'
	)
}

@test "time off the CPU is that of the task's switches" {
	make_full_perf <<-'END'
		if "--show-switch-events" in sys.argv:
		    line("prog 7 [000] 0.000003000: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:     8/8")
		    line("a [1] 8 [000] 0.000004000: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     7/7")
		    line("a [1] 8 [000] 0.000005000: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:     0/0")
		    line("prog 7 [002] 0.002503000: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0")
		    line("prog 7 [002] 0.002503001: PERF_RECORD_SWITCH OUT preempt")
		    line("prog 7 [002] 0.003003001: PERF_RECORD_SWITCH IN         ")
	END
	must auxbpf report --graph capture
	diff <(tail -n 6 <<<"$output") - <<-'END'
		  0)                |  main() { /* was running */
		  0)                |    work() {
		  0)                |      /* off the CPU 2.500 ms, then on CPU 2 */
		  2)                |      /* off the CPU 0.500 ms */
		  0) # 3498.000 us  |    } /* work */
		  0)                |  } /* main, still running */
	END
	must auxbpf report --graph --json capture
	diff <(jq -c 'select(.mark)' <<<"$output") - <<-'END'
		{"depth":2,"cpu":0,"mark":"off","begin_ns":3000,"end_ns":2503000,"end_cpu":2}
		{"depth":2,"cpu":2,"mark":"off","begin_ns":2503001,"end_ns":3003001,"end_cpu":2}
	END
}

# A perf whose trace has two rounds of inlined_cases, whose file has the given name. It tells of call sites only if they are asked for.
make_inlined_perf() { # file
	local program build_id
	program=$(command -v inlined_cases)
	build_id=$(readelf -nW "$program" | sed -n 's/.*Build ID: //p')
	model_perf < <(
		printf 'path = b"%s"\nbuild_id = bytes.fromhex("%s")\n' "$1" "$build_id"
		# Where the code is in the file, and at which addresses.
		readelf -lW "$program" | awk '$1 == "LOAD" && / R E / { print "code_offset, code_address = " $2 ", " $3; exit }'
		echo 'sites = {'
		objdump -d --no-show-raw-insn "$program" |
			sed -nE 's/^ *([0-9a-f]+):.*<(first_called|second_called|last_called|run_rounds)>$/"\2": 0x\1,/p'
		echo '}'
		cat <<-'END'
			asked = int([sys.argv[i + 1] for i, word in enumerate(sys.argv) if word == "--dlarg"][5])
			names = ["main", "run_rounds", "first_called", "second_called", "last_called"]
			for i, name in enumerate(names):
			    function(i + 1, name.encode(), path)
			if asked:
			    for i, name in enumerate(names[1:]):
			        site(i + 1, 1 if i == 0 else 2, sites[name] - code_address + code_offset, 0, build_id)
			task(7, b"inlined_cases")
			time = 0
			def call(caller, callee):
			    global time
			    time += 1000
			    branch(time, CALL, (caller, callee * 0x20), (callee, 0), site=callee - 1 if asked else 0)
			def ret(callee, caller):
			    global time
			    time += 500
			    branch(time, RETURN, (callee, 8), (caller, callee * 0x20 + 5))
			branch(time, BEGIN, None, (1, 0))
			call(1, 2)
			for callee in [3, 4, 3, 4, 5]:
			    call(2, callee)
			    ret(callee, 2)
			ret(2, 1)
		END
	)
}

# What is shown of these rounds, with the lines of the source in place of NAME@.
rounds() {
	local text name
	text=$(cat)
	for name in first_called second_called last_called inner_inlined outer_inlined run_rounds; do
		text=${text//$name@/inlined_cases.c:$(line_of $name)}
	done
	echo "$text"
}

@test "calls with their source lines, and inlined functions" {
	local program
	requires inlined_cases readelf objdump
	program=$(command -v inlined_cases)
	make_inlined_perf "$program"
	must auxbpf report --graph --lines capture
	rounds >wanted <<-'END'
		# inlined_cases 7/7
		  0)                |  main() { /* was running */
		  0)                |    run_rounds() { /* run_rounds@ */
		  0)                |      outer_inlined() { /* inlined, outer_inlined@ */
		  0)      0.500 us  |        first_called(); /* first_called@ */
		  0)                |        inner_inlined() { /* inlined, inner_inlined@ */
		  0)      0.500 us  |          second_called(); /* second_called@ */
		  0)      0.500 us  |        } /* inner_inlined */
		  0)      0.500 us  |        first_called(); /* first_called@ */
		  0)                |        inner_inlined() { /* inlined, inner_inlined@ */
		  0)      0.500 us  |          second_called(); /* second_called@ */
		  0)      0.500 us  |        } /* inner_inlined */
		  0)      5.000 us  |      } /* outer_inlined */
		  0)      0.500 us  |      last_called(); /* last_called@ */
		  0)      8.000 us  |    } /* run_rounds */
		  0)                |  } /* main, still running */
	END
	diff <(tail -n 16 <<<"$output") wanted
	must auxbpf report --graph --lines --json capture
	jq -es --argjson inner "$(line_of inner_inlined)" --argjson second "$(line_of second_called)" --arg object "$program" '
		all(.[] | select(.call_file); .call_file | endswith("tests/tools/programs/inlined_cases.c")) and
		([.[] | select(.kind == "inlined") | .function] == ["outer_inlined", "inner_inlined", "inner_inlined"]) and
		([.[] | select(.function == "inner_inlined")][0] |
			.call_line == $inner and .depth == 3 and .object == $object and .mode == "user" and .end == "returned" and
			.begin_ns == 3500 and .end_ns == 4000) and
		([.[] | select(.function == "second_called")][0] | .call_line == $second and .depth == 4)' <<<"$output"
	# Of one window; without the option nothing of it is there, and nothing is asked of perf.
	mkdir capture
	echo '{"kind":"syscall","name":"read","ret":0,"begin_ns":1000,"end_ns":9500,"comm":"inlined_cases","pid":7,"tid":7,"cpu":0}' \
		>capture/windows.ndjson
	must auxbpf report --window 1 --lines capture
	has "inner_inlined() { /* inlined, inlined_cases.c:$(line_of inner_inlined) */"
	must auxbpf report --graph capture
	[[ $output != *inlined_cases.c* && $output != *outer_inlined* ]]
}

@test "source lines from a capture's own files, and from nowhere" {
	local program build_id
	requires inlined_cases readelf objdump objcopy strip
	program=$(command -v inlined_cases)
	build_id=$(readelf -nW "$program" | sed -n 's/.*Build ID: //p')
	make_inlined_perf /no/such/file
	must auxbpf report --graph --lines capture
	has 'no source lines: nothing that calls has debug information here'
	has 'first_called();'
	[[ $output != *inlined_cases.c* ]]
	mkdir -p "capture/debug/.build-id/${build_id:0:2}/${build_id:2}"
	cp "$program" "capture/debug/.build-id/${build_id:0:2}/${build_id:2}/elf"
	must auxbpf report --graph --lines capture
	has "first_called(); /* inlined_cases.c:$(line_of first_called) */"
	[[ $output != *'no source lines'* ]]
	# One that has no debug information, and one whose is damaged.
	rm -r capture/debug
	strip -o stripped "$program"
	make_inlined_perf "$PWD/stripped"
	must auxbpf report --graph --lines capture
	has 'no source lines'
	objcopy --dump-section .debug_info=info "$program" /dev/null
	LC_ALL=C tr '\000-\377' '\377\000-\376' <info >damaged_info
	objcopy --update-section .debug_info=damaged_info "$program" damaged
	make_inlined_perf "$PWD/damaged"
	must auxbpf report --graph --lines capture
	has 'first_called();'
}

@test "errors of the decoder in other tasks than the one that is asked for" {
	make_full_perf <<-'END'
		error("0.000003000", 0, 9, "Trace doesn't match")
		error("0.000004000", 0, 7, "Lost trace data")
	END
	must auxbpf report --graph capture
	has "2 errors of the decoder"
	has "Trace doesn't match"
	for task in 7 prog 'p*'; do
		must auxbpf report --graph --task "$task" capture
		has "Lost trace data"
		has "1 error of the decoder"
		[[ $output != *"Trace doesn't match"* ]]
	done
}

@test "it ends perf, and does not wait for it, if it is killed" {
	printf '#!/bin/sh\necho $$ >pid\nexec sleep 1000\n' >perf
	chmod +x perf
	PERF=$PWD/perf auxbpf report --graph nofile &
	report=$!
	wait_until [ -s pid ]
	kill -KILL $report
	wait $report || true
	wait_until eval '! kill -0 "$(cat pid)"'
}

# A program with a terminal of its own; its output, and its status.
on_terminal() { # command...
	logged python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@" </dev/null
}

# A file that auxbpf made, without any trace or window.
make_windows() {
	mkdir capture
	printf '%s\n' '{"auxbpf_windows":1,"windows":0,"left_out":0}' >capture/windows.ndjson
}

@test "on a terminal the output goes through a pager" {
	make_windows
	PAGER="sed 's/^/paged: /'" on_terminal auxbpf report --windows capture
	[ "$status" -eq 0 ]
	has "paged: "
	for pager in "" cat; do
		PAGER=$pager on_terminal auxbpf report --windows capture
		[ "$status" -eq 0 ]
		[[ $output == *windows* && $output != *paged* ]]
	done
	# Nothing is lost where there is no such pager.
	PAGER=/no/such on_terminal auxbpf report --windows capture
	has "windows"
	PAGER="sed 's/^/paged: /'" on_terminal auxbpf report --no-pager --windows capture
	[[ $output == *windows* && $output != *paged* ]]
	PAGER="sed 's/^/paged: /'" logged auxbpf report --windows capture
	[[ $output == *windows* && $output != *paged* ]]
	# Whoever leaves the pager at once has no error.
	PAGER="head -c 1" on_terminal auxbpf report --windows capture
	[[ $output != *"cannot write"* ]]
}

@test "a signal ends it when the pager has given the terminal back" {
	printf '#!/bin/sh\n>perf-up\nexec sleep 1000\n' >perf
	chmod +x perf
	PERF=$PWD/perf PAGER='cat >/dev/null; sleep 0.5; >left' python3 -c 'import os, pty, signal, sys, time
pid, terminal = pty.fork()
if not pid:
    os.execvp(sys.argv[1], sys.argv[1:])
while not os.path.exists("perf-up"):
    time.sleep(0.01)
os.kill(pid, signal.SIGTERM)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(0 if status == -signal.SIGTERM and os.path.exists("left") else 1)' auxbpf report --graph nofile </dev/null
}

@test "a directory of snapshots: how many of each rule, and a line for each" {
	auxbpf -q -o out -e cpu-clock --spare 8 --snapshot-on 'syscall:openat ret == -ENOENT && comm == probe' --snapshot-on 'exit code == 3' \
		--snapshot-on end -- sh -c 'ln -s "$(command -v cat)" probe; ./probe /nofile
			until [ -s out/index.ndjson ]; do sleep 0.01; done; exit 3' || [ $? -eq 3 ]
	must auxbpf report out
	has "# $(wc -l <out/index.ndjson) snapshots"
	grep -E '^ +[1-9] +[0-9]+\.[0-9]{3} .*  syscall:openat ret == -ENOENT && comm == probe$' <<<"$output"
	grep -E '^ +1 +- +- +-  exit code == 3$' <<<"$output"
	grep -E '^20.*Z auxbpf-.*\.data, probe [0-9]+/[0-9]+, CPU [0-9]+, openat = -2 ENOENT, [0-9.]+ us, [0-9]+ bytes, ' <<<"$output"
	[ "$(grep -c '^20' <<<"$output")" -eq "$(wc -l <out/index.ndjson)" ]
	must auxbpf report --rule 'exit*' out
	has "# 1 snapshot"
	must auxbpf report --rule 'exit*' --json out
	[ "$(jq -r .rule <<<"$output")" = "exit code == 3" ]
	wrong 1 --rule end nodirectory
	has "'nodirectory' is no directory of snapshots"
}

# A line for the index; its fields beside name and rule.
index_line() { # name rule [JSON members]
	jq -c -n --arg name "$1" --arg rule "$2" --argjson more "{${3-}}" \
		'{schema: "auxbpf-snapshot-1", snapshot: $name, rule: $rule, time: "2026-11-27T11:07:43.5Z", bytes: 1, missed: 2} + $more'
}

@test "an index with lines that were cut, snapshots that were removed, and names that forge lines" {
	mkdir out
	{
		index_line first end
		index_line second $'signal:SIGUSR1\n2026 forged' $'"comm": "a\\u001b[31m", "pid": 7, "tid": 8, "cpu": 1, "signal": "SIGUSR1"'
		echo '{"schema":"auxbpf-snapshot-1","snapshot":"third","ru'
		index_line fourth end
		echo '{"schema":"auxbpf-snapshot-1","removed":"first","time":"2026-11-27T11:07:43.5Z"}'
	} >out/index.ndjson
	must auxbpf report out
	has "index.ndjson: line 3 tells of no snapshot: it is damaged, and left out" "# 2 snapshots, 4 triggers of any rule missed before them; 1 older one made room"
	has 'second, a\033[31m 7/8, CPU 1, SIGUSR1, 1 bytes, ' ': signal:SIGUSR1\n2026 forged'
	[[ $output != *$'\033'* && $output != *first* && $output == *fourth* ]]
	head -c 1000 /dev/urandom >out/index.ndjson
	must auxbpf report out
	has "# 0 snapshots"
}
