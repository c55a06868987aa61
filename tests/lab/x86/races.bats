#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=long
#
# auxbpf built with ThreadSanitizer, which finds what two threads do to the same memory without an order between them. In the lab,
# beside a trace unit: snapshots in a row, rings that overflow, --exec, streams, cgroups that come.

load ../../lib/helpers

# It does not know flockfile(3), the lock of stderr, under which the status line is.
SUPPRESSED='race:write_printable
race:show_status'

# A line of the script of which each has a snapshot taken.
TRIGGERS='for i in 1 2 3 4; do (exit 3); sleep 0.3; done'

# Rings that nobody empties are full before it is over.
# shellcheck disable=SC2016 # for the shell that is traced
FULL='for i in 1 2; do
	kill -STOP $PPID; short_lives 4000 1000000; kill -CONT $PPID
	(exit 3); sleep 0.5; (exit 3); (exit 3); short_lives 300 1000000; sleep 1; done'

run_all() {
	local rule=(--cool-down 0 --max-rate 0 --snapshot-on 'exit code == 3')
	echo "$SUPPRESSED" >/tmp/suppressed
	export TSAN_OPTIONS="log_path=/out/tsan suppressions=/tmp/suppressed report_signal_unsafe=0 exitcode=0"
	TSAN_OPTIONS=help=1 /out/auxbpf --version >/out/help 2>&1
	cd /tmp || return
	part trace /out/auxbpf -o trace "${rule[@]}" -- sh -c "$TRIGGERS"
	part full /out/auxbpf -o full -e cpu-clock:u --scope all --archive "${rule[@]}" -- sh -c "$FULL"
	part exec /out/auxbpf -o exec -e cpu-clock --on-cpu --exec true "${rule[@]}" -- sh -c "$TRIGGERS"
	part ioctl /out/auxbpf -o ioctl --control ioctl --on-syscall wait4 "${rule[@]}" -- sh -c "$TRIGGERS"
	part stream /out/auxbpf --stream -o stream -e intel_pt//u -- sh -c "$TRIGGERS"
	# shellcheck disable=SC2016
	part cgroups /out/auxbpf -o cgroups -e cpu-clock --container auxnone --wait --all-cgroups --max-time 4s --snapshot-on end -- \
		sh -c 'for i in 1 2 3; do mkdir /sys/fs/cgroup/aux$i; sleep 1; done'
}

setup_file() {
	local built=$BATS_FILE_TMPDIR/build
	requires build/trace-unit/pt.so short_lives scripts/lab
	must env -u MAKEFLAGS make -s -j2 -C "$AUXBPF_ROOT" O="$built" CFLAGS='-O1 -g -fsanitize=thread' \
		LDFLAGS='-fsanitize=thread -static-libtsan' "$built/auxbpf"
	mkdir "$BATS_FILE_TMPDIR/out"
	cp "$built/auxbpf" "$BATS_FILE_TMPDIR/out"
	rm -r "$built"
	record_in_lab SUPPRESSED TRIGGERS FULL part run_all
}

@test "no data races in sessions of each kind" {
	local report
	grep ThreadSanitizer "$DIR/help"
	ended trace 0 'seen 4 times'
	ended full 0 'seen 6 times'
	ended exec 0 'seen 4 times'
	ended ioctl 0 'seen 4 times'
	ended stream 0 'written to stream'
	ended cgroups 0 'snapshot'
	for report in "$DIR"/tsan.*; do
		[ ! -e "$report" ] || head -n 60 "$report"
	done
	find "$DIR" -name 'tsan.*' | nothing
}
