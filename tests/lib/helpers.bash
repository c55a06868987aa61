# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# What the bats files share. In a file: `load ../lib/helpers`. Paths are absolute, tests may change directory.

AUXBPF_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$AUXBPF_ROOT/build:$AUXBPF_ROOT/build/tests:$PATH

# Fails, does not skip: what a test needs is built or installed by `make test`.
requires() { # file or command...
	local what
	for what; do
		command -v "$what" >/dev/null || [ -e "$AUXBPF_ROOT/$what" ] || {
			echo "this test needs $what; run it with: make test" >&2
			return 1
		}
	done
}

# For what has a size: the first number in `make test`, the second in `make test-long` or when bats is run by hand.
quick_or() { # number number
	if [ -n "${TEST_QUICK-}" ]; then echo "$1"; else echo "$2"; fi
}

# Whether this is `make test` and does without a part of a recording: a file names those in LONG, and the tests that look at
# them alone have the tag long.
left_out() { # name
	[ -n "${TEST_QUICK-}" ] && [[ " ${LONG//[[:space:]]/ } " == *" $1 "* ]]
}

# Like bats' run, and what ran, its status and its output are shown if the test fails.
logged() { # command...
	echo "\$ $*"
	run "$@"
	echo "$output"
	echo "status $status"
}

# Runs a command that must succeed.
must() { # command...
	logged "$@"
	[ "$status" -eq 0 ]
}

# The last output has this text.
has() { # text
	[[ $output == *"$1"* ]] || { echo "not in the output: $1"; return 1; }
}

# Fails if there is anything on stdin, and shows it.
nothing() {
	! grep .
}

# Runs a command on this machine, with tracefs also where it is not mounted.
with_tracefs() { # command...
	# shellcheck disable=SC2016 # for the shell in between
	unshare --mount sh -c '[ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
		exec "$@"' with_tracefs "$@"
}

lab() { # scripts/lab arguments...
	"$AUXBPF_ROOT/scripts/lab" "$@"
}

# What perf decodes of the branches in DIR/NAME, as oracle-check reads it: DIR/NAME.branches. Errors of the decoder are
# lines in it; what perf says besides is in DIR/NAME.perf.
decode_branches() { # dir name
	script_in_lab "$1" "$2" --itrace=be -F cpu,event,ip,addr >"$1/$2.branches" 2>"$1/$2.perf" || {
		cat "$1/$2.perf"
		return 1
	}
}

# perf script on a recording of a guest, among the guest's files. What the recording has in its archive comes from there: the
# [vdso] of another kernel than this one is nowhere else.
script_in_lab() { # dir name arguments...
	local dir=$1 name=$2 debug=()
	shift 2
	[ ! -d "$dir/$name/debug" ] || debug=(--buildid-dir "/out/$name/debug")
	lab host --out "$dir" -- perf "${debug[@]}" script -i "/out/$name" "$@"
}

# The decoded branches are those that ran.
decode_check() { # dir name options...
	local dir=$1 name=$2
	shift 2
	decode_branches "$dir" "$name"
	must oracle-check decode --oracle "$dir/oracle" --script "$dir/$name.branches" --kallsyms "$dir/kallsyms" "$@"
}

# The gate was open for the targets' windows only. The symbols are those of the capture, so that the gate's own
# programs are among them.
gate_check() { # dir name options...
	local dir=$1 name=$2
	shift 2
	must oracle-check gate --oracle "$dir/oracle" --kallsyms "$dir/$name/kcore_dir/kallsyms" \
		--slack "$AUXBPF_ROOT/tests/tools/oracle/slack.txt" "$@"
}

# Boots once: the last of the given shell functions runs in a guest that knows all of them, the given variables, how to wait, and
# what make test does without. DIR is the guest's /out, with the oracle's log as DIR/oracle if asked for; what the guest prints is shown as it comes, and is in
# DIR.log. With --kernel K, DIR is the directory for that kernel, out-K. --append, --unit and --timeout are the lab's.
record_in_lab() { # [--cpus N] [--oracle] [--kernel K] [--append WORDS] [--unit OPTIONS] [--timeout S] variable or function...
	local name definitions options=() cpus=2 oracle=
	export DIR=$BATS_FILE_TMPDIR/out
	while [[ $1 == --* ]]; do
		case $1 in
			--oracle) oracle=yes ;;
			--append | --unit | --timeout)
				options+=("$1" "$2")
				shift
				;;
			--cpus)
				cpus=$2
				shift
				;;
			--kernel)
				options+=(--kernel "$2")
				DIR+=-$2
				shift
				;;
		esac
		shift
	done
	[ -z "$oracle" ] || options+=(--oracle "$DIR.oracle")
	definitions="TEST_QUICK=${TEST_QUICK-} LONG='${LONG-}'; $(declare -f quick_or left_out wait_until wait_for)"$'\n'
	for name; do
		definitions+="$(declare -f "$name" || declare -p "$name")"$'\n'
	done
	echo "# $(basename "$BATS_TEST_FILENAME"): recording in the lab" >&3
	boot_to_record "$cpus" "$definitions$name" || {
		grep -q 'console: .*Oops: int3' "$DIR.log" || return 1
		echo "#   the guest died of a breakpoint in code that it had just patched: once more" >&3
		rm -rf "$DIR" "$DIR.oracle"
		boot_to_record "$cpus" "$definitions$name"
	}
	[ -z "$oracle" ] || ln -s "$DIR.oracle" "$DIR/oracle"
}

# What the guest prints is shown as it comes: a boot with all its recordings takes minutes. Twice in some hundred boots the
# kernel did not know an int3 of its own any more, in the static key of a tracepoint that was being switched: under
# emulation one CPU is behind the other. Such a guest is booted once more.
boot_to_record() { # cpus script
	lab run --cpus "$1" --out "$DIR" "${options[@]}" -- bash -c "$2" 3>&- 2>&1 | tee "$DIR.log" | sed -u 's/^/#   /' >&3
	[ "${PIPESTATUS[0]}" -eq 0 ]
}

# In the guest, handed to record_in_lab by name: runs a command and keeps what it says and its status in /out/NAME.*, if it is
# not left out.
part() { # name command...
	local name=$1 status=0
	! left_out "$name" || return 0
	echo "$name ($SECONDS s)"
	shift
	"$@" >"/out/$name.stdout" 2>"/out/$name.stderr" </dev/null || status=$?
	echo "$status" >"/out/$name.status"
}

# Waits for two minutes at most.
wait_until() { # command...
	for _ in {1..1200}; do
		! "$@" || return 0
		sleep 0.1
	done
	echo "not so after two minutes: $*" >&2
	return 1
}

# Waits for a file that a traced command makes; auxbpf has been armed then.
wait_for() { # file
	wait_until test -e "$1"
}

# In the guest, handed to record_in_lab by name: for traced shells, `/tmp/taken DIRECTORY N`, which waits until the index has so
# many snapshots. Until one is taken its CPUs are frozen, for as long as the machine likes, and another trigger there is missed.
make_taken() {
	cat >/tmp/taken <<-'END'
		#!/bin/sh
		for i in $(seq 600); do
			[ ! -e "$1/index.ndjson" ] || [ "$(grep -c '"snapshot"' "$1/index.ndjson")" -lt "$2" ] || exit 0
			sleep 0.2
		done
		echo "$1 has no $2 snapshots" >&2
		exit 1
	END
	chmod +x /tmp/taken
}

# How a part ended; what it said on stderr is in $output and has all of the texts.
ended() { # name status [text...]
	local name=$1 wanted=$2
	shift 2
	status=$(<"$DIR/$name.status") output=$(<"$DIR/$name.stderr")
	echo "$name: status $status, stdout: $(<"$DIR/$name.stdout"), stderr: $output"
	[ "$status" -eq "$wanted" ]
	for text; do
		has "$text"
	done
}
