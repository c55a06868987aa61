#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# COMMAND as another user (--user): whose rights it has, and that it is traced all the same. On this machine's own kernel, with
# regular events.

load ../lib/helpers

setup() {
	requires auxbpf setpriv perf
	cd "$BATS_TEST_TMPDIR"
	# The directories of bats may be closed to other users.
	theirs=$(mktemp -d)
	chmod 777 "$theirs"
	RECORD=(auxbpf -e cpu-clock --snapshot-on end -o out)
}

teardown() {
	[ -z "${recorder-}" ] || kill -KILL "$recorder" 2>/dev/null || true
	rm -r "$theirs"
}

# Runs a command where there is a user auxbpf-tester with two more groups.
with_tester() { # command...
	{ cat /etc/passwd; echo 'auxbpf-tester:x:54321:54322::/nowhere:/bin/sh'; } >passwd
	{ cat /etc/group; printf '%s:auxbpf-tester\n' tester-a:x:54323 tester-b:x:54324; } >group
	# shellcheck disable=SC2016 # for the shell in between
	unshare --mount sh -c 'mount --bind passwd /etc/passwd && mount --bind group /etc/group && exec "$@"' - "$@"
}

# IDs, groups, capabilities and the environment of whoever runs it, without what each process has its own of.
# shellcheck disable=SC2016 # for sh
SHOW='grep -E "^(Uid|Gid|Groups|Cap...|NoNewPrivs|Seccomp):" /proc/self/status; env | grep -v ^_= | sort; pwd'

@test "IDs, supplementary groups, no capabilities; all else is as it was" {
	with_tester setpriv --reuid 54321 --regid 54322 --init-groups sh -c "$SHOW" >wanted
	with_tester "${RECORD[@]}" --user auxbpf-tester -- sh -c "$SHOW" >found
	diff wanted found
	grep -P '^Uid:\t54321\t54321\t54321\t54321$' found
	grep -P '^Gid:\t54322\t54322\t54322\t54322$' found
	[ "$(sed -n 's/^Groups:\t//p' found | xargs -n 1 | sort | xargs)" = "54322 54323 54324" ]
	grep -P '^Cap(Prm|Eff|Amb):\t0000000000000000$' found
	grep -x "HOME=$HOME" found
}

@test "UID:GID: these, and no supplementary groups" {
	setpriv --reuid 54321 --regid 54322 --clear-groups sh -c "$SHOW" >wanted
	"${RECORD[@]}" --user 54321:54322 -- sh -c "$SHOW" >found
	diff wanted found
}

@test "auxbpf is not root itself: COMMAND has none of its capabilities" {
	local all
	cp "$(type -P auxbpf)" "$theirs"
	all=$(setpriv --dump | sed -n 's/^Capability bounding set: //p' | sed 's/^/+/; s/,/,+/g')
	must setpriv --reuid 54321 --regid 54321 --clear-groups --inh-caps "$all" --ambient-caps "$all" \
		"$theirs/auxbpf" -e cpu-clock --snapshot-on end -o "$theirs/out" --user 54322:54322 -- \
		grep -E '^(Uid|Cap(Prm|Eff|Amb)):' /proc/self/status
	[ "$(grep -cP '^Cap...:\t0000000000000000$' <<<"$output")" -eq 3 ]
	has $'Uid:\t54322\t54322\t54322\t54322'
}

@test "a step that fails: which one, and COMMAND does not run" {
	logged setpriv --bounding-set -setgid "${RECORD[@]}" --user nobody -- touch ran
	[ "$status" -eq 126 ]
	has "--user nobody: setgroups failed: Operation not permitted; it needs the capabilities CAP_SETUID and CAP_SETGID"
	has "cannot run 'touch': Operation not permitted"
	logged setpriv --bounding-set -setuid "${RECORD[@]}" --user nobody -- touch ran
	[ "$status" -eq 126 ]
	has "--user nobody: setresuid failed: Operation not permitted"
	[ ! -e ran ]
	[ ! -e out ]
}

@test "a command that this user may not execute" {
	install -m 700 "$(type -P true)" roots
	logged "${RECORD[@]}" --user nobody -- ./roots
	[ "$status" -eq 126 ]
	has "cannot run './roots': Permission denied"
}

# The process has a user and no rights of root before it becomes the command.
@test "its windows and samples are in the capture, and none of the calls that change the user" {
	must with_tracefs auxbpf -v -e 'syscalls:sys_exit_newuname,syscalls:sys_exit_set*id' --lookback all --snapshot-on end -o out --user nobody \
		--on-syscall uname,setgroups,setresgid,setresuid,prctl -- taskset -c 0 sh -c 'uname; uname; uname; id -u'
	has $'\n65534\n'
	has "CPU 0: windows 3,"
	perf script -i out/*.data -F comm,event | grep syscalls: >events
	[ "$(awk '{ print $1, $2 }' events)" = "$(yes 'uname syscalls:sys_exit_newuname:' | head -n 3)" ]
}

@test "a signal that auxbpf gets is passed on to it, which only root may do" {
	# shellcheck disable=SC2016 # for sh
	"${RECORD[@]}" --user nobody -- sh -c 'trap "exit 9" TERM; >"$1"; while :; do sleep 0.1; done' - "$theirs/up" 3>&- &
	recorder=$!
	wait_until test -e "$theirs/up"
	kill -TERM "$recorder"
	status=0
	wait "$recorder" || status=$?
	[ "$status" -eq 9 ]
}
