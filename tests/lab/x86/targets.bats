#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Every kind of target, under a load of forks, migrations and switches on 4 CPUs, while tasks become targets and cease to be
# ones: the gate is open for the targets' windows and for nothing else. One boot makes all captures; each test looks at one.

load ../../lib/helpers
load ../../lib/stress

CHANGING="--target-note 100 --begin-note 101 --end-note 102 --either-note 103"
# container_lab.bats has real containers; threads are among the targets of all.
LONG="tid container cpus"
CASES=(
	"pid 30 pid --on-syscall sched_yield,uname; --syscall 24,63 --target-pid TIDS --target-note 100"
	"tid 31 tid; --on-cpu --modes uk --target-pid TIDS"
	"cgroup 32 cgroup --on-syscall sched_yield,uname; --syscall 24,63 $CHANGING"
	"container 33 container -e intel_pt//k; --on-cpu $CHANGING"
	"comm 34 comm --on-syscall sched_yield,uname; --syscall 24,63 $CHANGING"
	"uid 35 uid -e intel_pt//k; --on-cpu $CHANGING"
	"all 36 all -e intel_pt//k; --on-cpu --all"
	"cpus 37 command -C 1,2 -e intel_pt//k; --on-cpu --cpu 1,2 --target-note 100"
)

run_pid() { run_tasks "$1" "$2" pid -p "${@:3}"; }
run_tid() { run_tasks "$1" "$2" tid -t "${@:3}"; }

# In a cgroup below the one that is named.
run_cgroup() {
	local base=/sys/fs/cgroup/stress
	mkdir -p $base/in/deep $base/out
	run_later "$1" "$2" --cgroup /stress/in cgroup $base/in/deep $base/out "${@:3}"
}

run_container() {
	local base=/sys/fs/cgroup/system.slice id
	id=$(printf '%064d' 1234)
	mkdir -p "$base/docker-$id.scope" $base/other.service
	run_later "$1" "$2" --container "${id:0:12}" cgroup "$base/docker-$id.scope" $base/other.service "${@:3}"
}

run_comm() { run_later "$1" "$2" --comm 'targe?' comm target other "${@:3}"; }
run_uid() { run_later "$1" "$2" --uid 1234 uid 1234 4321 "${@:3}"; }

# Everything, the others too.
run_all() { # name phase options...
	local name=$1 phase=$2 others status=0
	shift 2
	mkdir -p /tmp/loud
	stress others /tmp/loud "$CPUS" loud >/dev/null &
	others=$!
	sleep 1
	auxbpf -v -a -o "/out/$name" "$@" -- oracle-mark run --again --phase "$phase" --target 100 -- \
		stress targets /tmp/loud "$CPUS" "$ROUNDS" >"/out/$name.done" 2>"/out/$name.stderr" || status=$?
	kill -KILL $others
	return $status
}

setup_file() {
	stress_in_lab run_pid run_tid run_cgroup run_container run_comm run_uid run_all
}

# Tasks did become targets and ceased to be ones.
moved() { # name
	[[ $(<"$DIR/$1.done") =~ "moves "[1-9] ]]
}

@test "-p: processes with their threads, and the children that they make" { is_right pid; }
# bats test_tags=long
@test "-t: threads" { is_right tid; }
@test "--cgroup: a cgroup and those below it, while tasks come and go" {
	is_right cgroup
	moved cgroup
}
# bats test_tags=long
@test "--container: by a part of its id, while tasks come and go" {
	is_right container
	moved container
}
@test "--comm: a pattern, while tasks are renamed" {
	is_right comm
	moved comm
}
@test "--uid: while tasks change their user" {
	is_right uid
	moved uid
}
@test "-a: every task, the idle ones too" { is_right all; }
# bats test_tags=long
@test "-C: only on these CPUs" { is_right cpus; }
