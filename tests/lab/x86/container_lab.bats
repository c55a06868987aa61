#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Real containers of podman and crun in the lab, traced by name. Their program is in their own root only, and another
# one has its name outside; perf shows the names of its functions.

load ../../lib/helpers
load ../../lib/containers

LONG="both kernel prefix"

# crun alone, with a cgroup of its own choice.
start_crun() { # name
	mkdir /tmp/bundle && cd /tmp/bundle || return
	crun spec
	sed -i 's/"terminal": true/"terminal": false/; s#"path": "rootfs"#"path": "/tmp/root"#; s#^\(\t*\)"sh"$#\1"/bin/sh", "-c", "'"$LOOP"'"#' \
		config.json
	crun run -d "$1" </dev/null >/dev/null
	cd /src || return
}

trace() { # name auxbpf's arguments...
	local name=$1
	shift
	part "$name" auxbpf -v -a -o "/out/$name.data" "$@"
}

run_all() {
	set +e
	store_images_in /tmp/storage.conf
	make_root /tmp/root user_branches
	# What is at /app outside of the containers is another program.
	cp /src/build/tests/syscall_cases /app
	start web "$LOOP"
	start other 'exec /bin/busybox yes >/dev/null'
	start_crun bare
	trace user --container web -e intel_pt//u -- sleep 2
	trace both --container web -e intel_pt// --on-syscall uname,clone,execve,exit_group -- sleep 2
	trace kernel --container web --on-syscall execve -- sleep 2
	trace function --container web -e intel_pt//u --on-function /app:run_calls -- sleep 2
	trace misspelt --container web -e intel_pt//u --on-function /app:run_cals -- touch /out/misspelt.ran
	trace crun --container bare -e intel_pt//u -- sleep 2
	trace prefix --container "$(engine ps -q --no-trunc --filter name=web | cut -c 1-6)" -e intel_pt//u -- sleep 0.1
	trace unknown --container wed -- touch /out/unknown.ran
	engine create --name created --network none --rootfs /tmp/root /bin/sh >/dev/null
	trace stopped --container created -- true
	# It begins after auxbpf, and is gone before it ends.
	trace later --container later --wait -e intel_pt//u -- bash -c "
		$(declare -f engine start)
		start later 'i=0; while [ \$i -lt 8 ]; do /app calls; sleep 0.1; i=\$((i + 1)); done' --rm
		while engine ps -a --format '{{.Names}}' | grep -qx later; do sleep 0.1; done"
	engine kill web other >/dev/null
	crun kill bare KILL
}

setup_file() {
	requires build/trace-unit/pt.so user_branches syscall_cases scripts/lab auxbpf
	local LOOP='while :; do /app calls; sleep 0.1; done'
	record_in_lab LOOP engine store_images_in make_root start start_crun part trace run_all
}

# The branches of a capture, with the programs that it brings along.
decode() { # name
	local output=$DIR/$1.branches
	script_in_lab "$DIR" "$1.data" --itrace=be -F comm,ip,sym,dso,addr \
		>"$output" 2>"$output.stderr" || { cat "$output.stderr"; return 1; }
	grep -E ' instruction trace error|unknown. \(/app\)' "$output" | head -n 5 | nothing
}

branches() { # name pattern
	grep -cE "$2" "$DIR/$1.branches"
}

@test "user mode of a podman container, by its name: functions of a program that only it has" {
	ended user 0 "web is the cgroup /libpod_parent/libpod-"
	has "/out/user.data/debug"
	decode user
	[ "$(branches user ' run_calls \(/app\) => .* middle \(/app\)')" -ge 200 ]
	[ "$(branches user ' fibonacci \(/app\) => .* fibonacci \(/app\)')" -ge 1000 ]
}

@test "other containers and the rest of the machine are not in it" {
	awk '{ print $1 }' "$DIR/user.branches" | sort -u | grep -vxE 'app|sh|sleep|exe' | nothing
	left_out prefix || ended prefix 0 "is the cgroup /libpod_parent/libpod-"
}

# bats test_tags=long
@test "kernel and user mode in one capture" {
	ended both 0 "windows on CPU"
	decode both
	[ "$(branches both 'x64_sys_execve')" -ge 1 ]
}

# bats test_tags=long
@test "system calls of a container: its kernel mode needs none of its programs" {
	ended kernel 0 "windows on CPU"
	[ ! -e "$DIR/kernel.data/debug" ]
}

@test "--on-function: a function of a program that only the container has, and nothing else" {
	ended function 0 "windows on CPU"
	decode function
	[ "$(branches function ' run_calls \(/app\) => .* middle \(/app\)')" -ge 200 ]
	grep ' => ' "$DIR/function.branches" | grep -oE '[a-z_]+ \([^)]*\)' | sort -u |
		grep -vxE '(run_calls|middle|leaf|fibonacci) \(/app\)|(uretprobe_trampoline|uprobe_slots) \(.*/debug/uprobes\)' | nothing
	ended misspelt 1 "/app of process"
	has "has no function 'run_cals'; did you mean run_calls"
	[ ! -e "$DIR/misspelt.ran" ]
}

@test "a container of crun alone, whose name is not in the path" {
	ended crun 0 "bare is the cgroup /bare"
	decode crun
	[ "$(branches crun ' run_calls \(/app\) => .* middle \(/app\)')" -ge 200 ]
}

@test "--wait: a container that starts later and ends before" {
	ended later 0 "later is the cgroup /libpod_parent/libpod-"
	decode later
	[ "$(branches later ' run_calls \(/app\) => .* middle \(/app\)')" -ge 200 ]
}

@test "a container that is unknown, or does not run" {
	ended unknown 1 "no container, pod, machine or systemd unit is called 'wed'; did you mean web"
	has "podman"
	has "crun        bare"
	[ ! -e "$DIR/unknown.ran" ]
	ended stopped 1 "podman knows 'created'"
}
