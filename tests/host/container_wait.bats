#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Waiting for a container, on this machine's own kernel, with the files of a runtime that is not there.

load ../lib/helpers

setup() {
	requires auxbpf strace findmnt
	cd "$BATS_TEST_TMPDIR"
	V2=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	group=/auxbpf-wait-$$
}

teardown() {
	find "$V2$group" -depth -type d -exec rmdir {} + || true
}

# In the guise of crun: a container and its cgroup.
with_containers() { # cgroup number...
	local group=$1 i
	shift
	for i; do
		mkdir -p "/run/crun/known$i" "$V2$group/known$i"
		echo "{\"cgroup-path\": \"$group/known$i\"}" >"/run/crun/known$i/status"
	done
}

run_there() { # cgroup
	sh -c 'echo $$ >"$1/cgroup.procs" && exec /bin/true' - "$V2$1"
}

# 50 cgroups that are nobody's, in which a program runs, and time to look at them for long; then one of the container that is
# waited for, whose name comes later than the cgroup.
others_and_one() { # cgroup
	local i
	for i in $(seq 50); do
		mkdir "$V2$1/other$i"
	done
	run_there "$1/other1"
	sleep 1
	: >theirs
	mkdir "$V2$1/mine"
	sleep 0.3
	mkdir /run/crun/auxlater
	echo "{\"cgroup-path\": \"$1/mine\"}" >/run/crun/auxlater/status
	until grep -q 'tracing 1 cgroup' said; do sleep 0.05; done
	run_there "$1/mine"
}

# auxbpf that waits while that happens. What it says is in the file said, what it opens in the file opened.
wait_for_one() { # cgroup
	strace -f -qq -o opened -e trace=execve,openat,openat2 auxbpf -o out -e cpu-clock -M 64K -a --container auxlater --wait \
		--cool-down 0 --max-rate 0 --snapshot-on 'exec comm == true' -- \
		bash -c "$(declare -f run_there others_and_one); V2=$V2 others_and_one $1" 2>said
}

# What auxbpf opened while there were but others, in lines that have this text.
opened_for_others() { # text
	sed -n '/execve("[^"]*bash"/,/"theirs"/p' opened | grep -cE "openat2?\(.*$1" || true
}

@test "--wait looks at the cgroups that are made, and not at all that are there" {
	# shellcheck disable=SC2016
	logged unshare --mount bash -c "$(declare -f with_containers wait_for_one run_there others_and_one)"'
		V2=$2; mount -t tmpfs none /run && with_containers "$1" {1..60} && wait_for_one "$1"' - "$group" "$V2"
	cat said
	[ "$status" -eq 0 ]
	grep -q 'exec comm == true: seen 1 time' said
	[ "$(grep -cE 'openat2?\(.*/run/crun/known7/status' opened)" -gt 0 ]
	echo "opened while there were but others: $(opened_for_others "\"(/run|/var|/home|$V2)")"
	[ "$(opened_for_others "/run/crun/known[0-9]+/status")" -eq 0 ]
	[ "$(opened_for_others "$V2$group/known[0-9]+")" -eq 0 ]
}
