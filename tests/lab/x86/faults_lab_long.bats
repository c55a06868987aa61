#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=long
#
# As faults_long.bats, of captures and full traces: system calls of auxbpf are made to fail one by one, in the lab, where there
# is a trace unit. One boot; each test looks at what became of one kind of session.

load ../../lib/helpers
load ../../lib/faults

# errno and calls
CALLS=(
	"EMFILE openat pipe2 epoll_create1 timerfd_create pidfd_open perf_event_open bpf memfd_create"
	"ENOMEM mmap ioctl mremap clone3 poll"
	"EIO read pread64 fsync fstatfs copy_file_range"
	"ENOSPC pwrite64 write ftruncate linkat mkdirat renameat"
	"EINTR poll epoll_wait wait4 read write futex"
)

# One run with its fault, in the directory `fault`. The result goes to /out/NAME.runs as a line.
run_once() { # name call errno number options...
	local name=$1 call=$2 error=$3 nr=$4 status=0 perf=none verdict=right
	shift 4
	rm -rf fault
	mkdir fault
	cd fault || return
	timeout -k 1 100 fail_call -l log "$call" "$error" "$nr" auxbpf -o out --on-syscall uname "$@" -- \
		sh -c 'echo >began; uname >/dev/null; echo >ended; exit 3' >stdout 2>said </dev/null || status=$?
	if [ -e out ]; then
		perf=0
		perf script -i out --itrace=be -F ip >branches 2>perf.said || perf=$?
		! grep -q 'trace error' branches perf.said || perf=errors
	fi
	[ "$status" -le 126 ] && [ "$status" -ne 124 ] && [ "$status" -ne 125 ] || verdict="bad status"
	[ ! -e began ] || [ -e ended ] || verdict="the command was harmed"
	[ "$status" -eq 3 ] || [ -s said ] || verdict="no word"
	[ "$status" -ne 3 ] || [ "$perf" != none ] || verdict="no file"
	[ "$perf" = none ] || [ "$perf" = 0 ] || verdict="does not decode"
	[ -z "$(find . -maxdepth 1 -name '.?*')" ] || verdict="something is left"
	# The dynamic linker ends a program before its own code runs, as a rule with a word.
	! grep -q 'error while loading shared libraries' said || verdict=linker
	echo "$call $error $nr: status $status, perf $perf: $verdict" >>"/out/$name.runs"
	case $verdict in right | linker) ;; *) cat said >>"/out/$name.runs" ;; esac
	cd ..
}

sweep() { # name options...
	local name=$1 line error calls call nr all
	shift
	for line in "${CALLS[@]}"; do
		read -r error calls <<<"$line"
		for call in $calls; do
			run_once "$name" "$call" "$error" 0 "$@"
			all=$(sed -n 's/ calls$//p' fault/log)
			for nr in $(positions "$all" "$PLACES"); do run_once "$name" "$call" "$error" "$nr" "$@"; done
		done
		echo "$name: $error ($SECONDS s)"
	done
}

sweep_all() {
	cd /tmp || return
	sweep capture
	sweep stream --stream
}

setup_file() {
	requires build/trace-unit/pt.so auxbpf build/tests/fail_call scripts/lab
	export PLACES=${PLACES:-4}
	record_in_lab --timeout 3600 CALLS PLACES positions run_once sweep sweep_all
}

# Some faults end auxbpf, which says why, and some do not.
is_well() { # name
	cat "$DIR/$1.runs"
	[ "$(grep -c ': status ' "$DIR/$1.runs")" -gt 50 ]
	[ "$(grep -c ': status 1, perf none: right$' "$DIR/$1.runs")" -ge 5 ]
	[ "$(grep -c ': status 3, perf 0: right$' "$DIR/$1.runs")" -gt 20 ]
	grep ': status ' "$DIR/$1.runs" | grep -vE ': (right|linker)$' | nothing
}

@test "a capture" { is_well capture; }
@test "a full trace" { is_well stream; }
