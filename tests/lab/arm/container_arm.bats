#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Containers of podman on 64-bit Arm, traced by name and by cgroup: the gate is open for the windows of the container's tasks
# and for nothing of its neighbours, by the oracle. One boot records all; each test looks at one.

load ../../lib/helpers
load ../../lib/containers

LONG=cgroup

# Nothing happens in a container before the log begins, and all of it before the log ends: once for each /go.
RUN='while :; do [ ! -e /go ] || { /bin/busybox rm /go; /app uname 5; /app clone; : >/done; }; sleep 0.1; done'
NEIGHBOUR='while :; do /bin/busybox uname >/dev/null; sleep 0.1; done'

# Starts auxbpf, has the command run in a phase of the log once it is armed, and ends it.
trace() { # name phase command auxbpf's arguments...
	local name=$1 phase=$2 command=$3 recorder
	! left_out "$name" || return 0
	shift 3
	part "$name" auxbpf -v -o "/out/$name.data" --on-syscall uname "$@" &
	recorder=$!
	until grep -q 'tracing' "/out/$name.stderr" || ! kill -0 $recorder; do sleep 0.1; done
	oracle-mark run --again --new --phase "$phase" -- bash -c "$command"
	pkill -INT -x auxbpf
	wait $recorder
}

record_all() {
	local go='rm -f /tmp/root/done; touch /tmp/root/go; for i in {1..600}; do [ ! -e /tmp/root/done ] || break; sleep 0.1; done'
	set +e
	oracle-mark run -- true # sets the kernel's symbols
	store_images_in /tmp/storage.conf
	make_root /tmp/root syscall_cases
	start web "$RUN"
	start other "$NEIGHBOUR"
	trace name 20 "$go" --container web
	trace cgroup 21 "$go" --cgroup "$(sed 's/^0:://' "/proc/$(engine inspect -f '{{.State.Pid}}' web)/cgroup")"
	engine kill web other >/dev/null # it would take podman minutes beside them
	trace later 22 "$(declare -f engine start)
		start later '/app uname 5; /app clone' --rm
		while engine ps -a --format '{{.Names}}' | grep -qx later; do sleep 0.1; done" --container later --wait
}

setup_file() {
	requires build-aarch64/auxbpf build-aarch64/tests/syscall_cases build/trace-unit/ete.so oracle-check scripts/lab
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab --oracle RUN NEIGHBOUR engine store_images_in make_root start part trace record_all
}

# The windows that auxbpf counted are those of the container's tasks, and at least so many.
is_right() { # name phase least
	ended "$1" 0 "written to" "missed 0"
	[[ $output =~ ([0-9]+)\ windows\ on\ CPU ]]
	[ "${BASH_REMATCH[1]}" -ge "$3" ]
	gate_check "$DIR" "$1.data" --phase "$2" --syscall 160 --target-note 100 --windows "${BASH_REMATCH[1]}"
}

@test "a container by its name, with its threads, and nothing of its neighbours" { is_right name 20 14; }
# bats test_tags=long
@test "the same by its cgroup" { is_right cgroup 21 14; }
@test "--wait: a container that starts later" { is_right later 22 14; }
