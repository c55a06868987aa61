#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The directory of the snapshots, on this machine's own kernel with regular events: what it may take, whose it may be, and
# what is in it after bad luck.

load ../lib/helpers
load ../lib/disk

setup() {
	requires auxbpf findmnt perf jq python3 strace
	cd "$BATS_TEST_TMPDIR"
}

# auxbpf in the background of a script, its messages in the file `said`.
recorder() { # options...
	with_tracefs auxbpf "$@" 2>said
}

# For a traced script: waits until the recorder has said that, or until so many snapshots are in the index, for two minutes
# at most.
export WAIT='
	said() { for try in $(seq 1200); do ! grep -q -- "$1" said || return 0; sleep 0.1; done; echo "not said: $1" >>said; exit 1; }
	taken() { for try in $(seq 1200); do [ "$(cat out/index.ndjson 2>/dev/null | grep -c \"snapshot\")" -lt "$1" ] || return 0; sleep 0.1; done; exit 1; }'

# What a directory takes on the disk, bytes.
taken_by() { # directory
	du -s -B1 "$1" | cut -f 1
}

# For a traced script: so many page faults, each of which is a sample of more than 50 bytes. Other samples are none of its.
FAULTS='import mmap, sys
m = mmap.mmap(-1, 1000 * 4096)
m.madvise(mmap.MADV_NOHUGEPAGE)
for i in range(int(sys.argv[1]) // 1000):
    m.madvise(mmap.MADV_DONTNEED)
    for at in range(0, len(m), 4096):
        m[at] = 1'
export FAULTS

@test "one snapshot that is larger than all may be is left out, and said; the next ones are taken" {
	cat >script <<-'END'
		eval "$WAIT"
		python3 -c "$FAULTS" 150000
		(exit 3)
		said 'is left out: the directory is full (--max-size is 6144 KiB)'
		for i in 1 2; do
			(exit 3)
			taken $i
		done
		:
	END
	recorder -o out --on-cpu -e page-faults/period=1/u -M 8M --scope all --lookback all --max-size 6M --min-free 0 --cool-down 0 \
		--snapshot-on 'exit code == 3' -- sh script || true
	cat said
	grep -F 'exit code == 3: seen 3 times, 2 snapshots, missed 0; left out: 1 (the directory is full)' said
	[ "$(jq -s length out/index.ndjson)" -eq 2 ]
	[ "$(taken_by out)" -le 6291456 ]
}

@test "the copies of the kernel's symbols count before the first snapshot is written" {
	max=$(($(wc -c </proc/kallsyms) / 2))
	recorder -o out -e cpu-clock:k --archive --max-size $max --min-free 0 --snapshot-on end -- true
	cat said
	grep -F 'is left out: the directory is full' said
	[ "$(taken_by out)" -le "$max" ]
	recorder -o out -e cpu-clock:k --archive --max-size $((5 * max)) --min-free 0 --snapshot-on end -- true
	cat said
	[ -s out/*/kcore_dir/kallsyms ]
	[ "$(taken_by out)" -le $((5 * max)) ]
}

@test "--archive: a program with a hole of a terabyte takes as much as its data" {
	requires sample_cases
	cp "$AUXBPF_ROOT/build/tests/sample_cases" sparse
	truncate -s 1T sparse
	export -f recorder with_tracefs
	on_disk 2048 bash -c 'recorder -o disk/out -e cpu-clock:u --lookback all --archive --max-size 0 --min-free 256M --snapshot-on end -- ./sparse 200 || true
		cat said; find disk/out -name elf -size +1G -exec stat -c "%s %b" {} + >copies
		cmp -n "$(stat -c %s "$0")" "$(find disk/out -name elf -size +1G)" sparse' "$AUXBPF_ROOT/build/tests/sample_cases"
	[ "$(<status)" -eq 0 ]
	[ "$(cut -d ' ' -f 1 copies)" -eq $((1 << 40)) ]
	[ "$(cut -d ' ' -f 2 copies)" -le "$(($(stat -c %b "$AUXBPF_ROOT/build/tests/sample_cases") + 8))" ]
	[ "$(<free)" -ge 268435456 ]
}

@test "--archive: a program that is larger than the limits allow is left out, and said; the others are kept" {
	requires sample_cases
	cp "$AUXBPF_ROOT/build/tests/sample_cases" large
	head -c 30000000 /dev/urandom >>large
	max=$(($(wc -c </proc/kallsyms) + 16000000))
	recorder -o out -e cpu-clock:u --lookback all --archive --max-size $max --min-free 0 --snapshot-on end -- ./large 200 || true
	cat said
	grep -E '^auxbpf: warning: [0-9]+ (program or library|programs or libraries) that ran could not be kept: too little room by --max-size or --min-free$' said
	find out -name elf -size +20000k | nothing
	find out -name elf | grep -q .
	# With the directory itself and the last block of the index.
	[ "$(taken_by out)" -le $((max + 8192)) ]
}

@test "--exec is not run for a snapshot that was removed before its turn came" {
	# shellcheck disable=SC2016 # for the shells
	cat >script <<-'END'
		eval "$WAIT"
		for i in 1 2 3 4 5; do
			python3 -c "$FAULTS" 60000
			(exit 3)
			taken $i
		done
		touch go
	END
	# shellcheck disable=SC2016
	recorder -o out --on-cpu -e page-faults/period=1/u -M 8M --scope all --lookback all --max-size 12M --min-free 0 --cool-down 0 \
		--snapshot-on 'exit code == 3' \
		--exec 'until [ -e go ]; do sleep 0.05; done; basename "$AUXBPF_SNAPSHOT" >>got; [ -e "$AUXBPF_SNAPSHOT" ] || echo gone >>missing' -- sh script
	cat said
	kept=$(find out -name '*.data' | wc -l)
	# Four have more than 12 MiB of samples.
	[ "$kept" -le 3 ]
	[ ! -e missing ] || [ "$(wc -l <missing)" -eq 1 ]
	# The first one had it before it was removed.
	[ "$(wc -l <got)" -eq $((kept + 1)) ]
	grep -F "was not run for $((4 - kept)) snapshot" said
}

@test "too little room on the disk is said at once, and that there is room again without a trigger" {
	cat >script <<-'END'
		eval "$WAIT"
		said 'no snapshot is taken until there is more'
		(exit 3)
		rm disk/rest
		said 'there is room for snapshots again'
		sleep 3
		(exit 3)
		taken 1
	END
	ln -s disk/out out
	export -f recorder with_tracefs
	on_disk 256 bash -c 'fallocate -l 128M disk/rest
		recorder -o disk/out -e cpu-clock --min-free 128M --cool-down 0 --snapshot-on "exit code == 3" -- sh script; cat said; jq -s length out/index.ndjson >nr'
	# Before a trigger could be missed.
	[ "$(grep -n 'until there is more' said | cut -d : -f 1)" -lt "$(grep -n 'auxbpf: armed' said | cut -d : -f 1)" ]
	[ "$(<nr)" -eq 1 ]
	grep -F 'exit code == 3: seen 2 times, 1 snapshot, missed 0; left out: 1 (too little room on the disk)' said
}

@test "a directory and an index that go away meanwhile are made anew, and --exec gets paths that hold" {
	cat >script <<-'END'
		eval "$WAIT"
		for i in 1 2; do
			(exit 3)
			taken $i
		done
		mv out moved
		(exit 3)
		taken 1
		rm out/index.ndjson
		(exit 3)
		taken 1
		touch go
	END
	# shellcheck disable=SC2016 # for the shell that auxbpf runs
	recorder -o out -e cpu-clock -M 64K --cool-down 0 --snapshot-on 'exit code == 3' \
		--exec 'until [ -e go ]; do sleep 0.05; done; test -s "$AUXBPF_SNAPSHOT/data" && echo "$AUXBPF_SNAPSHOT" >>got' -- sh script
	cat said
	grep -F 'the directory out was renamed or removed: it is made anew' said
	grep -F 'out/index.ndjson was removed or renamed: it is made anew' said
	[ "$(stat -c %a out moved)" = $'700\n700' ]
	[ "$(wc -l <got)" -eq 3 ]
	# The first one had its path before the directory got another name.
	[ "$(head -n 1 got)" = "$(find "$PWD/moved" -name '*.data' | sort | tail -n 1)" ]
	[ "$(tail -n 2 got)" = "$(find "$PWD/out" -name '*.data' | sort)" ]
}

# Four snapshots, and after each of them, and a command of the script, the power is cut: the disk's image is what is left. A line of
# the index can be read before it is on the disk; --exec comes after that.
survive_power_cuts() { # command
	requires e2fsck debugfs
	cat >script <<-END
		eval "\$WAIT"
		for i in 1 2 3 4; do
			(exit 3)
			taken \$i
			for try in \$(seq 1200); do [ "\$(cat synced 2>/dev/null | wc -l)" -lt \$i ] || break; sleep 0.1; done
			$1
			cp --sparse=always image cut\$i
		done
	END
	ln -s disk/out out
	export -f recorder with_tracefs
	on_disk 64 bash -c 'recorder -o disk/out -e cpu-clock -M 64K --min-free 0 --cool-down 0 --snapshot-on "exit code == 3" \
		--exec "echo >>synced" -- sh script; cat said'
	[ -e cut4 ]
	for i in 1 2 3 4; do
		after_cut cut$i after$i
		[ "$(jq -r .snapshot after$i/out/index.ndjson | wc -l)" -eq $i ]
		for name in $(jq -r .snapshot after$i/out/index.ndjson); do
			[ -d "after$i/out/$name" ]
		done
		for snapshot in after$i/out/*.data; do
			perf script -i "$snapshot" >samples
			[ -s samples ]
		done
	done
}

# To sync another file of the disk has its names written, and not the text of others.
@test "a snapshot that has a name, or a line in the index, is whole after a power cut" {
	# shellcheck disable=SC2016 # for the script
	survive_power_cuts 'touch disk/other$i; sync disk/other$i'
}

# Without a journal, in which ext4 has all names as soon as anything is synced, nothing is on the disk but what was waited for.
@test "likewise on a file system that writes no name unless its directory is synced" { DISK_TYPE=ext2 survive_power_cuts :; }

# Killed at the first of its calls that remove something, at the second, and so on, until no more than one snapshot is removed.
@test "a snapshot that is being removed as the recorder is killed has no name any more" {
	requires strace
	cat >script <<-'END'
		for i in 1 2 3 4 5 6; do
			(exit 3)
			while [ "$(cat out/index.ndjson 2>/dev/null | grep -c '"snapshot"')" -lt $i ]; do
				kill -0 $PPID && [ "$((tries += 1))" -lt 2400 ] || exit
				sleep 0.05
			done
		done
	END
	for n in {1..9}; do
		rm -rf out
		with_tracefs strace -f -o /dev/null -e trace=unlinkat -e inject=unlinkat:signal=KILL:when=$n \
			auxbpf -o out -e cpu-clock -M 64K --min-free 0 --max-size 600K --cool-down 0 --max-rate 0 --snapshot-on 'exit code == 3' -- \
			sh script 2>said || true
		# All may be on their way out: on a loaded machine the samples of one fill the directory.
		for snapshot in out/*.data; do [ ! -e "$snapshot" ] || [ -s "$snapshot/data" ]; done
		[ -n "$(find out -maxdepth 1 -name '.*.data.*')" ] || continue
		hidden=yes
		with_tracefs auxbpf -o out -e cpu-clock -M 64K --snapshot-on end -- true 2>said
		grep 'which a recorder that was killed has left' said
		find out -maxdepth 1 -name '.*.data.*' | nothing
	done
	[ "$hidden" ]
}

@test "nothing is waited for with --no-sync" {
	requires strace
	recorder -o out -e cpu-clock -M 64K --no-sync --snapshot-on end -- true
	for option in --no-sync -v; do
		with_tracefs strace -f -o "calls$option" -e trace=fsync,fdatasync,sync_file_range auxbpf -o out -e cpu-clock -M 64K $option \
			--snapshot-on end -- true 2>said || { cat said; return 1; }
	done
	# But for a directory that is made there is none.
	grep sync calls--no-sync | nothing
	grep -c fsync calls-v
}

@test "a disk that cannot be written to at the start, or any more: said, what was taken is whole" {
	# shellcheck disable=SC2016
	cat >script <<-'END'
		eval "$WAIT"
		(exit 3)
		taken 1
		device=$(findmnt -n -o SOURCE disk)
		echo 1 >"/sys/fs/ext4/${device#/dev/}/trigger_fs_error"
		(exit 3)
		said 'Read-only file system'
		: >went_on
	END
	# shellcheck disable=SC2016
	on_disk 32 bash -c "$(declare -f with_tracefs)"'
		mkdir disk/out
		mount -o remount,ro disk
		with_tracefs auxbpf -o disk/out -e cpu-clock --snapshot-on end -- touch began 2>refused
		echo "status $?" >>refused
		mount -o remount,rw,errors=remount-ro disk
		ln -s disk/out out
		with_tracefs auxbpf -o disk/out -e cpu-clock -M 64K --min-free 0 --cool-down 0 --max-rate 0 --snapshot-on "exit code == 3" -- bash script 2>said
		echo "status $?" >>said
		cp -r disk/out after'
	cat refused said
	grep -q 'Read-only file system' refused
	grep -q '^status 1$' refused
	[ ! -e began ]
	[ -e went_on ]
	grep -q 'seen 2 times, 1 snapshot, missed 0' said
	grep -q 'exit code == 3: 1 snapshot could not be written' said
	grep -q '^status [^0]' said
	must perf script -i "$(printf '%s\n' after/*.data)" -F comm
	[ -n "$output" ]
	find after -name '.*' ! -name . | nothing
}

# Each call that waits for the disk takes long. What comes meanwhile is missed, and counted; the target does not wait.
@test "a disk that is slow: triggers are taken or counted, and the target goes on" {
	# shellcheck disable=SC2016
	cat >script <<-'END'
		eval "$WAIT"
		for i in $(seq 40); do (exit 3); sleep 0.05; done
		date +%s%N >ended
		taken 1
	END
	# shellcheck disable=SC2016
	with_tracefs strace -f -qq -b execve -o calls -e trace=fsync,linkat,renameat -e inject=fsync,linkat,renameat:delay_enter=500000 \
		auxbpf -o out -e cpu-clock -M 64K --cool-down 0 --max-rate 0 --max-snapshots 0 --snapshot-on 'exit code == 3' -- bash script 2>said
	cat said
	read -r taken missed < <(sed -nE 's/.*seen 40 times, ([0-9]+) snapshots?, missed ([0-9]+).*/\1 \2/p' said)
	[ "$taken" -gt 0 ]
	[ "$missed" -gt 0 ]
	[ $((taken + missed)) -eq 40 ]
	[ "$(jq -s length out/index.ndjson)" -eq "$taken" ]
	[ "$(find out -name '*.data' | wc -l)" -eq "$taken" ]
}
