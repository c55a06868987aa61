#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The calls that `auxbpf report` shows of a trace of 64-bit Arm are those that ran, by the oracle.

load ../../lib/helpers
load ../../lib/report

LONG="signal"

# name, phase of the oracle's log, its threads' names, options, command
CASES=(
	"windows 40 sh,ls,sleep,cat,wc --on-syscall openat,read,write,newfstatat,mmap,clock_nanosleep -- sh pipeline"
	"longjmp 41 function_cases --archive -e cs_etm// --on-cpu -- function_cases longjmp"
	"signal 42 function_cases --archive -e cs_etm// --on-cpu -- function_cases signal"
)

capture_all() {
	record_cases
	part moved auxbpf -o /out/moved --on-syscall clock_nanosleep -- syscall_cases migrate
}

setup_file() {
	requires build-aarch64/auxbpf build-aarch64/tests/syscall_cases build-aarch64/tests/function_cases build-aarch64/tests/burn \
		build/trace-unit/ete.so oracle-check scripts/lab auxbpf jq
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab --oracle CASES part record_cases capture_all
}

@test "windows in system calls, over waits and switches" { shows_what_ran windows 30000 --etm; }
@test "user mode and the kernel, and calls that longjmp leaves" { shows_what_ran longjmp 10000 --etm; }
@test "time off the CPU and a move to another one" {
	ended moved 0
	shows_time_off moved
}
# bats test_tags=long
@test "handlers of signals" { shows_what_ran signal 5000 --etm; }
