#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The capture as a file: every reader of perf takes it, this machine's perf too, and it holds the code that ran, whatever
# had changed the kernel's before or during the capture. One boot records everything; each test looks at one capture.

load ../../lib/helpers

# A capture of uname, with what else is on the command line.
capture() { # name command...
	local name=$1
	echo "$name"
	shift
	auxbpf -q --on-syscall uname -o "/out/$name" -- "$@"
}

observe() { # object
	bpftool prog loadall "/src/build/tests/observer_$1.bpf.o" "/sys/fs/bpf/$1" autoattach
}

record_all() {
	local t=/sys/kernel/tracing
	set -e
	mkdir -p /sys/fs/bpf
	mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
	mountpoint -q $t || mount -t tracefs tracefs $t
	capture plain uname

	observe syscall
	observe function
	capture observed uname
	rm -r /sys/fs/bpf/syscall /sys/fs/bpf/function

	capture loaded sh -c "uname; $(declare -f observe); observe syscall; uname"
	rm -r /sys/fs/bpf/syscall

	printf '%s\n' 'p:kprobes/whole override_release' 'p:kprobes/inside override_release+9' \
		'r:kprobes/return override_release' >$t/kprobe_events
	echo 1 >$t/events/kprobes/enable
	capture kprobes uname
	echo 0 >$t/events/kprobes/enable
	echo >$t/kprobe_events

	echo override_release >$t/set_ftrace_filter
	echo function_graph >$t/current_tracer
	capture graph uname
	echo nop >$t/current_tracer
	capture patched sh -c "uname; echo function >$t/current_tracer; uname; echo nop >$t/current_tracer; uname"
}

setup_file() {
	requires build/trace-unit/pt.so build/tests/observer_syscall.bpf.o build/tests/observer_function.bpf.o perf
	record_in_lab capture observe record_all
}

# The lab's perf without a complaint. Its output is in $output.
reads() { # name perf's arguments...
	local name=$1
	shift
	must lab host --out "$DIR" -- sh -c 'perf "$@" 2>/out/complaints' - "$@" -i "/out/$name"
	complaints "$DIR/complaints"
}

complaints() { # file
	if grep -v 'tips.txt' "$1" | grep .; then
		echo "perf complains" >&2
		return 1
	fi
}

no_errors() { # decoded text on stdin
	if grep "instruction trace error"; then
		return 1
	fi
}

# Decoded without an error from the first window to the last, and all of uname(2) in so many of them at least: bpftool
# calls it as well.
decodes() { # name windows
	decode_branches "$DIR" "$1"
	complaints "$DIR/$1.perf"
	no_errors <"$DIR/$1.branches"
	reads "$1" script --itrace=b -F ip,sym,addr
	[ "$(grep -c '=> .* __x64_sys_newuname$' <<<"$output")" -ge "$2" ]
	[ "$(grep -c '=> .* up_read$' <<<"$output")" -ge "$2" ]
}

@test "perf script, report, inject, buildid-list, evlist and report -D read the file" {
	reads plain script --itrace=b
	has "__do_sys_newuname"
	reads plain script --call-trace
	has "override_release"
	reads plain report --stdio --itrace=b
	has "[k] __do_sys_newuname"
	reads plain report --stdio --header-only
	has "cmdline : /src/build/auxbpf -q --on-syscall uname"
	has "contains AUX area data"
	reads plain buildid-list
	has "[kernel.kallsyms]"
	has "/bin/uname"
	reads plain evlist -v
	has "intel_pt//k"
	has "dummy:u"
	reads plain report -D
	local record
	for record in MMAP COMM FORK MMAP2 KSYMBOL BPF_EVENT THREAD_MAP CPU_MAP TIME_CONV ID_INDEX AUXTRACE_INFO \
		FINISHED_INIT ITRACE_START AUX AUXTRACE FINISHED_ROUND; do
		has "PERF_RECORD_$record"
	done
	reads plain inject --itrace=i1us -o /out/injected
	reads injected script
	has "uname"
}

@test "Debian 12's perf reads it too" {
	must sh -c 'perf script --itrace=be -i "$1" 2>"$2"' - "$DIR/plain" "$DIR/complaints"
	complaints "$DIR/complaints"
	has "__do_sys_newuname"
	no_errors <<<"$output"
}

@test "the gate's own code is in it, all functions of it" {
	decodes plain 1
	reads plain script --itrace=b -F ip,sym,addr
	has "_on_sys_enter"
	has "_on_sys_exit"
}

@test "programs and trampolines of others that were there before" {
	decodes observed 1
	reads observed script --itrace=b -F ip,sym,addr
	has "_observer_exit"
	has "_observer_fentry"
	has "_observer_fexit"
	has "_observe"
	has "bpf_trampoline_"
}

@test "programs of others that are loaded during the capture" {
	decodes loaded 2
	reads loaded script --itrace=b -F ip,sym,addr
	has "_observer_enter"
	has "_observe"
}

@test "code that kprobes and ftrace had patched" {
	decodes kprobes 1
	decodes graph 1
}

@test "code that ftrace patches during the capture" {
	decodes patched 3
}
