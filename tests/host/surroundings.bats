#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What auxbpf is started with and in: descriptors that are closed, signals that are ignored, limits, terminals that go. On
# this machine's own kernel, with regular events.

load ../lib/helpers

setup() {
	requires auxbpf jq python3 build/tests/stuck_start.so
	cd "$BATS_TEST_TMPDIR"
	RECORD=(auxbpf -e cpu-clock --lookback all --snapshot-on 'exit code == 33')
}

one_snapshot() { # directory
	[ "$(jq -r .rule "$1/index.ndjson")" = 'exit code == 33' ]
}

# The program's first process has a terminal of its own, of which it is the session's first one, and which goes away
# when PROGRAM has made "up". All that came to the terminal is printed at the end.
# shellcheck disable=SC2016
TERMINAL='
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if not pid:
    # Whatever runs these tests may ignore it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if sys.argv[1] == "background":
        child = os.fork()
        os.setpgid(child, child)
        if child:
            os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
end = time.time() + 120
while time.time() < end and (sys.argv[1] != "goes" or not os.path.exists("up")):
    try:
        part = b"" if sys.argv[1] == "goes" else os.read(terminal, 4096)
    except OSError:
        break
    shown += part
    time.sleep(0.01)
os.close(terminal)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.stdout.buffer.write(shown)
sys.exit(status)'

@test "standard files that are closed: nothing goes astray, and they are closed for COMMAND" {
	local status=0
	# shellcheck disable=SC2016
	"${RECORD[@]}" -o out -- sh -c 'for i in 0 1 2; do [ -e /proc/$$/fd/$i ] || echo $i; done 3>closed >&3; exit 33' \
		0<&- 1>&- 2>&- || status=$?
	[ "$status" -eq 33 ]
	one_snapshot out
	# The shell itself opens its 1 for the loop.
	grep -x 0 closed
	grep -x 2 closed
}

@test "SIGHUP ends a recording, and not one that nohup started" {
	# shellcheck disable=SC2016
	local command=(sh -c 'kill -HUP $PPID; sleep 1; exit 33')
	logged env --default-signal=HUP "${RECORD[@]}" -o ended -- "${command[@]}"
	[ "$status" -eq 129 ]
	[ ! -s ended/index.ndjson ]
	logged env --ignore-signal=HUP "${RECORD[@]}" -o out -- "${command[@]}"
	[ "$status" -eq 33 ]
	one_snapshot out
}

@test "SIGCHLD that is ignored: the command's status and a failing --exec are told, and COMMAND has it so again" {
	# Those that are blocked, ignored and caught.
	local masks=(grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status)
	logged env --ignore-signal=CHLD "${RECORD[@]}" -o out --exec false -- sh -c 'exit 33'
	[ "$status" -eq 33 ]
	one_snapshot out
	has "'false' failed with status 1"
	env --ignore-signal=CHLD "${masks[@]}" >wanted
	env --ignore-signal=CHLD "${RECORD[@]}" -o masks -- "${masks[@]}" >found
	diff wanted found
}

@test "COMMAND and --exec have the limits, priority, signals and descriptors that auxbpf was started with" {
	cat >show <<-'END'
		{
			cat /proc/self/limits
			grep -E '^(Sig(Blk|Cgt)|NoNewPrivs|Cap.*):' /proc/self/status
			# Signals 32 and 33 are glibc's own, which lets no program set them: its posix_spawn() ignores
			# both, and a process that has made a thread leaves 33 at its default to its children.
			ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status)
			printf 'ignored: %x\n' $((0x$ignored & ~0x180000000))
			awk '{ print "nice " $19 ", policy " $41 }' /proc/self/stat
			umask
			ls /proc/self/fd
		} >"$1"
	END
	# A soft limit that auxbpf raises for itself, and the other attributes not what they mostly are.
	# shellcheck disable=SC2016
	local as=(prlimit --nofile=64:4096 --core=4096:8192 nice -n 3 sh -c 'umask 027; exec "$@"' -)
	"${as[@]}" sh show wanted </dev/null 3>&-
	"${as[@]}" "${RECORD[@]}" -o out --exec 'sh show exec' -- sh -c 'sh show command; exit 33' </dev/null 3>&- || [ $? -eq 33 ]
	grep '^Max open files *64 *4096 ' wanted
	diff wanted command
	diff wanted exec
}

@test "a limit of file size: that a snapshot is not written is an error, and the command goes on" {
	# shellcheck disable=SC2016
	logged bash -c 'ulimit -f 1; exec "$@"' - "${RECORD[@]}" -o start -- touch ran
	has "cannot copy /proc/kallsyms: File too large"
	[ "$status" -eq 1 ]
	[ ! -e ran ]
	# shellcheck disable=SC2016
	logged "${RECORD[@]}" -o out -- sh -c 'prlimit --fsize=1024 --pid $PPID; (exit 33); sleep 0.5; >went-on; exit 5'
	has "File too large"
	has "1 snapshot could not be written"
	[ "$status" -eq 1 ]
	[ -e went-on ]
}

@test "a message that nobody reads any more ends no recording" {
	{ "${RECORD[@]}" -v -o out -- sh -c 'while [ ! -e closed ]; do sleep 0.1; done; exit 33' || echo $? >status; } 2> >(:) 3>&- &
	sleep 0.1
	touch closed
	for _ in {1..600}; do [ -e status ] && break; sleep 0.1; done
	[ "$(<status)" -eq 33 ]
	one_snapshot out
}

@test "a signal during the start ends it, and COMMAND never runs" {
	local signal pid status
	for signal in INT TERM HUP; do
		rm -f in-start
		# A job of a shell without job control ignores SIGINT, and auxbpf takes it all the same.
		LD_PRELOAD=$AUXBPF_ROOT/build/tests/stuck_start.so timeout --foreground -k 0 60 \
			env --default-signal=HUP "${RECORD[@]}" -o out -- touch ran 3>&- &
		for _ in {1..600}; do [ -e in-start ] && break; sleep 0.1; done
		pid=$(pgrep -P $!)
		kill -$signal "$pid"
		status=0
		wait $! || status=$?
		echo "$signal: $status"
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
	done
	[ ! -e ran ]
}

@test "the terminal goes: the command gets the SIGHUP that it would get alone" {
	# shellcheck disable=SC2016
	local command=(sh -c 'trap ">hung-up; exit 7" HUP; >up; while :; do sleep 0.1; done')
	logged python3 -c "$TERMINAL" goes "${command[@]}"
	[ "$status" -eq 7 ]
	rm hung-up up
	logged python3 -c "$TERMINAL" goes "${RECORD[@]}" -o out -- "${command[@]}"
	[ -e hung-up ]
	[ "$status" -eq 7 ]
}

@test "the status line is for who has the terminal: a recorder in the background draws none" {
	local options=(-a -o out --max-time 3s) line=$'\r\033[K'
	python3 -c "$TERMINAL" stays "${RECORD[@]}" "${options[@]}" >foreground
	grep -F "$line" foreground
	python3 -c "$TERMINAL" background "${RECORD[@]}" "${options[@]}" >behind
	grep -F "auxbpf: armed" behind
	grep -F "$line" behind | nothing
}

@test "without privileges a tracepoint is not unknown: what is missing is the permission" {
	local event program
	program=$(type -P auxbpf)
	for event in sched:sched_switch 'sched:*'; do
		# The program is in a directory that others may not enter.
		# shellcheck disable=SC2016
		logged unshare --mount sh -c 'mount -t tracefs -o mode=700 none /sys/kernel/tracing && exec 9<"$1" &&
			exec setpriv --reuid 1000 --clear-groups /proc/self/fd/9 -e "$2" -- true' - "$program" "$event"
		[ "$status" -eq 1 ]
		has "auxbpf: CAP_DAC_READ_SEARCH is missing (tracefs"
		has "run as root, for instance with sudo"
		[[ $output != *"there is no"* ]]
	done
}
