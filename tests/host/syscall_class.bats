#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The classes of system calls beside strace's own.

load ../lib/helpers

setup() {
	requires auxbpf every_syscall strace
}

# The numbers up to LAST that strace shows for a class. It shows numbers that it does not know for every class.
of_strace() { # class last
	strace -n -o "$BATS_TEST_TMPDIR/out" -e trace="$1" every_syscall "$2" &&
		sed -n '/\] syscall_0x/d; s/^\[ *\([0-9]*\)\] .* = -1 ENOSYS .*/\1/p' "$BATS_TEST_TMPDIR/out" | sort -nu
}

of_auxbpf() { # class last
	auxbpf list syscalls |
		awk -v class="$1" -v last="$2" '$1 <= last { for (i = 3; i <= NF; i++) if ($i == class) print $1 }'
}

@test "the classes of system calls are those of strace 6.1" {
	[[ $(strace -V) == "strace -- version 6.1"* ]] || skip "this is another strace, which may know other calls"
	# The last one that this strace knows.
	local last=450 class
	for class in %clock %creds %desc %file %fstat %fstatfs %ipc %lstat %memory %network %process %pure %signal %stat \
		%%stat %statfs %%statfs; do
		echo "$class"
		of_strace "$class" $last >"$BATS_TEST_TMPDIR/theirs"
		of_auxbpf "$class" $last >"$BATS_TEST_TMPDIR/ours"
		[ -s "$BATS_TEST_TMPDIR/ours" ]
		diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
	done
}
