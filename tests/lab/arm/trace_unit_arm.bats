#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The Arm trace unit under Debian's own CoreSight drivers: what perf decodes of its trace is, branch by branch, what ran.
# As in oracle.bats, one boot records everything with plain `perf record`, and auxbpf has no part in this.

load ../../lib/helpers

export AUXBPF_LAB_ARCH=aarch64

# Name, phase of the oracle's log, options of perf record, command. A task that moves has two trace IDs, which perf does
# not decode from one buffer per thread: it is started on one CPU. The loops end in the middle of the third round of the buffer, some
# 17,000 branches each: perf has what came since its last begin. After more rounds it would be by chance how much that is, as what
# interrupts add depends on the machine's load. Those in TWICE may end too early on a busy machine: of two the longer counts.
TWICE="pinned shared"
RECORDINGS=(
	"user 20 -m,4M -e cs_etm//u user_branches all"
	"threads 21 -m,4M -e cs_etm//u user_branches threads"
	"pinned 22 --per-thread -m,4M -e cs_etm//u user_branches calls"
	"both 23 --kcore -m,4M -e cs_etm// syscall_cases uname 3"
	"clone 25 --kcore -m,4M -e cs_etm//k syscall_cases clone"
	"overwritten 26 -Se -m,64K -e cs_etm//u user_branches loops 42000"
	"shared 27 --kcore -m,4M -e cs_etm/@tmc_etr0/k syscall_cases migrate"
)

LONG="threads clone"

record() { # name phase words...
	local name=$1 phase=$2
	shift 2
	echo "$name ($SECONDS s)"
	oracle-mark run --again --traced --phase "$phase" -- taskset "$([ "${name%.2}" = pinned ] && echo 1 || echo 3)" \
		perf record -o "/out/$name" -N --no-buildid-mmap --no-bpf-event "$@"
}

# With --kcore it is a directory.
size_of() { # recording
	local file=$1
	[ ! -d "$file" ] || file+=/data
	stat -c %s "$file"
}

# The machine that decodes has another vDSO: a first recording keeps the guest's, the others have its build id.
record_all() {
	local name phase words
	set -e
	cat /proc/kallsyms >/out/kallsyms
	ls /sys/bus/coresight/devices >/out/devices
	ls /sys/bus/event_source/devices/cs_etm/sinks >/out/sinks
	perf --buildid-dir /out/debug record -q -o /tmp/vdso --no-buildid-mmap --no-bpf-event -e cs_etm//u true
	oracle-mark run -- true # sets the kernel's symbols
	for recording in "${RECORDINGS[@]}"; do
		read -r name phase words <<<"$recording"
		! left_out "$name" || continue
		# shellcheck disable=SC2086 # words of options and of the command
		record "$name" "$phase" $words
		echo "$phase" >"/out/$name.phase"
		[[ " $TWICE " == *" $name "* ]] || continue
		# shellcheck disable=SC2086
		record "$name.2" $((phase + 10)) $words
		[ "$(size_of "/out/$name.2")" -gt "$(size_of "/out/$name")" ] || continue
		rm -r "/out/${name:?}"
		mv "/out/$name.2" "/out/$name"
		echo $((phase + 10)) >"/out/$name.phase"
	done
	dmesg >/out/dmesg
}

setup_file() {
	requires build/trace-unit/ete.so oracle-check build-aarch64/tests/{oracle-mark,user_branches,syscall_cases} scripts/lab
	record_in_lab --oracle TWICE RECORDINGS record size_of record_all
}

is_equal() { # name, options of oracle-check
	local name=$1
	shift
	lab host --out "$DIR" -- perf --buildid-dir /out/debug script -i "/out/$name" --itrace=be -F cpu,event,ip,addr >"$DIR/$name.branches"
	must oracle-check decode --oracle "$DIR/oracle" --script "$DIR/$name.branches" --kallsyms "$DIR/kallsyms" --etm=_text \
		--phase "$(<"$DIR/$name.phase")" "$@"
	has "decode: equal"
}

@test "each CPU has an ETE and a TRBE, the machine an ETR; the drivers complain of nothing" {
	for device in ete0 ete1 trbe0 trbe1 funnel0 tmc_etr0; do grep -qx "$device" "$DIR/devices"; done
	grep -qx trbe0 "$DIR/sinks"
	grep -qx tmc_etr0 "$DIR/sinks"
	grep -E 'coresight|arm_trbe|BUG:|WARNING:|Oops' "$DIR/dmesg" | grep -v ' initiali[sz]ed$' | nothing
}

@test "user mode" { is_equal user --pieces all; }
# bats test_tags=long
@test "user mode: threads" { is_equal threads --pieces all; }
@test "user mode: one thread on one CPU" { is_equal pinned --pieces none; }
@test "user mode and kernel together" { is_equal both --pieces all; }
# bats test_tags=long
@test "kernel: threads on two CPUs" { is_equal clone --pieces all; }
@test "a snapshot: the newest part" { is_equal overwritten --pieces all --tail --least 2000; }
@test "one buffer for all CPUs: a task that moves" { is_equal shared --shared-sink; }
