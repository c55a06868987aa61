#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What is named on the command line and may be another thing by then, or gone: processes, threads, addresses, cgroups, files of
# rules. On this machine's own kernel: rules count what targets did, which needs no trace PMU.

load ../lib/helpers

setup() {
	requires auxbpf jq strace nm two_threads calls sample_cases
	cd "$BATS_TEST_TMPDIR"
}

# After a test that failed.
teardown() {
	[ -z "${child-}" ] || kill -9 "$child" || true
	[ -z "${recorder-}" ] || kill -9 "$recorder" ${stopped-} || true
	[ -z "${group-}" ] || find "$group" -depth -type d -execdir rmdir {} \; || true
}

# A recorder of rules alone, without limits. What it says is in $output.
record() { # options...
	logged auxbpf -o out -e cpu-clock -M 64K --cool-down 0 --max-rate 0 --max-snapshots 0 "$@"
	rm -rf out
}

# The same as a job: $recorder. What it says is in the file said.
record_meanwhile() { # [command that runs auxbpf...] -- options...
	local prefix=()
	while [ "$1" != -- ]; do
		prefix+=("$1")
		shift
	done
	shift
	rm -f said
	"${prefix[@]}" auxbpf -o out -e cpu-clock -M 64K --cool-down 0 --max-rate 0 --max-snapshots 0 "$@" 2>said 3>&- 9>&- &
	recorder=$!
}

# Its end: $status and $output.
await_recorder() {
	status=0
	wait "$recorder" || status=$?
	recorder=
	output=$(<said)
	echo "$output"
	echo "status $status"
	rm -rf out
}

until_said() { # text
	until grep -qs -- "$1" said; do
		kill -0 "$recorder" || { cat said; return 1; }
		sleep 0.05
	done
}

# The last output says that the rule held so often.
was_seen() { # times rule
	grep -qE "^auxbpf: $2: seen $1 times?, " <<<"$output"
}

# two_threads as a job, $child, with the ids of its $process and its second $thread. It goes on when descriptor 9 is closed.
start_threads() {
	rm -f go ids
	mkfifo go
	two_threads <go >ids 3>&- &
	child=$!
	exec 9>go
	until grep -qs . ids; do sleep 0.05; done
	read -r process thread <ids
}

@test "a file of rules: each is as if it was given by itself" {
	printf '%s\n' '# a comment' 'syscall:getsid   # and another' '' '  exit code == 3' >rules
	logged auxbpf -o out -e cpu-clock -M 64K --cool-down 0 --max-rate 0 --rules rules --snapshot-on 'syscall:uname' -- sample_cases 20
	[ "$status" -eq 3 ]
	was_seen 20 syscall:getsid
	was_seen 20 syscall:uname
	was_seen 1 'exit code == 3'
	[ -z "$(jq -r .rule out/index.ndjson | grep -vx -e syscall:getsid -e syscall:uname -e 'exit code == 3')" ]
}

@test "-p with the id of a thread is refused, and -t traces it alone" {
	start_threads
	record -p "$thread" --snapshot-on syscall:getsid
	[ "$status" -eq 1 ]
	has "$thread is a thread, not a process; trace it alone with -t $thread"
	record_meanwhile -- -t "$thread" --snapshot-on syscall:getsid
	until_said armed
	exec 9>&-
	await_recorder
	[ "$status" -eq 0 ]
	was_seen 5 syscall:getsid
	wait "$child"
	child=
}

@test "-p has all threads of a process, -t with its id the first one" {
	start_threads
	record_meanwhile -- -p "$process" --snapshot-on syscall:getsid
	until_said armed
	exec 9>&-
	await_recorder
	[ "$status" -eq 0 ]
	was_seen 8 syscall:getsid
	wait "$child"
	child=
	start_threads
	record_meanwhile -- -t "$process" --no-follow --snapshot-on syscall:getsid
	until_said armed
	exec 9>&-
	await_recorder
	[ "$status" -eq 0 ]
	was_seen 3 syscall:getsid
	wait "$child"
	child=
}

@test "a process or thread that is not there when auxbpf starts" {
	sleep 0 &
	gone=$!
	wait "$gone"
	record -p "$gone" --snapshot-on exit
	[ "$status" -eq 1 ]
	has "cannot trace process $gone: No such process"
	record -p "$$,$gone" --snapshot-on exit
	[ "$status" -eq 1 ]
	has "cannot trace process $gone: No such process"
	record -t "$gone" --snapshot-on exit
	[ "$status" -eq 1 ]
	has "cannot trace thread $gone: No such process"
	[ ! -e out ]
}

# Runs until the first event is opened, which is behind the look for the targets, and stops there. The state in /proc does not
# tell: it is stopped for a moment at each of its system calls.
record_up_to_events() { # options...
	record_meanwhile strace -q -o calls -e trace=perf_event_open -e inject=perf_event_open:signal=STOP:when=1 -- "$@"
	until grep -qs '^--- stopped by SIGSTOP' calls; do
		kill -0 "$recorder" || { cat said; return 1; }
		sleep 0.05
	done
	stopped=$(pgrep -P "$recorder" -x auxbpf)
}

@test "a process that ends while auxbpf starts" {
	sleep 1000 3>&- &
	child=$!
	record_up_to_events -p "$child" --snapshot-on exit
	kill -9 "$child"
	wait "$child" || true
	child=
	kill -CONT "$stopped"
	await_recorder
	[ "$status" -eq 1 ]
	has "none of the processes to be traced is there any more"
}

@test "a thread that ends while auxbpf starts" {
	start_threads
	record_up_to_events -t "$thread" --snapshot-on exit
	exec 9>&-
	wait "$child"
	child=
	kill -CONT "$stopped"
	await_recorder
	[ "$status" -eq 1 ]
	has "none of the processes to be traced is there any more"
}

@test "one of two processes ends while auxbpf starts: the other is traced" {
	start_threads
	sleep 1000 3>&- 9>&- &
	gone=$!
	record_up_to_events -p "$gone,$process" --snapshot-on syscall:getsid
	kill -9 "$gone"
	wait "$gone" || true
	kill -CONT "$stopped"
	until_said armed
	exec 9>&-
	await_recorder
	[ "$status" -eq 0 ]
	was_seen 8 syscall:getsid
	wait "$child"
	child=
}

# The address of a symbol, as nm prints it.
address() { # file symbol nm's options...
	local file=$1 symbol=$2
	shift 2
	nm "$@" "$file" | sed -nE "s/^0*([0-9a-f]+) . $symbol(@.*)?$/0x\1/p"
}

@test "functions by their address: of a program, and of a library" {
	local program=$AUXBPF_ROOT/build/tests/sample_cases libc inside exits
	libc=$(ldd "$program" | sed -n 's/.*=> \(.*libc.so.6\) .*/\1/p')
	inside=$(address "$program" inside) exits=$(address "$libc" exit -D)
	record --snapshot-on "function:$program:$inside" --snapshot-on "function:$libc:$exits" \
		--snapshot-on "function:$program:inside" --snapshot-on function:libc:exit -- sample_cases 20
	[ "$status" -eq 3 ]
	was_seen 20 "function:$program:$inside"
	was_seen 20 "function:$program:inside"
	was_seen 1 "function:$libc:$exits"
	was_seen 1 "function:libc:exit"
	record --snapshot-on "function:$program:0x1" -- true
	[ "$status" -eq 1 ]
	has "no code at the address 0x1"
	record --on-function "$program:0x1" -- true
	[ "$status" -eq 1 ]
	has "no code at the address 0x1"
}

@test "windows in a function by its address have what the function does and no more" {
	local program=$AUXBPF_ROOT/build/tests/sample_cases
	logged with_tracefs auxbpf -o out -e syscalls:sys_enter_newuname,syscalls:sys_enter_getsid \
		--on-function "$program:$(address "$program" inside)" --lookback all --snapshot-on end -- sample_cases 20
	[ "$status" -eq 3 ]
	perf script -i out/*.data -F event 2>perf.said | sort | uniq -c >events
	cat perf.said events
	[ "$(tr -s ' ' <events)" = " 20 syscalls:sys_enter_newuname: " ]
}

# In the cgroup: a program that runs there, as often as it is called.
run_there() { # cgroup [program]
	sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2"' - "$1" "${2-/bin/true}"
}

@test "a cgroup that is removed and made again counts again, and so does what is below it" {
	group=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/auxbpf-named-$$
	mkdir "$group"
	export -f run_there
	# shellcheck disable=SC2016
	record -a --cgroup "$group" --snapshot-on 'exec comm == true' -- bash -c '
		for i in 1 2 3 4; do
			run_there "$0"
			until rmdir "$0" 2>/dev/null; do sleep 0.05; done
			run_there "${0%/*}" 2>/dev/null
			mkdir -p "$0/below/deep"
			run_there "$0/below/deep"
			until rmdir "$0/below/deep" "$0/below" 2>/dev/null; do sleep 0.05; done
		done' "$group"
	[ "$status" -eq 0 ]
	was_seen 8 'exec comm == true'
}

# The cgroup $0 is removed and made again. What runs there each time runs as well in a cgroup below it, in one of its name below
# that, and, while it is gone, in one of its path in the hierarchy of version 1 at $1. Others run uname, too: it has another name.
COME_AND_GO='
	remove() { until rmdir "$@" 2>/dev/null; do sleep 0.05; done; }
	for i in 1 2 3 4; do
		run_there "$0" ./aux_named
		mkdir "$0/below" "$0/below/${0##*/}"
		run_there "$0/below" ./aux_named
		run_there "$0/below/${0##*/}" ./aux_named
		remove "$0/below/${0##*/}" "$0/below" "$0"
		mkdir "$1/${0##*/}"
		run_there "$1/${0##*/}" ./aux_named
		remove "$1/${0##*/}"
		mkdir "$0"
	done'

# A recorder with tracefs, and beside the cgroups of the machine a hierarchy of version 1: it goes with this.
record_beside_v1() { # mount point of that, options...
	# shellcheck disable=SC2016
	logged with_tracefs sh -c 'mkdir -p "$1" && mount -t cgroup -o "none,name=auxbpf$$" cgroup "$1" && shift &&
		exec auxbpf -o out --cool-down 0 --max-rate 0 --max-snapshots 0 -a "$@"' - "$@"
	[ "$status" -eq 0 ]
}

@test "the cgroup of a condition that is removed and made again is the same one; what is below it or has its name is not" {
	group=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/auxbpf-named-$$
	mkdir "$group"
	cp "$(command -v uname)" aux_named
	record_beside_v1 "$PWD/v1" -e cpu-clock -M 64K --snapshot-on "exec comm == aux_named && cgroup == $group" \
		--snapshot-on "exec comm == aux_named && cgroup != $group" -- bash -c "$(declare -f run_there); $COME_AND_GO" "$group" "$PWD/v1"
	was_seen 4 "exec comm == aux_named && cgroup == $group"
	was_seen 12 "exec comm == aux_named && cgroup != $group"
	rm -r out
	record_beside_v1 "$PWD/v1" -e syscalls:sys_exit_newuname --on-syscall "uname(cgroup == $group)" --lookback all \
		--snapshot-on end -- bash -c "$(declare -f run_there); $COME_AND_GO" "$group" "$PWD/v1"
	[ "$(perf script -i out/*.data -F event | grep -c newuname)" -eq 4 ]
}

# shellcheck disable=SC2016 # for the shells in between
@test "the parent in a condition: what the children of one shell do, and not those of another" {
	ln -s /bin/true aux_child
	mkfifo go done
	bash -c 'read -r; for i in 1 2 3; do ./aux_child; uname; done; echo >done' <go >/dev/null 3>&- &
	child=$!
	record -a --snapshot-on "exec comm == aux_child && ppid == $child" --snapshot-on "exec comm == aux_child && ppid != $child" -- \
		bash -c './aux_child; echo >go; read -r <done; ./aux_child; true'
	was_seen 3 "exec comm == aux_child && ppid == $child"
	was_seen 2 "exec comm == aux_child && ppid != $child"
	bash -c 'read -r; for i in 1 2 3; do ./aux_child; uname; done; echo >done' <go >/dev/null 3>&- &
	child=$!
	logged with_tracefs auxbpf -o out -a -e syscalls:sys_exit_newuname --on-syscall "uname(ppid == $child)" --lookback all --snapshot-on end -- \
		bash -c 'uname; echo >go; read -r <done; uname; true'
	[ "$(perf script -i out/*.data -F event | grep -c newuname)" -eq 3 ]
	child=
}

@test "the cgroup of a condition that is removed while auxbpf starts, and made again meanwhile or later" {
	group=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/auxbpf-named-$$
	mkdir -p "$group/meanwhile" "$group/later"
	record_up_to_events -a --snapshot-on "exec comm == uname && cgroup == $group/meanwhile" \
		--snapshot-on "exec comm == uname && cgroup == $group/later" -- bash -c "$(declare -f run_there)
			run_there \"\$0/meanwhile\" uname && mkdir \"\$0/later\" && run_there \"\$0/later\" uname" "$group"
	rmdir "$group/meanwhile" "$group/later"
	mkdir "$group/meanwhile"
	kill -CONT "$stopped"
	await_recorder
	[ "$status" -eq 0 ]
	was_seen 1 "exec comm == uname && cgroup == $group/meanwhile"
	was_seen 1 "exec comm == uname && cgroup == $group/later"
}

# Nobody can open it by its path, and /proc does not tell it either.
@test "a cgroup whose path is longer than a path may be hinders nobody" {
	local name
	name=$(printf '%0250d' 1)
	group=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/auxbpf-named-$$
	mkdir "$group"
	# shellcheck disable=SC2016
	bash -c 'cd "$0" && for _ in {1..18}; do mkdir "$1" && cd "$1" || exit; done
		echo $$ >cgroup.procs && echo >"$2/there" && while :; do /bin/true; done' "$group" "$name" "$PWD" 3>&- &
	child=$!
	until [ -e there ]; do kill -0 "$child"; sleep 0.05; done
	must auxbpf list containers
	must auxbpf list containers --json
	jq . <<<"$output"
	record --cgroup "$group" --max-time 1s --snapshot-on 'exec comm == true' --snapshot-on end
	was_seen 1 end
	was_seen '[0-9]*[1-9][0-9]*' 'exec comm == true'
	record -a --all-cgroups --scope all --max-time 1s --snapshot-on end
	was_seen 1 end
}
