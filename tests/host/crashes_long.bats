#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=long
#
# A recorder that is killed, and a machine that stops, at random moments: what has a name is whole, nothing else is left. On this
# machine's own kernel, KILLS (1000) and CUTS (100) times.

load ../lib/helpers
load ../lib/disk

setup() {
	requires auxbpf perf jq bpftool e2fsck debugfs
	cd "$BATS_TEST_TMPDIR" || return
	export KILLS=${KILLS:-1000} CUTS=${CUTS:-100}
}

# The index says of a snapshot that it has no samples, as none came between the trigger before and its own.
is_empty() { # directory snapshot
	jq -R --arg name "$2" 'fromjson? | select(.snapshot == $name) | [.cpus[].samples] | add' "$1/index.ndjson" | grep -qx 0
}

# Each snapshot that has a name decodes; those that the index tells of, in whole lines, are in the file names. Lines that tell of
# removals are left out.
snapshots_are_whole() { # directory
	local snapshot
	for snapshot in "$1"/*.data; do
		[ -e "$snapshot" ] || break
		perf script -i "$snapshot" >samples 2>perf.said || { cat perf.said; return 1; }
		[ -s samples ] || is_empty "$1" "${snapshot##*/}" || { echo "no samples in $snapshot"; return 1; }
	done
	[ ! -e "$1/index.ndjson" ] || jq -R 'fromjson? | .snapshot // empty' "$1/index.ndjson" >names
}

# Lists what recorders have left, on the machine and in the kernel.
left() {
	pgrep -x 'auxbpf|auxbpf-files' || true
	bpftool prog list | grep -E 'name on_(switch|sys_enter|exit|end)' || true
}

nothing_left() {
	[ -z "$(left)" ]
}

# The target goes on all the time. Every other recorder is killed at a moment since it was armed, however long its start takes, the
# others at one since they began. A line of the index that a kill cut off is a line of its own.
@test "SIGKILL at $KILLS random moments: snapshots are whole, the target goes on, and nothing is left" {
	# shellcheck disable=SC2016 # for the shell that runs
	bash -c 'while [ ! -e stop ]; do (exit 3); number=$((number + 1)); done; echo $number >number' 3>&- &
	target=$!
	# shellcheck disable=SC2016
	with_tracefs bash -c 'for i in $(seq "$KILLS"); do
			rm -f one.said
			auxbpf -p "$1" -o out -e cpu-clock -M 64K --cool-down 0 --max-rate 0 --max-snapshots 0 --max-size 4M \
				--snapshot-on "exit code == 3" 2>one.said 3>&- &
			while [ $((i % 2)) -eq 1 ] && kill -0 $! && ! grep -qs armed one.said; do sleep 0.01; done
			sleep "0.$(printf %03d $((RANDOM % 600)))"
			kill -KILL $!
			wait $!
			echo $? >>statuses
			cat one.said >>said
		done
		auxbpf -p "$1" -o out -e cpu-clock -M 64K --max-size 4M --max-time 1s --snapshot-on end' - "$target" 2>last.said
	touch stop
	wait "$target"
	tail -n 3 said last.said
	[ "$(grep -c '^137$' statuses)" -eq "$KILLS" ]
	[ "$(<number)" -gt "$KILLS" ]
	# Some were killed before they had a snapshot, some while they wrote their tenth.
	[ "$(grep -c 'samples, exit code == 3$' said)" -gt $((KILLS / 10)) ]
	snapshots_are_whole out
	# The index loses its oldest lines past a 16th of --max-size.
	[ "$(wc -l <names)" -gt $((KILLS < 4000 ? KILLS / 10 : 400)) ]
	find out -maxdepth 1 -name '.*' ! -name . | nothing
	[ "$(du -sk out | cut -f 1)" -le $((4096 + $(stat -c %s out/index.ndjson) / 1024 + 64)) ]
	# It goes a moment later. Recorders of other tests come and go, too.
	wait_until nothing_left || { left; return 1; }
}

# For a traced script: the recorder stands still at a moment of its writing. To sync another file has the names written that
# are not waited for, and not their bytes; the disk is copied when it does not change any more.
export CUT_POWER='
	cut_power() { # number
		sleep "0.$(printf %04d $((RANDOM % 400)))"
		kill -STOP $PPID
		touch disk/other$1
		sync disk/other$1
		until cp --sparse=always image cut && cp --sparse=always image again && cmp -s cut again; do sleep 0.1; done
		mv cut cut$1
		[ -e disk/out/index.ndjson ] && wc -l <disk/out/index.ndjson >lines$1
		kill -CONT $PPID
	}'

@test "power cut at $CUTS random moments: snapshots with a name are whole, and all that the index has are there" {
	cat >script <<-'END'
		eval "$CUT_POWER"
		for i in $(seq "$CUTS"); do
			(exit 3)
			(exit 3)
			cut_power $i
		done
	END
	export -f with_tracefs
	on_disk 64 bash -c 'with_tracefs auxbpf -o disk/out -e cpu-clock -M 64K --min-free 0 --max-size 16M --cool-down 0 --max-rate 0 \
		--max-snapshots 0 --snapshot-on "exit code == 3" -- bash script 2>said'
	tail -n 3 said
	[ "$(<status)" -eq 0 ]
	for i in $(seq "$CUTS"); do
		after_cut "cut$i" "after$i"
		snapshots_are_whole "after$i/out"
		# The oldest are removed, and their lines stay.
		for name in $(tail -n 2 names | jq -r .); do
			[ -d "after$i/out/$name" ]
		done
		rm -r "after$i" "cut$i"
	done
	# Most of them at a moment at which something had been written.
	[ "$(cat lines* | awk '$1 > 0' | wc -l)" -gt $((CUTS / 2)) ]
}
