#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# --archive, on this machine's own kernel: what is kept with a capture of regular events, and that it is enough when the
# programs are gone.

load ../lib/helpers

# A program that is deleted before the end, between two snapshots, and one that runs in both.
setup_file() {
	requires auxbpf perf sample_cases calls
	cd "$BATS_FILE_TMPDIR" || return
	cp "$AUXBPF_ROOT/build/tests/sample_cases" "$AUXBPF_ROOT/build/tests/calls" .
	cp sample_cases brief
	# For a traced script: waits until auxbpf has the program open, for a minute at most.
	cat >opened <<-'END'
		for i in $(seq 600); do
			[ -z "$(find "/proc/$1/fd" -lname '*/brief')" ] || break
			sleep 0.1
		done
	END
	cat >commands <<-'END'
		./calls 1
		./brief 200
		sh opened $PPID
		rm brief
		kill -USR2 $PPID
		until [ -s out/index.ndjson ]; do sleep 0.1; done
		./sample_cases 200
		:
	END
	with_tracefs auxbpf -o out -e cpu-clock:u --lookback all --archive --snapshot-on end -- bash commands >said 2>&1
	with_tracefs auxbpf -o plain -e cpu-clock:u --lookback all --snapshot-on end -- ./sample_cases 200 >>said 2>&1 || true
	mkdir home elsewhere
	cp sample_cases brief
	# shellcheck disable=SC2016 # for the shell that is traced
	HOME=$PWD/home with_tracefs auxbpf -o cached -e cpu-clock:u --buildid-cache --snapshot-on end -- \
		bash -c './brief 200; sh opened $PPID; rm brief' >>said 2>&1
	with_tracefs auxbpf -o kernel -e cpu-clock:k --archive --snapshot-on end -- ./calls 1000 >>said 2>&1
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	cat said
	mapfile -t all < <(find out -name '*.data' | sort)
}

id_of() { # file
	perf buildid-list -i "$1"
}

# Where the copy of a file is in a capture.
copy_of() { # capture file
	local id
	id=$(id_of "$2")
	echo "$1/debug/.build-id/${id:0:2}/${id:2}/elf"
}

# No process of the same number as one of the capture leads perf to a root of its own.
perf_script() { # perf's arguments...
	unshare --pid --fork --mount-proc perf "$@"
}

@test "functions of a program that was deleted have their names" {
	[ ! -e brief ]
	perf_script --buildid-dir "${all[0]}/debug" script -i "${all[0]}" -F comm,ip,sym,dso >symbols
	[ "$(grep -c 'burn_outside .*/brief' symbols)" -ge 10 ]
	grep '\[unknown\] .*/brief' symbols | nothing
	# Without the copies there are none: it is these that were looked at.
	perf_script script -i "${all[0]}" -F comm,ip,sym,dso >unknown
	[ "$(grep -c '\[unknown\] .*/brief' unknown)" -ge 10 ]
}

@test "the copies are the files, under their build ids, and for their owner alone" {
	local copy id
	cmp sample_cases "$(copy_of "${all[0]}" sample_cases)"
	cmp "$(readlink -f /bin/bash)" "$(copy_of "${all[0]}" /bin/bash)"
	[ "$(find "${all[0]}/debug" -type f ! -perm 0400)" = '' ]
	[ "$(find "${all[0]}/debug" -type d ! -perm 0700)" = '' ]
	find "${all[0]}/debug" -type f | while read -r copy; do
		id=$(id_of "$copy")
		[[ $copy == */.build-id/${id:0:2}/${id:2}/* ]] || { echo "$copy has the id $id"; return 1; }
	done
	[ "$(find "${all[0]}/debug" -name vdso | wc -l)" -eq 1 ]
}

@test "snapshots share the copies, and each has those of what ran meanwhile" {
	[ "${#all[@]}" -eq 2 ]
	[ "$(copy_of "${all[0]}" /bin/bash)" -ef "$(copy_of "${all[1]}" /bin/bash)" ]
	[ -e "$(copy_of "${all[0]}" calls)" ]
	[ ! -e "$(copy_of "${all[1]}" calls)" ]
	perf_script --buildid-dir "${all[1]}/debug" script -i "${all[1]}" -F comm,ip,sym,dso >symbols
	[ "$(grep -c 'burn_outside .*/sample_cases' symbols)" -ge 10 ]
}

@test "--buildid-cache: perf finds them by itself, and packs them for another machine" {
	local capture
	capture=$(find cached -name '*.data')
	[ "$(ls -A "$capture")" = data ]
	HOME=$PWD/home perf_script script -i "$capture" -F comm,ip,sym,dso >symbols
	[ "$(grep -c 'burn_outside .*/brief' symbols)" -ge 10 ]
	HOME=$PWD/home perf buildid-cache --list | grep "^$(id_of /bin/bash) "
	[ "$(find home -type d ! -perm 0700 -path '*/.debug*')" = '' ]
	HOME=$PWD/home must perf archive "$capture"
	mkdir elsewhere/.debug
	tar -xf "$capture".tar.* -C elsewhere/.debug
	HOME=$PWD/elsewhere perf_script script -i "$capture" -F comm,ip,sym,dso >unpacked
	cmp symbols unpacked
	grep -q ' __x64_sys_getsid$' home/.debug/'[kernel.kallsyms]'/*/kallsyms
}

@test "--buildid-cache: links do not lead out of it, and a directory that cannot be made is an error" {
	mkdir -p trap/.debug away
	ln -s "$PWD/away" trap/.debug"$(dirname "$PWD" | cut -d / -f 1-2)"
	HOME=$PWD/trap with_tracefs auxbpf -o trapped -e cpu-clock:u --buildid-cache --snapshot-on end -- ./sample_cases 20 >said 2>&1 || true
	grep 'are not in the build-id cache' said
	[ -z "$(find away -mindepth 1)" ]
	logged with_tracefs auxbpf -o none -e cpu-clock:u --buildid-cache=/no/such/directory -- true
	[ "$status" -eq 1 ]
	has "cannot open the build-id cache /no/such/directory: No such file or directory"
	logged with_tracefs env -u HOME auxbpf -e cpu-clock:u --buildid-cache -- true
	[ "$status" -eq 2 ]
	has "--buildid-cache: name a directory"
}

@test "without it there are none, and of the kernel alone there are its symbols" {
	[ "$(ls -A "$(find plain -name '*.data')")" = data ]
	kernel=$(find kernel -name '*.data')
	[ ! -e "$kernel/debug" ]
	cmp <(cut -d ' ' -f 3 "$kernel/kcore_dir/kallsyms" | grep -x __x64_sys_getsid) <(echo __x64_sys_getsid)
	grep -q . "$kernel/kcore_dir/modules" || [ ! -s /proc/modules ]
}

# Programs of build ids of their own, as a service that may not raise its limit sees them.
make_programs() { # number
	local i
	for i in $(seq "$1"); do
		printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0%20d' "$i" >note
		objcopy --update-section .note.gnu.build-id=note /bin/true "many/$i"
	done
}

@test "where few files can be open, programs are left out and counted, and no snapshot is lost" {
	requires prlimit setpriv objcopy
	mkdir many
	make_programs 300
	logged with_tracefs prlimit --nofile=700:700 setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
		auxbpf -o few -e sched:sched_process_exec --archive --cool-down 0 --max-rate 0 --lookback all \
		--snapshot-on 'exec comm == 300' --snapshot-on end -- sh -c 'for i in many/*; do $i; done; many/300'
	[ "$status" -eq 0 ]
	has "3 snapshots in few, of 3 triggers seen; 0 missed"
	has "were not copied"
}
