# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# Figures of `scripts/bench`: lines "WHAT WHO NUMBER" in the file $results, and how they are compared.

median() { # what who
	grep "^$1 $2 " "$results" | awk '{ print $3 }' | sort -n | awk '{ all[NR] = $1 } END { if (NR) print all[int((NR + 1) / 2)] }'
}

verdict() { # value aim
	[ -n "$2" ] || return 0
	awk -v value="$1" -v aim="$2" 'BEGIN { printf "; aim %s: %s", aim, value <= aim ? "reached" : "MISSED" }'
}

# Ours, theirs, the ratio.
compare() { # title unit "what who" "what who" [aim]
	local ours theirs ratio
	# shellcheck disable=SC2086 # two words each
	ours=$(median $3) theirs=$(median $4)
	if [ -z "$ours" ] || [ -z "$theirs" ]; then
		printf '%-62s not measured\n' "$1"
		return
	fi
	ratio=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.3f", b ? a / b : 0 }')
	awk -v title="$1" -v a="$ours" -v b="$theirs" -v unit="$2" -v ratio="$ratio" -v verdict="$(verdict "$ratio" "${5-}")" \
		'BEGIN { printf "%-62s %10.1f %10.1f  ratio %s%s\n", title, a / unit, b / unit, ratio, verdict }'
}

limit() { # title "what who" aim
	local ours
	# shellcheck disable=SC2086
	ours=$(median $2)
	printf '%-62s %10s%s\n' "$1" "$ours" "$(verdict "$ours" "$3")"
}

# Of each note 110 the branches traced on its CPU until the trace is switched off.
branches_behind() { # log phase who
	build/tests/oracle-check dump --oracle "$1" --phase "$2" --cpu 1 | awk -v who="$3" '
		$8 == "MARK" && $10 == 110 { behind = 1; n = 0; next }
		!behind || $8 == "MARK" || $8 == "SWITCH" { next }
		$8 == "UNIT" { if ($7 ~ /^F-/) { print "behind " who " " n; behind = 0 }; next }
		$7 ~ /[FT]/ { n++ }'
}

# perf and others look for tracepoints there; the mounts are gone with the command.
with_tracefs() { # command...
	# shellcheck disable=SC2016
	unshare --mount bash -c '
		mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
		mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
		exec "$@"' bench "$@"
}
