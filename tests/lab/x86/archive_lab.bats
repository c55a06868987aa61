#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# --archive: programs of a root of their own, which is removed while the recording still runs, are traced; what is decoded
# on another machine, with another kernel and other libraries, is what ran, and has the same names as where it ran.

load ../../lib/helpers

# A directory with a static program, two dynamic ones and the library of these, which the linker under a name for each runs.
make_root() { # directory
	mkdir -p "$1/lib"
	cp /src/build/tests/user_branches "$1/app"
	cp /bin/date /bin/uname "$1"
	cp /lib/x86_64-linux-gnu/libc.so.6 "$1/lib"
	cp /lib64/ld-linux-x86-64.so.2 "$1/clock"
	cp /lib64/ld-linux-x86-64.so.2 "$1/plain"
}

# The first of them calls the kernel's library. To look in here whether all is open would be most of the trace.
run_away() { # command...
	/tmp/root/app all
	/tmp/root/clock --library-path /tmp/root/lib /tmp/root/date
	/tmp/root/plain --library-path /tmp/root/lib /tmp/root/uname
	"$@"
	sleep 5
	rm -r /tmp/root
}

record_archives() {
	export -f run_away
	make_root /tmp/root
	cp -r /tmp/root /tmp/again
	tar -C / -cf /out/root.tar tmp/root
	cat /proc/kallsyms >/out/kallsyms
	part away oracle-mark run --phase 31 --traced -- auxbpf -v --archive -e intel_pt//u --aux-size 16M -o /out/away -- \
		bash -c run_away
	mv /tmp/again /tmp/root
	part stream oracle-mark run --again --phase 32 --traced -- auxbpf -v --archive --stream -e intel_pt//u -o /out/stream -- \
		bash -c 'run_away chroot /tmp/root /app calls'
	part kernel auxbpf --archive --on-syscall uname -o /out/kernel -- uname
	# A capture of another kernel.
	part symbols perf --buildid-dir /out/host.data/debug script -i /out/host.data -F event,ip,sym
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark user_branches calls scripts/lab auxbpf perf
	mkdir "$BATS_FILE_TMPDIR/out"
	cd "$BATS_FILE_TMPDIR" || return
	with_tracefs auxbpf -o host -e sched:sched_process_exit -g --archive --snapshot-on end -- \
		bash -c 'for i in {1..20}; do calls 1; done'
	cp -r host/*.data out/host.data
	record_in_lab --oracle run_away make_root part record_archives
}

# perf with what is in the capture, on this machine: another kernel, other libraries, no program of these names.
elsewhere() { # name perf-script's arguments...
	local capture=$DIR/$1
	shift
	unshare --pid --fork --mount-proc perf --buildid-dir "$capture/debug" script -i "$capture" "$@"
}

# The same in the guest's root, but without the directory.
without_root() { # name perf-script's arguments...
	local capture=/out/$1
	shift
	lab host --out "$DIR" -- perf --buildid-dir "$capture/debug" script -i "$capture" "$@"
}

# The same where it ran: with the directory, and without the copies but for that of the kernel's library, which is this one's.
with_root() { # name perf-script's arguments...
	# shellcheck disable=SC2016 # for the shell there
	lab host --out "$DIR" -- sh -c 'tar -C / -xf /out/root.tar
		mkdir /tmp/vdso && cd "$1/debug" && cp --parents .build-id/*/*/vdso /tmp/vdso
		exec perf --buildid-dir /tmp/vdso script -i "$@"' sh "/out/$1" "${@:2}"
}

# What is decoded elsewhere is what ran.
is_equal() { # name phase
	elsewhere "$1" --itrace=be -F cpu,event,ip,addr >"$DIR/$1.branches"
	must oracle-check decode --oracle "$DIR/oracle" --script "$DIR/$1.branches" --kallsyms "$DIR/kallsyms" --phase "$2"
	has "decode: equal"
}

@test "on another machine: the same branches, though the root is gone" {
	ended away 0 "its programs and libraries are in /out/away/debug"
	is_equal away 31
}

@test "the same names as where it ran" {
	local how="--itrace=be -F comm,ip,sym,addr,dso"
	# shellcheck disable=SC2086 # words
	with_root away $how >"$DIR/there"
	# shellcheck disable=SC2086 # words
	without_root away $how >"$DIR/gone"
	[ "$(grep -c ' fibonacci (/tmp/root/app)' "$DIR/there")" -ge 1000 ]
	[ "$(grep -c ' (/tmp/root/lib/libc.so.6)' "$DIR/there")" -ge 1000 ]
	diff "$DIR/there" "$DIR/gone" | head -n 20 | nothing
}

@test "the functions of the kernel's library in each process" {
	without_root away --itrace=be -F comm,ip,sym,addr,dso | grep '\[vdso\]' >"$DIR/vdso"
	grep '^ *clock .*vdso' "$DIR/vdso"
	grep -F '[unknown] ([vdso])' "$DIR/vdso" | nothing
}

@test "--stream, and a program in a root of its own: the same" {
	ended stream 0
	is_equal stream 32
}

@test "the kernel alone: nothing is copied" {
	ended kernel 0
	[ ! -e "$DIR/kernel/debug" ]
}

@test "regular events: the kernel's symbols of another kernel" {
	ended symbols 0
	[ "$(grep -c 'ffffffff.* do_exit' "$DIR/symbols.stdout")" -ge 20 ]
	grep 'ffffffff.*\[unknown\]' "$DIR/symbols.stdout" | nothing
}
