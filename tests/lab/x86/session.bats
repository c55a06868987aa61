#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# How a session begins and ends: exit statuses, signals, processes that are attached to, errors that need a trace PMU to
# be seen, and that nothing is left behind. One boot runs all of it; each test looks at what one part of it left in
# DIR/NAME.{status,stdout,stderr}.

load ../../lib/helpers

LONG="killed stubborn usr2_stream usr2_around late came_stream uid everything only_named nobody"

# What a session could leave in the kernel or in its directory, as text that can be compared.
leftovers() {
	bpftool prog list | grep -c ' name on_s' || true
	find /proc/[0-9]*/fd -lname 'anon_inode:*perf_event*' 2>/dev/null | wc -l
	cat /sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable
	ls -A /tmp/work
}

# Notes what is left, and tells whether that is what there was before.
nothing_left_after() { # name
	leftovers >"/out/leftovers.$1"
	cmp -s /out/leftovers.before "/out/leftovers.$1"
}

# The kernel frees programs, and a guard puts settings back, a moment after the end.
leftovers_after() { # name
	wait_until nothing_left_after "$1"
}

trace() { # name auxbpf's arguments...
	local name=$1
	shift
	part "$name" auxbpf --on-syscall uname,clock_nanosleep -o "/out/$name.data" "$@"
}

run_statuses() {
	trace status3 -- sh -c 'uname; exit 3'
	trace killed -- sh -c 'kill -9 $$'
	printf '#!/no/such/interpreter\n' >/tmp/bad-interpreter
	printf 'uname\n' >/tmp/no-interpreter
	chmod +x /tmp/bad-interpreter /tmp/no-interpreter
	trace bad_interpreter -- /tmp/bad-interpreter
	trace no_interpreter -- /tmp/no-interpreter
	trace quiet -q -- uname
	echo hello | auxbpf -q --on-syscall uname -o /out/stdin.data -- cat >/out/stdin.stdout
	cp -r /out/status3.data /tmp/work/again.data
	part again auxbpf --on-syscall uname -o /tmp/work/again.data -- true
	ls /tmp/work >/out/again.files
	rm -rf /tmp/work/*
	part no_directory auxbpf --on-syscall uname -o /no/such/directory/x.data -- touch /out/no_directory.ran
}

run_signals() {
	# The command ends at the signal that is passed on; a second signal ends auxbpf at once.
	trace interrupted -- sh -c 'touch /tmp/running1; exec sleep 100' &
	wait_for /tmp/running1
	pkill -INT -x auxbpf
	wait $!
	! left_out stubborn || return 0
	trace stubborn -- sh -c 'trap "" INT; touch /tmp/running2; sleep 1000; :' &
	wait_for /tmp/running2
	pkill -INT -x auxbpf
	wait_for /out/stubborn.data
	pkill -INT -x auxbpf
	wait $!
	pgrep -x sleep >/out/stubborn.still-runs
	pkill -x sleep
}

# SIGUSR2 while a capture runs, and, as strace sends it, before it is armed and while it is written. It is a recorder's
# signal.
run_usr2() {
	local mode options=() masks='grep -E "^Sig(Blk|Ign)" /proc/self/status'
	for mode in capture stream; do
		[ $mode = capture ] || options=(--stream)
		trace usr2_$mode "${options[@]}" -- sh -c "uname; kill -USR2 \$PPID; sleep 0.2; uname; $masks"
	done
	part usr2_around strace -o /dev/null -e trace=bpf,linkat -e inject=bpf:signal=SIGUSR2:when=1 \
		-e inject=linkat:signal=SIGUSR2:when=1 auxbpf --on-syscall uname -o /out/usr2_around.data -- uname
	sh -c "$masks" >/out/usr2.wanted
}

# With less room for open files than a session needs, hard limit and all.
run_files() {
	# shellcheck disable=SC2016 # for sh
	part files prlimit --nofile=32:32 auxbpf --on-syscall uname -o /out/files.data -- sh -c 'uname; echo $(ulimit -Sn):$(ulimit -Hn)'
	part files_refused setpriv --bounding-set -sys_resource prlimit --nofile=32:32 auxbpf --on-syscall uname -o /tmp/work/x.data -- true
}

await_tracing() { # name
	wait_until grep -qs tracing "/out/$1.stderr"
}

run_attach() {
	local target
	syscall_cases sleep 1000000 &
	target=$!
	(await_tracing attached; sleep 5; kill $target) &
	trace attached -p $target
	wait
	local gone=$target
	sh -c 'while [ ! -e /tmp/go ]; do sleep 0.2; done; (sleep 2; uname >/tmp/child-ran) & exit' &
	target=$!
	(await_tracing attached_child; touch /tmp/go) &
	trace attached_child -p $target
	[ ! -e /tmp/child-ran ] || touch /out/attached_child.ran
	trace gone -p $gone
	trace gone_too -p 999999
}

run_busy() {
	perf record -o /tmp/busy.data -e intel_pt// -a -- sh -c 'touch /tmp/running3; exec sleep 100' 2>/dev/null &
	wait_for /tmp/running3
	trace busy -- true
	pkill -x sleep
	wait
}

run_errors() {
	part no_btf unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/btf
		exec auxbpf --on-syscall uname -o /tmp/work/x.data -- uname'
	part not_root setpriv --reuid 1000 --clear-groups auxbpf --on-syscall uname -o /tmp/work/x.data -- uname
	part no_rawio setpriv --bounding-set -sys_rawio auxbpf --on-syscall uname -o /tmp/work/x.data -- uname
	part no_tracefs unshare --mount sh -c 'umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug
		exec auxbpf --control tracepoint --on-syscall uname -o /tmp/work/x.data -- uname'
	part no_thread auxbpf --on-syscall uname -t 999999 -o /tmp/work/x.data
	part no_cpu auxbpf --on-syscall uname -C 0,77 -o /tmp/work/x.data -- touch /out/no_cpu.ran
	part no_cgroup auxbpf --on-syscall uname --cgroup /no/such/group -o /tmp/work/x.data -- touch /out/no_cgroup.ran
	part bad_value auxbpf --on-syscall uname -e intel_pt/psb_period=15/ -o /tmp/work/x.data -- uname
}

# Who is followed, and how long -a lasts.
run_followed() {
	trace followed -- sh -c 'uname; :'
	trace not_followed --no-follow -- sh -c 'uname; :'
	trace everything -a -- sh -c 'uname; :'
	trace only_named --comm 'una*' -- sh -c 'uname; sleep 0.01; :'
	trace nobody -u nobody -- sh -c 'uname; :'
}

# Killed while it runs, and while it writes.
run_killed() {
	for delay in $(quick_or "0.5 2" "0 0.2 0.5 1 2 3"); do
		(cd /tmp/work && exec auxbpf --on-syscall uname -o killed.data -- sleep 1 2>/dev/null) &
		sleep "$delay"
		kill -KILL $!
		wait $! 2>/dev/null || true
		[ -e /tmp/work/killed.data ] && rm -rf /tmp/work/killed.data
	done
	pkill -x sleep || true
}

# Overlayfs opens the file below with the rights of who mounted it.
run_uid() {
	local options=(--on-function security_file_open --comm cat -a)
	! left_out uid || return 0
	stat -f -c %T / >/out/root.type
	part uid_any auxbpf "${options[@]}" -o /tmp/work/x.data -- setpriv --reuid nobody --clear-groups cat /etc/hostname
	part uid_nobody auxbpf "${options[@]}" --uid nobody -o /tmp/work/x.data -- \
		setpriv --reuid nobody --clear-groups cat /etc/hostname
	rm -rf /tmp/work/*
}

# All targets go on, and each step of the end takes a while.
run_ending() {
	local cpu pids=()
	for cpu in 0 1; do
		taskset -c $cpu calls 1000000000 &
		pids+=($!)
	done
	part ending strace -f --seccomp-bpf -o /dev/null -e trace=ioctl -e inject=ioctl:delay_exit=100000 \
		auxbpf -v -a --comm calls --on-syscall getsid,nanosleep -o /out/ending.data -- sleep 1
	kill "${pids[@]}"
	wait "${pids[@]}"
}

# The CPU on which the targets go on has been offline.
# shellcheck disable=SC2016 # for sh
run_offline() {
	trace offline -- taskset -c 0 sh -c 'for state in 0 1; do
			echo $state >/sys/devices/system/cpu/cpu1/online
		done
		exec taskset -c 1 uname'
}

# The CPU on which the targets go on comes online when all is armed.
# shellcheck disable=SC2016 # for sh
run_late() {
	! left_out late || return 0
	echo 0 >/sys/devices/system/cpu/cpu1/online
	part late auxbpf --on-syscall clock_nanosleep,uname -o /out/late.data -- taskset -c 0 sh -c '
		echo 1 >/sys/devices/system/cpu/cpu1/online
		sleep 2 &
		until grep -q "^230 " /proc/$!/syscall; do :; done
		taskset -cp 1 $!
		wait
		exec taskset -c 1 uname'
}

# A program that began on a CPU that is not traced.
# shellcheck disable=SC2016 # for sh
run_came() {
	local program='taskset -cp 1 $$; i=0; while [ $i -lt 100 ]; do i=$((i + 1)); done'
	part came auxbpf -C 1 --on-cpu --archive -e intel_pt//u -o /out/came -- taskset -c 0 sh -c "$program"
	part came_stream auxbpf --stream -C 1 --on-cpu --archive -e intel_pt//u -o /out/came_stream -- taskset -c 0 sh -c "$program"
}

run_all() {
	set +e
	mkdir /tmp/work
	echo 0 >/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable
	leftovers >/out/leftovers.before
	run_statuses
	run_signals
	run_usr2
	run_files
	run_ending
	run_offline
	run_late
	run_came
	run_attach
	run_busy
	run_errors
	run_uid
	run_followed
	leftovers_after errors
	run_killed
	leftovers_after killed
	echo 1 >/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable
	trace printk_on -- uname
	cat /sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable >/out/printk_on.after
}

setup_file() {
	requires build/trace-unit/pt.so syscall_cases calls scripts/lab auxbpf
	record_in_lab leftovers nothing_left_after leftovers_after part trace await_tracing run_statuses run_signals run_usr2 run_files run_ending run_offline run_late \
		run_came run_attach run_busy run_errors run_uid run_followed run_killed run_all
}

@test "the exit status is the command's" {
	ended status3 3 "written to /out/status3.data"
	left_out killed || ended killed 137 "written to /out/killed.data"
}

@test "a script without an interpreter runs in the shell, one with a missing interpreter is an error" {
	ended no_interpreter 0 "written to"
	[ "$(<"$DIR/no_interpreter.stdout")" = Linux ]
	ended bad_interpreter 126 "cannot run '/tmp/bad-interpreter': the interpreter that it names"
	[ ! -e "$DIR/bad_interpreter.data" ]
}

@test "stdin and stdout are the command's; -q says nothing" {
	ended quiet 0
	[ "$(<"$DIR/quiet.stdout")" = Linux ]
	[ -z "$(<"$DIR/quiet.stderr")" ]
	[ "$(<"$DIR/stdin.stdout")" = hello ]
}

@test "files are for their owner alone" {
	[ "$(stat -c %a "$DIR/status3.data")" = 700 ]
	[ "$(stat -c %a "$DIR/status3.data/data")" = 600 ]
}

@test "a file that is there becomes FILE.old" {
	ended again 0 "written to /tmp/work/again.data"
	[ "$(<"$DIR/again.files")" = $'again.data\nagain.data.old' ]
}

@test "an output directory that is not there is an error before the command runs" {
	ended no_directory 1 "/no/such/directory"
	[ ! -e "$DIR/no_directory.ran" ]
}

@test "SIGINT ends the capture and is passed on to the command" {
	ended interrupted 130 "written to /out/interrupted.data"
	[ -e "$DIR/interrupted.data/data" ]
}

# bats test_tags=long
@test "a second SIGINT ends auxbpf at once, the command goes on" {
	ended stubborn 130 "written to /out/stubborn.data"
	[ -s "$DIR/stubborn.still-runs" ]
}

@test "SIGUSR2 ends no capture: it is ignored, and that is said" {
	for mode in capture stream; do
		! left_out usr2_$mode || continue
		ended usr2_$mode 0 "SIGUSR2 is ignored: " "3 windows on CPU"
		[ "$(tail -n 2 "$DIR/usr2_$mode.stdout")" = "$(<"$DIR/usr2.wanted")" ]
	done
	! left_out usr2_around || return 0
	ended usr2_around 0 "1 window on CPU"
	[ "$(grep -c 'SIGUSR2 is ignored: ' "$DIR/usr2_around.stderr")" -eq 2 ]
}

@test "the limit of open files is no limit of the session's, and the command's as before" {
	ended files 0 "1 window on CPU"
	[ "$(tail -n 1 "$DIR/files.stdout")" = 32:32 ]
	ended files_refused 1 "no more than 32 files can be open, and " "raise the limit"
}

@test "what the targets do after the end of the capture is no loss" {
	ended ending 0 "windows on CPU 0,1"
	# Records that a machine with other work loses are from before the end, and not what this is about.
	grep warning: "$DIR/ending.stderr" | grep -vE 'CPU [01]: the kernel lost [0-9]+ records of tasks|have mapped more than there is room and time for' | nothing
}

@test "a CPU that was offline meanwhile has no trace: that is said" {
	ended offline 0 "warning: CPU 1: the kernel refused " "was its buffer full or the CPU offline meanwhile?"
}

# bats test_tags=long
@test "a CPU that comes online later has no trace: what is missing is said" {
	ended late 0 "warning: CPU 1: 1 windows were cut" "warning: CPU 1: 1 window began there and is not in the trace"
}

@test "-C: a program that began on another CPU decodes" {
	for name in came came_stream; do
		! left_out $name || continue
		ended "$name" 0 " on CPU 1, "
		decode_branches "$DIR" "$name"
		[ "$(wc -l <"$DIR/$name.branches")" -gt 1000 ]
		[ "$(grep -c 'instruction trace error' "$DIR/$name.branches")" -eq 0 ]
	done
}

@test "-p: traces a running process until it ends" {
	ended attached 0 "written to /out/attached.data"
	[[ $(<"$DIR/attached.stderr") =~ \ [1-9][0-9]*\ windows?\ on\ CPU ]]
	ended gone 1 "cannot trace process"
	ended gone_too 1 "cannot trace process 999999: No such process"
}

@test "-p: goes on while children of the processes live" {
	ended attached_child 0 "written to /out/attached_child.data"
	[ -e "$DIR/attached_child.ran" ]
}

@test "children are followed, unless --no-follow; kinds of targets must all match" {
	ended followed 0 "1 window on"
	ended not_followed 0 "no window"
	! left_out everything || return 0
	[[ $(<"$DIR/everything.stderr") =~ \ [1-9][0-9]*\ windows?\ on\ CPU ]]
	ended only_named 0 "1 window on"
	ended nobody 0 "no window"
}

@test "a thread, a CPU or a cgroup that is not there is an error before the command runs" {
	ended no_thread 1 "cannot trace thread 999999: No such process"
	ended no_cpu 1 "-C: CPU 77 is not online"
	[ ! -e "$DIR/no_cpu.ran" ]
	ended no_cgroup 1 "no cgroup '/no/such/group'"
	[ ! -e "$DIR/no_cgroup.ran" ]
}

# bats test_tags=long
@test "--uid: a task on overlayfs is its user's all the time" {
	local text
	ended uid_any 0 "windows on CPU"
	text=${output#auxbpf: }
	ended uid_nobody 0 "${text%% windows*} windows on CPU"
	[ "$(<"$DIR/root.type")" = overlayfs ]
}

@test "a PMU that is busy: says who holds it and what to do" {
	ended busy 1 "intel_pt is busy on CPU 0: held by perf (pid "
	ended busy 1 "); end that one"
}

@test "a kernel without BTF" {
	ended no_btf 1 "this kernel has no BTF (/sys/kernel/btf/vmlinux)"
}

@test "not root: which capabilities are missing" {
	ended not_root 1 "CAP_SYS_ADMIN is missing"
	[[ $(<"$DIR/not_root.stderr") == *"run as root"* ]]
	ended no_rawio 1 "CAP_SYS_RAWIO is missing (/proc/kcore"
}

@test "tracefs that is not mounted" {
	ended no_tracefs 1 "mount -t tracefs"
}

@test "a term that the hardware does not have" {
	ended bad_value 1 "the kernel does not take the event intel_pt/psb_period=15/"
}

@test "nothing is left behind, by errors, signals or SIGKILL" {
	cat "$DIR"/leftovers.*
	cmp "$DIR/leftovers.before" "$DIR/leftovers.errors"
	cmp "$DIR/leftovers.before" "$DIR/leftovers.killed"
}

@test "what was switched on in ftrace stays on" {
	ended printk_on 0
	[ "$(<"$DIR/printk_on.after")" = 1 ]
}
