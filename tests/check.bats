#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The check of the layers finds what it is for, and a header that changes rebuilds what includes it.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p src/{base,pure,kernel,session,commands}
	echo '#include "base/log.h"' >src/base/log.c
	echo '#include "base/log.h"' >src/perfdata/record.c
}

@test "layers: downward includes are right" {
	must "$AUXBPF_ROOT/scripts/check-layers" .
}

@test "layers: an include of a layer above is found" {
	echo '#include "session/session.h"' >src/trace/ring.c
	logged "$AUXBPF_ROOT/scripts/check-layers" .
	[ "$status" -eq 1 ]
	has "src/trace/ring.c:1: src/kernel must not include session/session.h"
}

@test "layers: a descriptor or libbpf in src/pure is found" {
	echo '#include <fcntl.h>' >src/perfdata/record.c
	echo '#include <bpf/libbpf.h>' >src/perfdata/merge.c
	logged "$AUXBPF_ROOT/scripts/check-layers" .
	[ "$status" -eq 1 ]
	has "src/perfdata/record.c:1: src/pure must not include <fcntl.h>"
	has "src/perfdata/merge.c:1: src/pure must not include <bpf/libbpf.h>"
}

@test "layers: a directory that is no layer, and a relative include, are found" {
	mkdir src/util
	echo 'int x;' >src/util/x.c
	echo '#include "../base/log.h"' >src/perfdata/record.c
	logged "$AUXBPF_ROOT/scripts/check-layers" .
	[ "$status" -eq 1 ]
	has "src/util is not a layer"
	has "src/perfdata/record.c:1: includes by a relative path"
}

@test "layers: a lock that lends no priority is found" {
	echo '	pthread_mutex_init(&lock, NULL);' | tee src/base/thread.c src/trace/ring.c
	logged "$AUXBPF_ROOT/scripts/check-layers" .
	[ "$status" -eq 1 ]
	has "src/trace/ring.c:1: a lock is made by thread__init_lock(), so that it lends priority"
	[[ $output != *src/base/thread.c* ]]
}

# In a copy, so that the checkout's own files keep their times.
copy_of_the_source() {
	cp -r "$AUXBPF_ROOT"/{Makefile,bpf,src,vmlinux} . # tests/ is not needed to build auxbpf
	make -s -j2 all
}

@test "a header that changes rebuilds what includes it, and nothing else" {
	copy_of_the_source
	touch -d '+1 minute' src/base/nearest.h
	must make build/pure/nearest.o build/pure/syscall_set.o build/base/parse.o
	has "src/base/nearest.c"
	has "src/rules/syscall_set.c"
	[[ $output != *src/base/parse.c* ]]
}

@test "the BPF program is rebuilt when its shared header changes" {
	copy_of_the_source
	touch -d '+1 minute' bpf/auxbpf_shared.h
	logged make -n build/auxbpf
	has "bpf/auxbpf.bpf.c"
}

@test "install takes DESTDIR and PREFIX" {
	copy_of_the_source
	must make install DESTDIR="$PWD/root" PREFIX=/opt
	[ -x root/opt/sbin/auxbpf ]
}
