# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A recorder that is left on, in short. In a file: `load ../lib/soak`. FIRST, ALL and EVERY are in the environment of the script.

# Writes a script for a recorder to trace, whose snapshots are in OUT: very many processes that begin and end, one in EVERY with
# the exit code 3, and BPF programs that come and go, one for every 20 of them. After the first and after the last of them it
# prints what the recorder, its parent, has: KiB of memory, descriptors, KiB of its directory. Of memory and descriptors
# the least of five looks: a snapshot may be written meanwhile, which on a busy machine takes a while.
write_soak() { # file
	cat >"$1" <<-'END'
		least() {
			for _ in 1 2 3 4 5; do
				short_lives 1 1
				sleep 0.5
				"$1"
			done | sort -n | head -n 1
		}
		memory() {
			awk '/^VmRSS:/ { print $2 }' "/proc/$PPID/status"
		}
		descriptors() {
			find "/proc/$PPID/fd" -type l | wc -l
		}
		look() {
			echo "$1 $(least memory) $(least descriptors)" \
				"$(find "${OUT:-out}" -type f -printf '%i %k\n' | sort -u | awk '{ n += $2 } END { print n + 0 }')"
		}
		short_programs "$((FIRST / 20))"
		short_lives "$FIRST" "$EVERY"
		sleep 1
		look first
		short_programs "$(((ALL - FIRST) / 20))"
		short_lives "$((ALL - FIRST))" "$EVERY"
		sleep 1
		look last
	END
}
