#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What a recorder may still do once it is armed, and that what it runs for the user has all that the user had: on this
# machine's own kernel.

load ../lib/helpers

# CAP_KILL, CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_DAC_READ_SEARCH, CAP_SYSLOG, CAP_CHECKPOINT_RESTORE: linux/capability.h
KEPT=0000010400280024

setup() {
	requires auxbpf setpriv objcopy pgrep
	cd "$BATS_TEST_TMPDIR"
	mkdir -m 700 mine
}

teardown() {
	[ -z "${recorder-}" ] || kill -KILL "$recorder" 2>/dev/null || true
}

# Starts a recorder in the background and waits until it is armed. Its process is $recorder.
arm() { # auxbpf's arguments...
	auxbpf -e cpu-clock --snapshot-on 'signal:SIGUSR1' "$@" 2>said 3>&- &
	recorder=$!
	until grep -q ': armed' said; do
		kill -0 "$recorder"
		sleep 0.1
	done
}

disarm() {
	kill -INT "$recorder"
	wait "$recorder"
	recorder=
}

# Of all threads of these processes, each kind once: "Prm Eff Inh NoNewPrivs Seccomp".
rights() { # pids...
	local pid status
	for pid; do
		for status in /proc/"$pid"/task/*/status; do
			awk '{ value[$1] = $2 }
				END { print value["CapPrm:"], value["CapEff:"], value["CapInh:"], value["NoNewPrivs:"], value["Seccomp:"] }' "$status"
		done
	done | sort -u
}

@test "armed: no thread has more than the table says, and no way back" {
	arm -o mine/out
	must rights "$recorder"
	disarm
	[ "$output" = "$KEPT $KEPT 0000000000000000 1 2" ]
}

@test "helpers that read strangers' files have three of these, from their start" {
	local before
	# Of others, and those that nobody has waited for yet.
	before=$(pgrep -x auxbpf-files || true)
	arm -o mine/out
	# shellcheck disable=SC2046 # numbers
	must rights $(pgrep -x auxbpf-files | grep -vxF "${before:-none}")
	disarm
	[ "$output" = "0000010000080004 0000010000080004 0000000000000000 1 2" ]
}

@test "COMMAND and what --exec runs have all that auxbpf was started with" {
	mine=$(grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status)
	auxbpf -e cpu-clock --snapshot-on 'signal:SIGUSR1' --exec 'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status >exec' -o mine/out -- \
		sh -c 'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status >command; trap : USR1; kill -USR1 $$'
	[ "$(<command)" = "$mine" ]
	[ "$(<exec)" = "$mine" ]
}

@test "the output in another user's directory is written there" {
	mkdir theirs
	chown 65534 theirs
	must auxbpf -v -e cpu-clock -o theirs/capture -- sleep 0.1
	has cap_dac_override
	must auxbpf -v -e cpu-clock -o mine/capture -- sleep 0.1
	grep -c cap_dac_override <<<"$output" | grep -x 0
	must auxbpf -v -e cpu-clock --snapshot-on end -o theirs/out -- sleep 0.1
	[ -s theirs/capture ]
	[ -s mine/capture ]
	[ "$(find theirs/out -name '*.data' | wc -l)" -eq 1 ]
}

# The names of capabilities in a part of the man page, sorted.
of_man_page() { # first line of the part
	awk -v from="$1" '$0 == from { on = 1 } on && /^\.El/ { exit } on && /^\.It CAP_/ { print tolower($2) }' \
		"$AUXBPF_ROOT/src/commands/auxbpf.8" | sort
}

@test "the man page tells which: started with these alone it works, and keeps the first of the two lists" {
	mkdir theirs
	chown 65534 theirs
	of_man_page 'Needed to the end:' >to_the_end
	of_man_page 'Needed at the start:' >at_the_start
	caps=-all$(sed 's/^cap_/,+/' to_the_end at_the_start | tr -d '\n')
	must setpriv --bounding-set "$caps" auxbpf -v -e cpu-clock -o theirs/capture --user nobody -- sleep 0.1
	sed -nE 's/^auxbpf: capabilities from here on: =?(.*)=ep$/\1/p' <<<"$output" | tr , '\n' | sort >kept
	must diff to_the_end kept
}

@test "with those alone that it asks for it records, and helpers open what is mapped" {
	caps=-all$(printf ',+%s' sys_admin ipc_lock dac_read_search sys_ptrace syslog sys_rawio)
	# A copy that has another build id, and is gone as soon as it runs.
	head -c 20 /dev/urandom >id
	cp "$(command -v sleep)" gone
	objcopy --dump-section .note.gnu.build-id=note gone
	{ head -c 16 note; cat id; } >new
	objcopy --update-section .note.gnu.build-id=new gone
	must setpriv --bounding-set "$caps" auxbpf -e cpu-clock --archive --snapshot-on 'exit code == 3' -o mine/out -- \
		sh -c './gone 3 & until [ "$(readlink /proc/$!/exe)" = "$PWD/gone" ]; do :; done; rm gone; wait; (exit 3); true'
	has "1 snapshot in"
	id=$(od -An -v -tx1 id | tr -d ' \n')
	find mine/out -type f -path "*${id:0:2}/${id:2}*" | grep .
}
