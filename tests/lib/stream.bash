# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# What the bats files of full traces share, beside helpers.bash.

# What the recorder says of each CPU, as "CPU WRITTEN LEFT-OUT", of the last part that ended.
counted() {
	sed -n 's/^auxbpf: CPU \([0-9]*\): \([0-9]*\) bytes of trace in the file, \([0-9]*\) left out.*/\1 \2 \3/p' <<<"$said"
}

# Of a gap perf says that trace was lost, and, where it goes on, that there was an overflow; nothing else is an error.
errs_at_gaps_only() { # script
	grep 'instruction trace error' "$1" | sed 's/.* code/code/' | sort | uniq -c
	[ -z "$(grep 'instruction trace error' "$1" | grep -v 'code 7: Overflow packet\|code 8: Lost trace data')" ]
}

# The unit wrote on each CPU what is in the file and what was left out, to the byte, and the decoded branches are stretches of
# what ran, in order.
accounts_for_all() { # name phase script...
	local name=$1 phase=$2
	shift 2
	counted | awk '{ print $1, 0, $2 + $3 }' >"$DIR/$name.bytes"
	[ -s "$DIR/$name.bytes" ]
	must oracle-check snapshots --oracle "$DIR/oracle" --phase "$phase" --kallsyms "$DIR/kallsyms" --bytes "$DIR/$name.bytes" "$@"
	has "that the unit wrote"
	[ -z "$(awk '/that the unit wrote/ && $3 != $8' <<<"$output")" ]
}

# In the guest: a recording whose reader fell behind is kept as NAME.PHASE, beside the one of NAME that comes after it.
keep_attempt() { # name phase
	local suffix
	mv "/out/$1" "/out/$1.$2"
	for suffix in status stdout stderr; do mv "/out/$1.$suffix" "/out/$1.$2.$suffix"; done
}

# Runs a command with the name and the phase of each recording of NAME that was kept.
with_attempts() { # name command...
	local name=$1 attempt phase
	shift
	for attempt in "$DIR/$name".[0-9]*.status; do
		[ -e "$attempt" ] || continue
		attempt=$(basename "$attempt" .status)
		phase=${attempt##*.}
		echo "the reader of $attempt fell behind"
		"$@" "$attempt" "$phase"
	done
}
