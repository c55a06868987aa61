#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The flight recorder around its snapshots: when it is armed, what SIGUSR2 does, limits, --exec, the index. One boot runs
# all of it; each test looks at what one part of it left in DIR/NAME.{status,stdout,stderr} and in DIR/NAME.

load ../../lib/helpers

# Each takes some seconds, and is nearly that of another part or of store.bats and samples.bats.
LONG="asked_rule rate disk too_small stopped executed_ok busy before late waiting ended status_command status_quiet"

snapshots() { # name auxbpf's arguments...
	local name=$1
	shift
	part "$name" auxbpf -o "/out/$name" "$@"
}

# The service manager is a socket, to which the command writes, too: what came first is read first. auxbpf's messages and the
# command's first act are in one file, in their order.
run_armed() {
	python3 -c '
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("/tmp/notify")
while True:
    text = s.recv(4096).decode()
    print(text.replace("\n", " "), flush=True)
    if text.startswith("STOPPING"):
        break' >/out/notified &
	wait_for /tmp/notify
	cat >/tmp/tell.pl <<-'END'
		use Socket;
		socket(my $manager, AF_UNIX, SOCK_DGRAM, 0) or die;
		send($manager, "COMMAND", 0, sockaddr_un("/tmp/notify")) or die;
	END
	NOTIFY_SOCKET=/tmp/notify snapshots armed -v --snapshot-on exit -- sh -c 'echo first >&2; exec perl /tmp/tell.pl'
	wait $!
	snapshots not_armed --snapshot-on exit -p 999999
}

run_asked() {
	snapshots asked --snapshot-on SIGUSR2 --on-syscall uname -- sh -c '
		trap "echo got it" USR2
		grep SigBlk /proc/self/status
		uname; kill -USR2 $PPID; /tmp/taken /out/asked 1
		uname; kill -USR2 $PPID; /tmp/taken /out/asked 2'
	snapshots asked_rule --snapshot-on signal:SIGSEGV -- sh -c 'kill -USR2 $PPID; /tmp/taken /out/asked_rule 1; kill -SEGV $$'
	# It runs, and its gate is open, when it is asked for; then it sleeps. Not in /out: a file of 9p that is asked for
	# its size as it is written, again and again, was once never written.
	part asked_open auxbpf -o /tmp/asked_open --snapshot-on SIGUSR2 -- sh -c '
		kill -USR2 $PPID; while [ ! -s /tmp/asked_open/index.ndjson ]; do sleep 0.01; done'
}

# The command has ended when the time after the event is over.
run_delayed() {
	snapshots delayed --snapshot-on 'exit code == 3' --after 300ms -- sh -c 'exit 3'
}

# 20,000 calls, of which half come when the first one's snapshot is taken; then a rule that fires twice more.
run_limits() {
	snapshots flood --snapshot-on syscall:getsid --snapshot-on exit --cool-down 1h --on-syscall getsid -- \
		sh -c 'calls 10000; /tmp/taken /out/flood 1; calls 10000'
	snapshots rate --snapshot-on syscall:getsid --cool-down 0 --max-rate 2/s --on-syscall getsid -- calls 5000
	snapshots count --snapshot-on syscall:uname --max-snapshots 2 --on-syscall uname -- \
		sh -c 'for i in 1 2; do uname; /tmp/taken /out/count $i; done; uname; touch /out/count.went-on; exit 7'
	snapshots disk --snapshot-on exit --min-free 1000000G -- true
}

listing() { # directory name
	(cd "$1" && find . -mindepth 1 -maxdepth 1 | sort) >"/out/$2.files"
}

# Two from an earlier run, and what must stay; then there is no room for these beside the kernel's code of the next run; then
# the directory is full before the first.
run_full() {
	mkdir /tmp/full
	part earlier auxbpf -o /tmp/full --snapshot-on syscall:uname -- sh -c 'uname; /tmp/taken /tmp/full 1; uname'
	touch /tmp/full/mine "/tmp/full/auxbpf-20200101T000000Z-000001.data"
	listing /tmp/full earlier
	du -s --block-size=1 /tmp/full | cut -f 1 >/out/full.max
	part full auxbpf -o /tmp/full --max-size "$(</out/full.max)" --snapshot-on syscall:uname --on-syscall uname -- \
		sh -c 'for i in 3 4 5; do uname; /tmp/taken /tmp/full $i; done'
	du -s --block-size=1 /tmp/full | cut -f 1 >/out/full.size
	listing /tmp/full full
	cp /tmp/full/index.ndjson /out/full.index
	part too_small auxbpf -o /tmp/full --max-size 4K --snapshot-on syscall:uname --on-syscall uname -- \
		sh -c 'uname; sleep 0.5; uname'
	part stopped auxbpf -o /tmp/full --max-size 4K --when-full stop --snapshot-on syscall:uname --on-syscall uname -- \
		sh -c 'for i in 1 2 3; do uname; sleep 0.5; done'
	listing /tmp/full stopped
	rm -r /tmp/full
}

# Its space ends before the first snapshot, and comes back before the second.
run_enospc() {
	mkdir /tmp/small
	mount -t tmpfs -o size=300m none /tmp/small
	part enospc auxbpf -o /tmp/small/dir --min-free 0 --snapshot-on syscall:uname --on-syscall uname -- sh -c '
		dd if=/dev/zero of=/tmp/small/rest bs=64k status=none
		uname
		for i in $(seq 600); do grep -q "cannot write the capture" /out/enospc.stderr && break; sleep 0.1; done
		rm /tmp/small/rest
		uname'
	listing /tmp/small/dir enospc
	umount /tmp/small
}

# Two snapshots, of which each has something run that takes until the end of what is traced, and fails.
run_exec() {
	# shellcheck disable=SC2016 # for the shell that auxbpf runs
	snapshots executed --snapshot-on syscall:rmdir --cool-down 0 --on-syscall rmdir \
		--exec 'grep SigBlk /proc/self/status; cat; until grep -q "waiting for what --exec" /out/executed.stderr; do sleep 0.1; done; test -s "$AUXBPF_SNAPSHOT/data" && basename "$AUXBPF_SNAPSHOT"; echo "$AUXBPF_RULE"; exit 3' -- \
		sh -c 'rmdir /no/such; sleep 0.2; rmdir /no/such'
	snapshots executed_ok --snapshot-on exit --exec true -- true
}

# What runs in the windows is patched, most likely while it is copied: a tracepoint in the path of rmdir is switched on and
# off.
run_patched() {
	snapshots patched -v -a -e intel_pt//k --spare 8 --cool-down 0 --snapshot-on 'syscall:rmdir ret < 0' --on-syscall rmdir &
	until grep -q 'auxbpf: armed' /out/patched.stderr || ! kill -0 $!; do sleep 0.1; done
	for _ in 1 2 3; do
		rmdir /no/such
		echo 1 >/sys/kernel/tracing/events/kmem/kmem_cache_alloc/enable
		rmdir /no/such
		echo 0 >/sys/kernel/tracing/events/kmem/kmem_cache_alloc/enable
		sleep 1
	done
	pkill -INT -x auxbpf
	wait $!
}

# Switches all the time, from before the start: more than a ring holds until it is armed.
run_busy() {
	! left_out busy || return 0
	taskset -c 1 perf bench sched pipe -l 100000000 >/dev/null 2>/out/busy.bench &
	local bench=$!
	snapshots busy -v --on-syscall uname --snapshot-on exit -- taskset -c 1 uname
	kill $bench
	wait $bench || true
}

# A call that is the window and the trigger, at its begin and at its end.
run_early() {
	snapshots early --scope all --snapshot-on syscall:rmdir --on-syscall rmdir -- rmdir /no/such
	snapshots before --scope all --lookback all --snapshot-on syscall:rmdir --on-syscall uname,rmdir -- \
		sh -c 'uname; rmdir /no/such'
	snapshots late --snapshot-on 'syscall:rmdir latency > 0s' --on-syscall rmdir -- rmdir /no/such
}

# It is done with its snapshots and waits for what --exec runs; it records when another one comes; it is told to end as it
# writes the first of two.
run_ends() {
	left_out waiting || run_waiting
	# shellcheck disable=SC2016 # for the traced shell
	snapshots first -C 0 --snapshot-on syscall:rmdir --on-syscall rmdir -- sh -c '
		auxbpf -C 1 -o /out/first --snapshot-on exit -- true 2>/out/second.stderr; echo $? >/out/second.status'
	touch /out/second.stdout
	# shellcheck disable=SC2016 # for the traced shell
	snapshots ended --scope cpu --snapshot-on 'syscall:rmdir ret < 0' --cool-down 0 -- sh -c '
		for cpu in 0 1; do taskset -c $cpu rmdir /no/such; done; kill -TERM $PPID; sleep 1000'
}

run_waiting() {
	part waiting auxbpf -o /out/waiting --snapshot-on exit --exec 'touch /tmp/runs; sleep 1000' -- true &
	wait_for /tmp/runs
	while ! grep -q 'waiting for what --exec runs' /out/waiting.stderr; do sleep 0.1; done
	pkill -TERM -x auxbpf
	wait $!
	pkill -x sleep
}

run_names() {
	local group=/sys/fs/cgroup/docker/3f1c5a9be0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
	mkdir -p $group
	# shellcheck disable=SC2016 # for the traced shell
	snapshots names --snapshot-on 'syscall:rmdir ret < 0' --snapshot-on signal:SIGSEGV -- sh -c '
		rmdir /no/such; /tmp/taken /out/names 1; echo $$ >"$1/cgroup.procs"; sh -c "kill -SEGV \$\$"; sleep 0.5; :' - $group
	rmdir $group ${group%/*}
}

# auxbpf on a terminal of 60 columns: without a command, with one that is traced, and with -q. The first one's command goes on when
# that is shown which it waits for.
run_status() {
	cat >/tmp/shown <<-'END'
		#!/bin/sh
		for i in $(seq 300); do
			! grep -aq "$1" /tmp/status.screen || exit 0
			sleep 0.2
		done
		exit 1
	END
	chmod +x /tmp/shown
	cat >/tmp/terminal.py <<-'END'
		import fcntl, os, pty, struct, sys, termios
		pid, fd = pty.fork()
		if pid == 0:
		    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
		    os.execvp(sys.argv[2], sys.argv[2:])
		with open(sys.argv[1], "wb", 0) as f:
		    try:
		        while data := os.read(fd, 4096):
		            f.write(data)
		    except OSError:
		        pass
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	part status python3 /tmp/terminal.py /tmp/status.screen auxbpf -o /out/status --snapshot-on 'syscall:rmdir latency > 0s' \
		-a --on-syscall rmdir -- sh -c '/tmp/shown "seen 0, snapshots 0"; rmdir /no/such 2>/dev/null; /tmp/shown "seen 1, snapshots 1"'
	cp /tmp/status.screen /out
	part status_command python3 /tmp/terminal.py /out/status_command.screen auxbpf -o /out/status_command \
		--snapshot-on syscall:rmdir --on-syscall rmdir -- sh -c 'echo mine; sleep 1'
	part status_quiet python3 /tmp/terminal.py /out/status_quiet.screen auxbpf -q -o /out/status_quiet \
		--snapshot-on exit -a --on-syscall rmdir -- sleep 1
}

run_all() {
	set +e
	make_taken
	run_armed
	run_asked
	run_delayed
	run_limits
	run_full
	run_enospc
	run_exec
	run_patched
	run_busy
	run_early
	run_ends
	run_names
	run_status
}

setup_file() {
	export BATS_NO_PARALLELIZE_WITHIN_FILE=true
	record_in_lab part snapshots listing make_taken run_armed run_asked run_delayed run_limits run_full run_enospc run_exec run_patched run_busy run_early run_waiting run_ends run_names run_status run_all
}

# What is in the index of a part, for jq to look at.
index() { # name filter
	jq -s -e "$2" "$DIR/$1/index.ndjson" || { cat "$DIR/$1/index.ndjson"; return 1; }
}

@test "armed: said once a trigger would be caught, before the command starts" {
	ended armed 0 $'\nauxbpf: armed\nfirst\n' 'auxbpf: loading the BPF programs'
	[ "$(<"$DIR/notified")" = $'READY=1 STATUS=armed\nCOMMAND\nSTOPPING=1 STATUS=writing' ]
	index armed 'length >= 1'
	ended not_armed 1
	[[ $output != *armed* ]]
}

@test "SIGUSR2: a snapshot of all CPUs, with rules and without" {
	ended asked 0 'auxbpf: armed' 'SIGUSR2'
	grep -q 'SigBlk:[[:space:]]*0000000000000000' "$DIR/asked.stdout"
	[[ $(<"$DIR/asked.stdout") != *"got it"* ]]
	index asked 'length == 2 and all(.rule == "SIGUSR2" and (.cpus | length) == 2 and .uid == 0 and .pid > 0)'
	index asked 'all(has("tid") or has("cpu") | not)'
	left_out asked_rule || ended asked_rule 139
	left_out asked_rule || index asked_rule '[.[].rule] == ["SIGUSR2", "signal:SIGSEGV"]'
	ended asked_open 0
	[[ $output != *refused* ]]
}

# What a rule's line of the summary has: seen, snapshots, missed and left out, of which only one reason is given.
summary() { # rule
	sed -nE "s/^auxbpf: $1: seen ([0-9]+) times?, ([0-9]+) snapshots?, missed ([0-9]+)(; left out: ([0-9]+) .*)?$/\1 \2 \3 \5/p" \
		<<<"$output"
}

@test "--after: what still runs on when the recording ends is taken too" {
	ended delayed 3 'exit code == 3: seen 1 time, 1 snapshot, missed 0'
	[ "$(jq -r .code "$DIR/delayed/index.ndjson")" -eq 3 ]
}

@test "limits: after a snapshot of a rule the same rule is quiet, others are not" {
	local seen taken missed left
	ended flood 0 '(too soon after the last one of the rule)'
	read -r seen taken missed left < <(summary syscall:getsid)
	[ "$seen" -eq 20000 ]
	[ "$taken" -eq 1 ]
	[ $((taken + missed + left)) -eq "$seen" ]
	# Those that found the first one's CPU frozen are of the first half.
	[ "$left" -ge 10000 ]
	index flood 'map(.rule) == ["syscall:getsid", "exit"]'
}

# bats test_tags=long
@test "limits: so many a second" {
	local seen taken missed left
	ended rate 0 '(too many a second)'
	read -r seen taken missed left < <(summary syscall:getsid)
	[ "$seen" -eq 5000 ]
	[ "$taken" -ge 2 ]
	[ $((taken + missed + left)) -eq "$seen" ]
	# Two at once, then one in half a second.
	index rate "length == $taken and ([.[].time[0:23] + \"Z\" | sub(\"[.][0-9]+Z\"; \"Z\") | fromdate] | length <= 2 + 2 * (last - first + 1))"
}

@test "limits: with the last snapshot the recording ends, the command does not" {
	ended count 7 'as many snapshots as --max-snapshots allows'
	[ -e "$DIR/count.went-on" ]
	index count 'length == 2'
}

# bats test_tags=long
@test "limits: what is to be left free on the disk" {
	ended disk 0 '(too little room on the disk)' '0 snapshots in'
	[ ! -s "$DIR/disk/index.ndjson" ]
}

@test "limits: the oldest snapshots are removed, those of an earlier run first, and nothing else" {
	ended earlier 0
	[ "$(wc -l <"$DIR/earlier.files")" -eq 5 ]
	local taken removed nr
	taken=$(jq -r 'select(.snapshot).snapshot' "$DIR/full.index")
	removed=$(jq -r 'select(.removed and .time).removed' "$DIR/full.index")
	[ "$(wc -l <<<"$taken")" -eq 5 ]
	[ "$(sed 's/.*-//' <<<"$taken" | xargs)" = "000001.data 000002.data 000003.data 000004.data 000005.data" ]
	nr=$(wc -l <<<"$removed")
	[ "$nr" -ge 2 ]
	ended full 0 '3 snapshots in /tmp/full' "$nr snapshots, the oldest, were removed"
	[ "$removed" = "$(head -n "$nr" <<<"$taken")" ]
	# shellcheck disable=SC2046 # names without blanks
	[ "$(<"$DIR/full.files")" = "$(printf './%s\n' auxbpf-20200101T000000Z-000001.data \
		$(tail -n +$((nr + 1)) <<<"$taken") index.ndjson mine)" ]
	[ "$(<"$DIR/full.size")" -le "$(<"$DIR/full.max")" ]
}

# bats test_tags=long
@test "limits: a directory that is full stays as it is, if that is wanted, or nothing helps" {
	ended too_small 0 '2 (the directory is full)' '0 snapshots in /tmp/full'
	ended stopped 0 '3 (the directory is full)' '0 snapshots in /tmp/full'
	[ "$(<"$DIR/stopped.files")" = "$(<"$DIR/full.files")" ]
}

@test "a disk that is full loses that snapshot only, and nothing half written stays" {
	ended enospc 1 'No space left on device' '1 snapshot could not be written' '1 snapshot in /tmp/small/dir'
	[ "$(wc -l <"$DIR/enospc.files")" -eq 2 ]
	grep -q '^./auxbpf-.*-000002.data$' "$DIR/enospc.files"
}

@test "--exec: after each snapshot, one after another, and all are waited for" {
	ended executed 1 "--exec: 'grep SigBlk" 'failed with status 3' 'waiting for what --exec runs'
	[ "$(grep -c 'failed with status' <<<"$output")" -eq 1 ]
	local want
	want=$(jq -r '"SigBlk:\t0000000000000000", .snapshot, .rule' "$DIR/executed/index.ndjson")
	[ "$(<"$DIR/executed.stdout")" = "$want" ]
	! left_out executed_ok || return 0
	ended executed_ok 0
	[[ $output != *--exec:* ]]
}

# bats test_tags=long
@test "on a busy machine no switch is lost while it starts" {
	ended busy 0 "armed"
	must lab host --out "$DIR" -- perf script -i "/out/busy/$(jq -r .snapshot "$DIR/busy/index.ndjson" | head -n 1)" \
		--itrace=be -F comm,ip,sym
	[[ $output != *"trace error"* ]]
	[ "$(awk '/__[a-z0-9]*_sys_newuname/ { print $1 }' <<<"$output" | sort -u)" = uname ]
}

@test "code that is patched while it is copied decodes as it ran" {
	local calls traced=0 plain=0
	ended patched 0 'of kernel code'
	[[ ${output%%of kernel code*} == *armed* ]]
	for snapshot in "$DIR"/patched/*.data; do
		must lab host --out "$DIR" -- perf script -i "/out/patched/${snapshot##*/}" --itrace=be -F event,ip,sym
		[[ $output != *"trace error"* ]]
		[[ $output == *kmem_cache_alloc* ]]
		calls=$(grep -c trace_event_raw_event_kmem_cache_alloc <<<"$output") || true
		[ "$calls" -gt 0 ] && traced=$((traced + 1)) || plain=$((plain + 1))
	done
	[ "$traced" -gt 0 ]
	[ "$plain" -gt 0 ]
}

@test "a rule at the begin of the only window has the windows before" {
	ended early 1 'fires when the call begins, before its window'
	index early 'length == 1 and .[0].bytes == 0'
	! left_out before || return 0
	ended before 1 'fires when the call begins, before its window'
	index before 'length == 1 and .[0].bytes > 0'
	ended late 1
	index late 'length == 1 and .[0].bytes > 0 and .[0].ret == -2'
}

# bats test_tags=long
@test "--exec: who does not want to wait ends auxbpf; all else is done" {
	ended waiting 143 '1 snapshot in /out/waiting' 'waiting for what --exec runs'
	index waiting 'length == 1'
}

@test "a second recorder into the same directory is refused" {
	ended second 1 'another auxbpf records into /out/first'
	ended first 0 '0 snapshots in /out/first'
}

# bats test_tags=long
@test "a signal while snapshots are written ends the recording with whole ones" {
	ended ended 143 '2 snapshots in /out/ended'
	index ended 'length == 2 and all(.bytes > 0)'
	local name
	for name in $(jq -r .snapshot "$DIR/ended/index.ndjson"); do
		must lab host --out "$DIR" -- perf report --header-only -i "/out/ended/$name"
	done
}

@test "index: names beside numbers" {
	ended names 0
	index names 'map(.rule) == ["syscall:rmdir ret < 0", "signal:SIGSEGV"]'
	index names '.[0] | .syscall == "rmdir" and .syscall_nr == 84 and .ret == -2 and .errno == "ENOENT" and .comm == "rmdir" and
		(.cgroup | startswith("/")) and (has("container") | not)'
	index names '.[1] | .sig == 11 and .signal == "SIGSEGV" and (.cgroup | startswith("/docker/3f1c5a9b")) and
		.container == {"runtime": "docker", "id": (.cgroup | sub(".*/"; ""))}'
	index names 'all(.bytes == ([.cpus[].bytes] | add) and .blind_ns == ([.cpus[].blind_ns] | add) and .overwritten == ([.cpus[].overwritten] | add) and .gaps == 0 and .blind_ns > 0)'
}

# What stands in each line of a screen at last: a line is taken away by \r and an escape sequence.
lines_of() { # screen
	sed -e 's/\r$//' -e 's/.*\r\x1b\[K//' "$1"
}

@test "the status line: drawn in place, above it the messages, and taken away at the end" {
	ended status 0
	local screen=$DIR/status.screen
	cat -v "$screen"
	grep -q $'\r\x1b\\[Kauxbpf: copying the kernel' "$screen"
	grep -q $'\r\x1b\\[Kauxbpf: armed [0-9]:[0-9][0-9], seen 0, snapshots 0' "$screen"
	grep -q $'\r\x1b\\[Kauxbpf: armed [0-9]:[0-9][0-9], seen 1, snapshots 1' "$screen"
	# No line of it is longer than the terminal, which would then be two.
	tr '\r' '\n' <"$screen" | sed 's/\x1b\[K//' | awk '/^auxbpf: armed 0/ && length > 59 { bad = 1 } END { exit bad }'
	lines_of "$screen" >"$BATS_TEST_TMPDIR/lines"
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/lines")" = 'auxbpf: armed' ]
	grep -q '^auxbpf: auxbpf-.*bytes of trace, syscall:rmdir latency > 0s$' "$BATS_TEST_TMPDIR/lines"
	grep -q '^auxbpf: 1 snapshot in /out/status' "$BATS_TEST_TMPDIR/lines"
	[ -z "$(grep 'seen .* blind\|\.\.\.' "$BATS_TEST_TMPDIR/lines")" ]
	! left_out status_command || return 0
	ended status_command 0
	[ -z "$(grep 'armed 0:' "$DIR/status_command.screen")" ]
	grep -q '^mine' "$DIR/status_command.screen"
	ended status_quiet 0
	[ ! -s "$DIR/status_quiet.screen" ]
}
