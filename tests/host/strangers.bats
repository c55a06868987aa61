#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Processes of an ordinary user that auxbpf has nothing to do with, and that do it all the harm they can: on this machine's own
# kernel. None of it may cost a trigger, much memory, or the way out.

load ../lib/helpers

setup() {
	requires auxbpf hanging_fs map_storm setpriv
	cd "$BATS_TEST_TMPDIR" || return
	STARTED=() PUBLIC=
	# Others may call uname too.
	cp "$(command -v uname)" aux_stranger
}

teardown() {
	for pid in "${STARTED[@]}"; do
		kill -KILL "$pid"
		wait "$pid" || echo "$pid ended with $?"
	done
	[ -z "$PUBLIC" ] || rm -rf "$PUBLIC"
}

# Starts it as nobody, in the background.
stranger() { # command...
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@" 3>&- &
	STARTED+=($!)
}

# Where any user may write, though tests run in a directory of root's.
make_public() {
	PUBLIC=$(mktemp -d /tmp/auxbpf_strangers.XXXXXX)
	chmod 777 "$PUBLIC"
}

wait_for_files() { # file...
	local file
	for file; do
		wait_until test -e "$file"
	done
}

# Whether so many snapshots are in the index.
taken() { # directory number
	[ -e "$1/index.ndjson" ] && [ "$(wc -l <"$1/index.ndjson")" -ge "$2" ]
}

# What auxbpf runs: a trigger after the other, each when the snapshot of the last one is there. Ends with the most memory that
# auxbpf has had.
drive() {
	local number=0
	trigger() {
		./aux_stranger >uname.out
		number=$((number + 1))
		wait_until taken out $number
	}
	trigger
	touch "$PUBLIC/1/go" "$PUBLIC/2/go"
	for _ in 1 2 3 4; do trigger; done
	wait_for_files "$PUBLIC/1/done" "$PUBLIC/2/done"
	trigger
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$PPID/status" >peak
}

@test "what strangers map takes no more than its room, and costs no trigger" {
	make_public
	for i in 1 2; do
		mkdir -m 777 "$PUBLIC/$i"
		stranger map_storm "$PUBLIC/$i" 60000 2
	done
	wait_for_files "$PUBLIC/1/mapped" "$PUBLIC/2/mapped"
	export PUBLIC
	must with_tracefs auxbpf -o out -a -e cpu-clock --cool-down 0 --snapshot-on 'syscall:uname comm == aux_stranger' -- \
		bash -ec "$(declare -f drive wait_until wait_for_files taken); drive"
	has "6 snapshots in out, of 6 triggers seen; 0 missed"
	has "none of them a target, have mapped more than there is room and time for"
	[ "$(grep -c 'mapped more than there is room for, of' <<<"$output")" -le 1 ]
	echo "peak: $(<peak) kB, $(stat -c '%s %n' out/*.data/data)"
	[ "$(<peak)" -lt $((128 << 10)) ]
	for data in out/*.data/data; do
		[ "$(stat -c %s "$data")" -lt $((48 << 20)) ]
	done
}

# A process with a file mapped whose file system takes what is asked of it and answers nothing.
hang() { # [program milliseconds]
	mkdir mnt
	hanging_fs mnt mapped "$@" 3>&- &
	STARTED+=($!)
	wait_for_files mapped
}

# Without the limit of time all of these would wait until somebody ends the file system.
@test "a file system that hangs holds up neither the start nor snapshots" {
	hang
	for archive in '' --archive; do
		# shellcheck disable=SC2086 # one option or none
		must with_tracefs auxbpf -o "out$archive" -a -e cpu-clock --cool-down 0 $archive \
			--snapshot-on 'syscall:uname comm == aux_stranger' -- bash -ec "$(declare -f wait_until taken)
				./aux_stranger; wait_until taken out$archive 1; ./aux_stranger; wait_until taken out$archive 2"
		has "/mnt/file is left out: its file system has not answered for 2000 ms"
		has "2 snapshots in out$archive, of 2 triggers seen; 0 missed"
	done
}

@test "a target whose root directory is on a file system that hangs does not hold up the recording" {
	hang
	must with_tracefs auxbpf -o out -p "${STARTED[0]}" -e cpu-clock --archive --max-time 1s
	has "/mnt/file is left out: its file system has not answered for 2000 ms"
	has "the time of --max-time is over: the recording ends"
}

@test "a capture ends by a signal beside a file system that hangs" {
	hang
	must with_tracefs auxbpf -o out -a -e cpu-clock -- sh -c 'trap "exit 0" TERM; kill -TERM $PPID; while :; do sleep 0.1; done'
	has "has not answered"
}

@test "a target whose files hang does not hold up the search for its functions" {
	hang
	logged with_tracefs auxbpf -o out -p "${STARTED[0]}" -e cpu-clock --on-function /file:main
	[ "$status" -eq 1 ]
	has "is left out: its file system has not answered for 2000 ms"
	has "auxbpf: there is no file /file"
}

# In a mount namespace where users' own files are there.
@test "container state of a user on a file system that hangs does not hold up who looks for containers" {
	mkdir -p /run/user
	# shellcheck disable=SC2016 # for the shell in between
	unshare --mount sh -c 'mount -t tmpfs none /run/user && mkdir -p /run/user/1/runc /run/user/2/crun/told &&
		echo "{\"cgroup-path\": \"/\"}" >/run/user/2/crun/told/status &&
		exec hanging_fs /run/user/1/runc mapped' 3>&- &
	STARTED+=($!)
	wait_for_files mapped
	must nsenter --mount="/proc/${STARTED[0]}/ns/mnt" auxbpf list containers
	has "/run/user/1/runc is left out: its file system has not answered for 2000 ms"
	[ "$(grep -c 'left out' <<<"$output")" -eq 1 ]
	logged nsenter --mount="/proc/${STARTED[0]}/ns/mnt" auxbpf -a --container nosuch -e cpu-clock -o out -- true
	has "left out"
	has "nosuch"
}

# A step of the copy takes less time than is waited for, all of them would take ten minutes.
@test "a program of a file system that drips is left out of the archive, and costs no snapshot" {
	cp aux_stranger large
	truncate -s 1G large
	hang large 100
	must with_tracefs auxbpf -o out -a -e cpu-clock --archive --max-size 8G --cool-down 0 \
		--snapshot-on 'syscall:uname comm == aux_stranger' -- bash -ec "$(declare -f wait_until taken)
			for n in 1 2 3; do ./aux_stranger; wait_until taken out \$n; done"
	has "left out: its file system is too slow"
	has "3 snapshots in out, of 3 triggers seen; 0 missed"
}
