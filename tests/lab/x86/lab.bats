#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The lab itself. A boot takes some seconds, so each guest here shows several things. Its arguments and cache: lab_script.bats.

setup() {
	cd "$BATS_TEST_DIRNAME/../../.."
	tmp=$BATS_TEST_TMPDIR
}

# Runs the lab with stdout and stderr apart, in $tmp/stdout and $tmp/stderr, and its status in $status.
lab() {
	status=0
	scripts/lab "$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null || status=$?
}

# With the cache there, the lab itself has nothing to say.
run_lab() {
	scripts/lab build 2>/dev/null
	lab run --no-trace-unit "$@"
}

show() {
	echo "status $status"
	head -n 50 "$tmp/stdout" "$tmp/stderr"
	return 1
}

@test "stdout, stderr, status, arguments and environment pass through, /out both ways" {
	mkdir "$tmp/out dir"
	printf 'a\0b' >"$tmp/out dir/in"
	export AUXBPF_TEST=$'two\nlines' LAB_TEST='*' OTHER=secret
	run_lab --out "$tmp/out dir" -- bash -c '
		printf "no newline\0\r\n%s" "$1"
		echo error >&2
		[ "$AUXBPF_TEST $LAB_TEST ${OTHER-none}" = "two"$'\''\n'\''"lines * none" ] || exit 1
		[ "$(pwd)" = /src ] && [ -x scripts/lab ] && [ -z "$(cat)" ] || exit 2
		cmp /out/in <(printf "a\0b") || exit 3
		head -c 3000000 /dev/urandom >/out/random && cat /out/random >&2
		(for i in $(seq 500); do echo "line $i"; done >/out/lines; touch /tmp/written) &
		until [ -e /tmp/written ]; do [ -s /out/lines ]; done
		(trap "" HUP TERM; sleep 1000) &
		exit 77' name "  a  'b' \$c"
	[ "$status" -eq 77 ] || show
	cmp "$tmp/stdout" <(printf "no newline\0\r\n%s" "  a  'b' \$c")
	cmp "$tmp/stderr" <(echo error; cat "$tmp/out dir/random")
	[ "$(stat -c '%U %a %s' "$tmp/out dir/random")" = "root 644 3000000" ]
	cmp "$tmp/out dir/lines" <(seq -f 'line %g' 500)
}

@test "the guest is what the tests need" {
	run_lab --cpus 3 -- bash -c '
		exec 2>&1
		touch /src/file 2>/dev/null && echo "/src is writable"
		[[ $PATH == /src/build:/src/build/tests:* ]] || echo "PATH $PATH"
		[ "$(nproc)" = 3 ] || echo "$(nproc) CPUs"
		[ "$(id -u) $HOME $(hostname)" = "0 /root lab" ] || echo "$(id -u) $HOME $(hostname)"
		[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 3 ] || echo "perf_event_paranoid is not the default"
		[ -d /sys/kernel/tracing/events/syscalls ] || echo "no tracefs"
		[ -r /sys/kernel/btf/vmlinux ] || echo "no BTF"
		[ -e /sys/fs/cgroup/cgroup.procs ] || echo "no cgroup2"
		[ "$(stat -f -c %T /sys/fs/bpf)" = bpf_fs ] || echo "no bpffs"
		mkdir /sys/fs/cgroup/test /sys/kernel/debug/tracing/instances/test || echo "cannot make a cgroup or an instance"
		[[ $(perf --version) == "perf version 7."* ]] || perf --version
		for tool in bpftool strace; do $tool -V >/dev/null || echo "no $tool"; done
		modprobe loop || echo "no modules"
		dmesg | grep -E "BUG:|WARNING:|Oops"
		exit 0'
	[ "$status" -eq 0 ] && [ ! -s "$tmp/stdout" ] && [ ! -s "$tmp/stderr" ] || show
}

@test "a panic is status 125 with the console's tail" {
	run_lab -- bash -c 'echo before; sleep 1; echo c >/proc/sysrq-trigger'
	[ "$status" -eq 125 ] || show
	[ "$(cat "$tmp/stdout")" = before ] || show
	grep -q 'console: .*Kernel panic - not syncing: sysrq triggered crash' "$tmp/stderr" || show
}

@test "a guest that runs too long is status 124; one that goes down by itself is 125" {
	run_lab -- busybox poweroff -f
	[ "$status" -eq 125 ] && grep -q 'went down before COMMAND ended' "$tmp/stderr" || show
	run_lab --timeout 15 -- sleep 1000
	[ "$status" -eq 124 ] && grep -q 'still running after 15 s' "$tmp/stderr" || show
}

# Lists the mounts of this machine, without those that other tests, which run meanwhile, have in their directories.
mounted() {
	awk -v own="$BATS_RUN_TMPDIR/" '$5 !~ "/bats-run-" || index($5, own) == 1' /proc/self/mountinfo
}

@test "two runs at once do not meet; SIGKILL and SIGTERM leave nothing behind" {
	local mounts pid other
	mounts=$(mounted)
	mkdir "$tmp/a"
	scripts/lab run --no-trace-unit --out "$tmp/a" -- bash -c 'touch /out/up; sleep 1000' &
	pid=$!
	scripts/lab run --no-trace-unit -- sleep 1000 &
	other=$!
	run_lab --out "$tmp/b" -- bash -c 'echo b >/out/b; ls /out'
	[ "$status" -eq 0 ] && [ "$(cat "$tmp/stdout")" = b ] || show
	timeout 300 bash -c 'until [ -e "$0/a/up" ]; do sleep 0.2; done' "$tmp"
	local tree
	tree=$(descendants "$pid") other_tree=$(descendants "$other")
	[ "$(wc -w <<<"$tree")" -ge 3 ]
	kill -KILL "$pid"
	kill -TERM "$other"
	run wait "$other"
	timeout 100 bash -c 'for pid; do while [ -e "/proc/$pid" ]; do sleep 0.1; done; done' - $tree $other_tree
	[ "$(mounted)" = "$mounts" ]
}

descendants() { # pid
	local child
	for child in $(cat /proc/"$1"/task/*/children); do
		echo "$child"
		descendants "$child"
	done
}

@test "Debian's 6.12 and 6.1 boot too" {
	local version
	for version in 6.12 6.1; do
		run_lab --kernel "$version" -- uname -r
		[ "$status" -eq 0 ] && [[ $(cat "$tmp/stdout") == "$version".*-amd64 ]] || show
	done
}

@test "lab host runs on this kernel in the guest's root" {
	mkdir "$tmp/out"
	run scripts/lab host --out "$tmp/out" -- bash -c 'uname -r >/out/release; perf --version; pwd; exit 5'
	[ "$status" -eq 5 ]
	[[ ${lines[0]} == "perf version 7."* ]]
	[ "${lines[1]}" = /src ]
	[ "$(cat "$tmp/out/release")" = "$(uname -r)" ]
}

# perf enters the mount namespace of a live process that has the number of one in the file, and finds nothing any more.
@test "lab host: no process of this machine is one of the guest's" {
	sleep 60 3>&- &
	run scripts/lab host -- bash -c '[ -d /proc/$0 ] || echo not there; pids=(/proc/[0-9]*); echo ${#pids[@]}' $!
	kill $!
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "not there" ]
	[ "${lines[1]}" -lt 10 ]
}

@test "a kernel that Debian does not have is an error of the lab" {
	lab run --no-trace-unit --kernel 99.1 -- true
	[ "$status" -eq 125 ] && grep -q 'no kernel 99.1' "$tmp/stderr" || show
}
