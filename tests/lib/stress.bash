# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# Captures under a load of forks, migrations and switches: the program `stress` on 4 CPUs, whose targets alternate with
# others. After the helpers: `load ../../lib/stress`. The log of a capture begins once auxbpf is armed and ends before it stops.

CPUS=4
ROUNDS=$(quick_or 320 1250)
SWITCHES=$(quick_or 2500 10000) # of all tasks in one log, at least
# shellcheck disable=SC2034 # the tables of the files have it
FUNCTION=/src/build/tests/stress:stress_function

# A capture of the command.
run_command() { # name phase options...
	local name=$1 phase=$2
	shift 2
	auxbpf -v -o "/out/$name" "$@" -- oracle-mark run --again --new --phase "$phase" --target 100 -- \
		stress targets /tmp/st "$CPUS" "$ROUNDS" >"/out/$name.done" 2>"/out/$name.stderr"
}

# Starts auxbpf and waits until it is armed.
attach() { # name options...
	local name=$1
	shift
	auxbpf -v -o "/out/$name" "$@" 2>"/tmp/$name.stderr" &
	recorder=$!
	wait_until grep -q tracing "/tmp/$name.stderr"
}

detach() { # name
	local status=0
	kill -INT $recorder 2>/dev/null || true # -p and -t end with their tasks
	wait $recorder || status=$?
	cp "/tmp/$1.stderr" "/out/$1.stderr"
	return $status
}

# A task for each CPU, one that forks and one that moves, and their maker.
all_there() { # maker
	[ "$(for pid in $1 $(pgrep -P "$1"); do ls "/proc/$pid/task"; done | wc -l)" -ge $((CPUS + 3)) ]
}

# Targets that are there before auxbpf.
run_tasks() { # name phase pid|tid option options...
	local name=$1 phase=$2 what=$3 option=$4 main list tids
	shift 4
	rm -f /tmp/st/go
	stress wait /tmp/st "$CPUS" "$ROUNDS" >"/out/$name.done" &
	main=$!
	wait_until all_there $main
	sleep 1
	if [ "$what" = pid ]; then
		list="$main $(pgrep -P $main | xargs)"
		tids=$(for pid in $list; do ls "/proc/$pid/task"; done)
	else
		list=$(find /proc/$main/task -mindepth 1 -maxdepth 1 ! -name $main -printf '%f ')
		tids=$list
	fi
	xargs <<<"$tids" | tr ' ' , >"/out/$name.tids"
	attach "$name" "$option" "$(xargs <<<"$list" | tr ' ' ,)" "$@"
	oracle-mark run --again --new --phase "$phase" -- \
		sh -c "touch /tmp/st/go; tail --pid=$main -s 0.2 -f /dev/null"
	detach "$name"
}

# Targets that come when auxbpf waits for them: `stress` makes itself one, and one of its tasks ceases to be one and
# becomes one again all the time.
run_later() { # name phase option value move in out auxbpf's-options...
	local name=$1 phase=$2 option=$3 value=$4 move=$5 in=$6 out=$7
	shift 7
	attach "$name" "$option" "$value" "$@"
	oracle-mark run --again --new --phase "$phase" -- oracle-mark note 103 -- \
		stress targets /tmp/st "$CPUS" "$ROUNDS" "$move" "$in" "$out" >"/out/$name.done"
	detach "$name"
}

# All that CASES has, each as "name phase how options; options of the check", recorded by the function run_HOW.
capture_all() {
	local name phase how options others
	mkdir /tmp/st
	# Named otherwise than the targets.
	ln -s "$(command -v stress)" /tmp/company
	/tmp/company others /tmp/st "$CPUS" &
	others=$!
	sleep 1
	oracle-mark run -- true # sets the kernel's symbols
	for case in "${CASES[@]}"; do
		read -r name phase how options <<<"${case%%;*}"
		! left_out "$name" || continue
		echo "$name ($SECONDS s)"
		# shellcheck disable=SC2086 # words of the options
		"run_$how" "$name" "$phase" $options || {
			echo "$name: status $?"
			cat "/out/$name.stderr"
		}
	done
	kill -KILL $others
}

stress_in_lab() { # functions of the file...
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark stress scripts/lab auxbpf
	record_in_lab --cpus "$CPUS" --oracle CPUS ROUNDS FUNCTION CASES run_command attach detach all_there run_tasks run_later \
		"$@" capture_all
}

# The log is some gigabytes.
teardown_file() {
	rm -f "$DIR.oracle"
}

# The gate check of one case. A capture of user mode alone has no kallsyms: that of another one does.
is_right() { # name [kallsyms of another]
	local name phase how options checks address
	for case in "${CASES[@]}"; do
		read -r name phase how options <<<"${case%%;*}"
		[ "$name" != "$1" ] || break
	done
	address=0x$(nm "$AUXBPF_ROOT/build/tests/stress" | awk '$3 == "stress_function" { print $1 }')
	checks=${case#*;}
	checks=${checks//ADDRESS/$address}
	[ ! -e "$DIR/$name.tids" ] || checks=${checks//TIDS/$(<"$DIR/$name.tids")}
	cat "$DIR/$name.stderr" "$DIR/$name.done"
	# shellcheck disable=SC2086 # words of the options
	gate_check "$DIR" "${2:-$name}" --phase "$phase" $checks
	[[ $output =~ "switches "([0-9]+)" (" ]]
	[ "${BASH_REMATCH[1]}" -ge "$SWITCHES" ]
}
