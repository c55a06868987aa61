# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# Many rules of --snapshot-on in one recording. In a file: `load ../../lib/rules`, behind the helpers. RULES has 'RULE|COMMAND'...: the
# command makes its rule hold once, makes no other one hold, and prints for that a line as trigger_cases does. A file may add rules.

# What is below the threshold, or another one, comes next.
# shellcheck disable=SC2016 # for the traced shell
RULES=(
	'syscall:openat ret == -ENOENT && comm == trigger_cases|trigger_cases --case openat --count 2 --jitter'
	'exit code == 3 && comm == trigger_cases|trigger_cases --case exit --count 2 --jitter'
	'offcpu > 3s && comm == sleeps|/tmp/sleeps --case offcpu --threshold 2000000'
	'function:trigger_cases:handle arg0 == 40000000|trigger_cases --case function --count 2 --jitter'
	'tracepoint:signal:signal_generate sig == 12|trap : USR2; kill -USR2 $$; echo "signal 1 above pid $$"'
	'signal:SIGUSR1|trigger_cases --case signal'
	'function:write_null ret == 8198|trigger_cases --case write --size 8198 --count 2 --jitter'
)

# In the guest: one command after the other, each when the snapshot for the one before is there. Until then CPUs are frozen,
# for as long as the machine likes, and another trigger there is missed. What waits and sleeps by itself is not meant by rules on
# time: of those the programs have names of their own. To memory at first: the way out of the guest is slow.
run_rules() { # name auxbpf or what runs it, its options...
	local name=$1 each nr=0
	shift
	! left_out "$name" || return 0
	make_taken
	for each in sleeps waits forks; do ln -sf "$(command -v trigger_cases)" "/tmp/$each"; done
	printf '%s\n' "${RULES[@]%|*}" >"/tmp/$name.rules"
	for each in "${RULES[@]}"; do
		nr=$((nr + 1))
		echo "${each##*|}; /tmp/taken /tmp/$name $nr || exit"
	done >"/tmp/$name.sh"
	part "$name" "$@" -v -o "/tmp/$name" --spare 4 --cool-down 0 --rules "/tmp/$name.rules" -- sh "/tmp/$name.sh"
	cp -a "/tmp/$name" /out
}

# Each rule was seen once, for the task that made it hold, in the order of the commands, and nothing besides was.
each_rule_held_once() { # name
	local each
	ended "$1" 0 " of ${#RULES[@]} triggers seen; 0 missed"
	for each in "${RULES[@]}"; do has "auxbpf: ${each%|*}: seen 1 time, 1 snapshot, missed 0"; done
	awk '$3 == "above" { print $5 }' "$DIR/$1.stdout" >"$DIR/$1.pids"
	paste -d' ' <(printf '%s\n' "${RULES[@]%|*}") "$DIR/$1.pids" >"$DIR/$1.wanted"
	jq -r 'select(.rule) | "\(.rule) \(.pid)"' "$DIR/$1/index.ndjson" | diff "$DIR/$1.wanted" -
}
