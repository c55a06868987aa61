#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The check of the layers finds what it is for, and a header that changes rebuilds what includes it.

load ../lib/helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p src/{base,perfdata,trace/intel_pt,session}
	echo '#include "base/log.h"' >src/base/log.c
	echo '#include "base/log.h"' >src/perfdata/record.c
}

# Runs the check, which must complain.
must_complain() {
	logged "$AUXBPF_ROOT/scripts/check-layers" .
	[ "$status" -eq 1 ]
}

@test "layers: includes of what is below are right" {
	must "$AUXBPF_ROOT/scripts/check-layers" .
}

@test "layers: an include of a layer above is found, in a nested folder too" {
	echo '#include "session/session.h"' | tee src/trace/ring.c >src/trace/intel_pt/sync.c
	must_complain
	has "src/trace/ring.c:1: src/trace must not include session/session.h"
	has "src/trace/intel_pt/sync.c:1: src/trace/intel_pt must not include session/session.h"
}

@test "layers: modules that include one another in a circle are found" {
	echo '#include "trace/b.h"' >src/trace/a.c
	echo '#include "trace/c.h"' >src/trace/b.h
	echo '#include "trace/a.h"' >src/trace/c.h
	echo '#include "trace/a.h"' >src/session/session.c
	must_complain
	has "src/trace/a is in a circle of includes: it needs trace/b"
	has "src/trace/b is in a circle"
	has "src/trace/c is in a circle"
	[[ $output != *src/session/session* ]]
}

@test "layers: a descriptor or libbpf in a pure folder is found" {
	echo '#include <fcntl.h>' >src/perfdata/record.c
	echo '#include <bpf/libbpf.h>' >src/perfdata/merge.c
	must_complain
	has "src/perfdata/record.c:1: src/perfdata must not include <fcntl.h>"
	has "src/perfdata/merge.c:1: src/perfdata must not include <bpf/libbpf.h>"
}

@test "layers: a descriptor in a module that says it is pure is found, and in no other" {
	echo '#include <fcntl.h>' | tee src/trace/ring.c >src/trace/intel_pt/sync.c
	echo ' * Pure: neither file descriptors nor libbpf.' >src/trace/intel_pt/sync.h
	must_complain
	has "src/trace/intel_pt/sync.c:1: src/trace/intel_pt must not include <fcntl.h>"
	[[ $output != *src/trace/ring.c* ]]
}

@test "layers: a directory that is no layer, and a relative include, are found" {
	mkdir -p src/util src/trace/other
	echo 'int x;' | tee src/util/x.c >src/trace/other/y.c
	echo '#include "../base/log.h"' >src/perfdata/record.c
	must_complain
	has "src/util is not a layer"
	has "src/trace/other is not a layer"
	has "src/perfdata/record.c:1: includes by a relative path"
}

@test "layers: a lock that lends no priority is found" {
	echo '	pthread_mutex_init(&lock, NULL);' | tee src/base/thread.c src/trace/ring.c
	must_complain
	has "src/trace/ring.c:1: a lock is made by thread__init_lock(), so that it lends priority"
	[[ $output != *src/base/thread.c* ]]
}

# In a copy, so that the checkout's own files keep their times, with what is built. What only tests need is left out; the version
# is another one, so that one file is compiled and auxbpf linked.
copy_of_the_source() {
	requires auxbpf
	mkdir copy
	tar -C "$AUXBPF_ROOT" --exclude build/unit --exclude build/tests --exclude 'build/check-*' --exclude build/trace-unit \
		-cf - Makefile bpf src vmlinux build | tar -C copy -xpf -
	cd copy || return
	must make -j2 all
}

@test "a header that changes rebuilds what includes it, and nothing else" {
	copy_of_the_source
	touch -d '+1 minute' src/base/nearest.h
	must make build/base/nearest.o build/rules/syscall_set.o build/base/parse.o
	has "src/base/nearest.c"
	has "src/rules/syscall_set.c"
	[[ $output != *src/base/parse.c* ]]
}

@test "the BPF program is rebuilt when its shared header changes, and what knows nothing of it is not" {
	copy_of_the_source
	touch -d '+1 minute' bpf/auxbpf_shared.h
	must make -j2 all
	has "bpf/auxbpf.bpf.c"
	has "build/bpf/auxbpf.skel.h"
	has "/gate.c"
	[[ $output != */parse.c* ]]
	[ build/auxbpf -nt build/bpf/auxbpf.skel.h ]
}

@test "install takes DESTDIR and PREFIX" {
	copy_of_the_source
	must make install DESTDIR="$PWD/root" PREFIX=/opt
	[ -x root/opt/sbin/auxbpf ]
}
