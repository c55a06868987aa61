#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=long
#
# A hostile afternoon, on this machine's own kernel: what ordinary users can do to a recorder, all of it at once and for
# HOSTILE_TIME seconds (600), beside a trigger a second. strangers.bats has each of them alone.

load ../lib/helpers

MAX_KIB=$((64 << 10))

setup() {
	requires auxbpf perf jq hanging_fs map_storm setpriv objcopy
	cd "$BATS_TEST_TMPDIR" || return
	PUBLIC=$(mktemp -d /tmp/auxbpf_hostile.XXXXXX)
	chmod 777 "$PUBLIC"
	cp "$(command -v uname)" aux_stranger
	STARTED=()
}

# Each of those that attack is the leader of a session of its own, and ends with all that it runs.
teardown() {
	for pid in "${STARTED[@]}"; do
		pkill -KILL -s "$pid"
	done
	rm -rf "$PUBLIC"
}

# Runs as nobody, again and again.
stranger() { # function argument...
	# shellcheck disable=SC2016 # for the shell that runs
	setsid setpriv --reuid 65534 --regid 65534 --clear-groups bash -c "$(declare -f "$1")"'
		trap "" TERM
		while :; do "$@"; done' - "$@" >/dev/null 2>&1 3>&- &
	STARTED+=($!)
}

# Very many mappings, with paths as long as they can be, by processes that stay for a while.
map_much() { # directory
	mkdir -p "$1" && touch "$1/go"
	timeout -s KILL 20 map_storm "$1" 60000 1000000
	rm -rf "$1"
}

# A program of 12 GB, nearly all of it a hole.
run_huge() { # directory
	[ -e "$1/huge" ] || { mkdir -p "$1" && cp "$(command -v sleep)" "$1/huge" && truncate -s 12G "$1/huge"; }
	"$1/huge" 1
}

# Names that are no text, or that forge a line of what auxbpf says; now and then it has a rule for how they end.
run_named() { # directory
	local name
	mkdir -p "$1"
	for name in $'\e[2J\e[31mred' $'a\nauxbpf: armed' $'\xff\xfe\xc3' $'"},{"rule":"x'; do
		[ -e "$1/$name" ] || cp "$(command -v sh)" "$1/$name"
		for _ in {1..30}; do
			"$1/$name" -c :
			sleep 0.1
		done
		"$1/$name" -c 'exit 77'
	done
}

# A program whose debug information is said to be in a file that does not end.
run_linked() { # directory
	[ -e "$1/linked" ] || {
		mkdir -p "$1" && echo >"$1/endless" && objcopy --add-gnu-debuglink="$1/endless" "$(command -v sleep)" "$1/linked"
		ln -sf /dev/zero "$1/endless"
	}
	"$1/linked" 1
}

# Processes that read other files than they seem to.
bind_devices() {
	unshare --user --map-root-user --mount sh -c 'mount --bind /dev/zero /etc/ld.so.cache && exec sleep 5' || sleep 5
}

churn() {
	for _ in {1..200}; do /bin/true; done
}

# A file system that does not answer, mapped by a process of root's.
hang() {
	mkdir mnt
	setsid hanging_fs mnt mapped 3>&- &
	STARTED+=($!)
	for _ in {1..1200}; do
		[ ! -e mapped ] || return 0
		sleep 0.1
	done
	return 1
}

# What auxbpf runs.
trigger_each_second() { # seconds
	local number=0
	while [ "$SECONDS" -lt "$1" ]; do
		./aux_stranger >uname.out
		number=$((number + 1))
		sleep 1
	done
	echo "$number" >number
	cat "/proc/$PPID/status" >status
}

@test "a hostile afternoon costs no trigger that is not counted, and little memory" {
	hang
	for i in 1 2 3 4 5; do stranger map_much "$PUBLIC/map$i"; done
	stranger run_huge "$PUBLIC/huge"
	stranger run_named "$PUBLIC/named"
	stranger run_linked "$PUBLIC/linked"
	stranger bind_devices
	stranger churn
	sleep 3
	status=0
	with_tracefs auxbpf -o out -a -e cpu-clock --archive --max-size 256M --cool-down 0 --max-snapshots 0 \
		--snapshot-on 'syscall:uname comm == aux_stranger' --snapshot-on 'exit code == 77' -- \
		bash -ec "$(declare -f trigger_each_second); trigger_each_second ${HOSTILE_TIME:-600}" 2>said 3>&- || status=$?
	cat said
	[ "$status" -eq 0 ]
	grep -E '^Vm(HWM|RSS)|^Rss' status
	read -r seen taken missed < <(sed -nE "s/.*comm == aux_stranger: seen ([0-9]+) times, ([0-9]+) snapshots, missed ([0-9]+).*/\1 \2 \3/p" said)
	[ "$seen" -eq "$(<number)" ]
	[ "$taken" -gt 0 ]
	[ $((taken + missed)) -eq "$seen" ]
	# Of lines and of JSON nobody else writes one.
	[ "$(grep -c $'\e' said)" -eq 0 ]
	[ "$(grep -c '^auxbpf: armed$' said)" -le 1 ]
	jq -r 'select(.rule == "exit code == 77").comm' out/index.ndjson >names
	sort names | uniq -c
	[ -s names ]
	[ "$(jq -c 'select(.removed or (.snapshot and .rule))' out/index.ndjson | wc -l)" -eq "$(wc -l <out/index.ndjson)" ]
	# How long no samples were taken while they were copied is told of each.
	[ "$(jq -s 'map(select(.snapshot) | .blind_ns > 0) | all' out/index.ndjson)" = true ]
	perf script -i "$(printf '%s\n' out/*.data | tail -n 1)" -F comm,ip >samples
	[ -s samples ]
	[ "$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' status)" -lt "$MAX_KIB" ]
}
