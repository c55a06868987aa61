#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/test itself, in a small tree with tests of this file's own: make, the lab, the fuzzers and what installs are stubs.

load ../lib/helpers

setup() {
	requires git
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p scripts build/unit tests/{unit,host,lab/x86,lab/arm,fuzz}
	cp "$AUXBPF_ROOT/scripts/test" scripts/
	for stub in setup check lab fuzz; do
		printf '#!/bin/sh\necho "%s $*" >>stubs\n' "$stub" >"scripts/$stub"
	done
	chmod +x scripts/*
	printf 'all tests unit-tests:\nprint-O:\n\t@echo build\nbuild/unit/%%: ;\n' >Makefile
	unit_test rule 3 0
	bats_file host/quick 'echo "$TEST_QUICK" >quick_or_not'
	bats_file lab/x86/guest true
	bats_file lab/arm/guest_arm true
	bats_file host/crashes true long
	printf '# bats test_tags=long\n@test "takes long" {\n\ttouch long_too\n}\n' >>tests/host/quick.bats
}

unit_test() { # name passed failed
	touch "tests/unit/$1_test.c"
	printf '#!/bin/sh\necho "%s passed, %s failed"\nexit %s\n' "$2" "$3" "$3" >"build/unit/$1_test"
	chmod +x "build/unit/$1_test"
}

# A file with one test.
bats_file() { # name command [tag of the file]
	{
		echo '#!/usr/bin/env bats'
		[ -z "${3-}" ] || echo "# bats file_tags=$3"
		printf '@test "%s" {\n\t%s\n}\n' "${1##*/}" "$2"
	} >"tests/$1.bats"
}

commit() { # number of commits
	[ -e .git ] || git init -q .
	for _ in $(seq "$1"); do
		git -c user.name=name -c user.email=mail commit -q --allow-empty -m commit
	done
}

# As from a shell: the bats that runs this has variables, and a PATH, that the one that is run must not see.
runs() { # arguments...
	logged env -i PATH="${PATH//\/usr\/libexec\/bats-core:/}" HOME="$HOME" ${LEAST:+TEST_LEAST_TIME=$LEAST} scripts/test "$@"
}

# The order in which files began.
begun() {
	sed -n 's/^  RUN      [0-9]* of [0-9]*: //p' <<<"$output"
}

@test "all parts: what ran is counted, long tests are left out" {
	runs check unit both
	[ "$status" -eq 0 ]
	# scripts/check, three checks of the unit test, three bats files with a test each.
	[ "${lines[-1]}" = "7 passed, 0 failed" ]
	[ "$(<quick_or_not)" = yes ]
	[ ! -e long_too ]
	[ "$(begun | sort | tr '\n' ' ')" = "tests/host/quick.bats tests/lab/arm/guest_arm.bats tests/lab/x86/guest.bats " ]
	has "RUN      1 of 3: "
	has "RUN      3 of 3: "
	[ "$(grep -c '^ *[0-9]* s  tests/' <<<"$output")" -eq 3 ]
	[ "$(grep '^lab' stubs | tr '\n' ' ')" = "lab build lab build --arch aarch64 " ]
}

@test "long: all files, with all tests and no quick numbers, and the fuzzers" {
	touch tests/fuzz/words_fuzz.c
	runs long
	[ "$status" -eq 0 ]
	[ -z "$(<quick_or_not)" ]
	[ -e long_too ]
	has "RUN      5 of 5: "
	[ "${lines[-1]}" = "6 passed, 0 failed" ]
	grep -x 'fuzz words' stubs
}

@test "one: a bats file or a unit test by its name, and nothing that it does not need" {
	runs one quick
	[ "${lines[-1]}" = "1 passed, 0 failed" ]
	[ ! -e long_too ]
	[ "$(grep -c '^lab' stubs)" -eq 0 ]
	runs one tests/lab/x86/guest.bats
	[ "${lines[-1]}" = "1 passed, 0 failed" ]
	[ "$(grep '^lab' stubs)" = "lab build" ]
	runs one rule
	[ "${lines[-1]}" = "3 passed, 0 failed" ]
	runs one tests/unit/rule_test.c
	[ "${lines[-1]}" = "3 passed, 0 failed" ]
	runs long quick
	[ "${lines[-1]}" = "2 passed, 0 failed" ]
	[ -e long_too ]
}

@test "one: a file with long tests alone is run all the same" {
	runs one crashes
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "1 passed, 0 failed" ]
}

@test "one: an unknown name is a usage error that tells of near ones" {
	runs one gues
	[ "$status" -eq 2 ]
	has "no test is called gues; near to it:"
	has "  guest_arm"
	[[ $output != *quick* ]]
	runs one xyz
	[ "$status" -eq 2 ]
	has "none; they are in tests/unit"
	[ ! -e stubs ]
}

@test "an unknown part is a usage error" {
	for arguments in lap "check lap" one "rotating x" "long a b"; do
		# shellcheck disable=SC2086 # a list of words
		runs $arguments
		[ "$status" -eq 2 ]
		has "scripts/test [PART...]"
	done
	[ ! -e stubs ]
}

@test "a test that fails is told at the end, and the status is 1" {
	bats_file lab/x86/bad 'echo "because of this"; false'
	runs both
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "3 passed, 1 failed" ]
	[[ $output == *"== what failed"*"tests/lab/x86/bad.bats: not ok 1 bad"*"because of this"* ]]
	unit_test bad 2 1
	runs unit
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "5 passed, 1 failed" ]
}

@test "a file that bats cannot read, or that ends bats, is a failure" {
	printf '@test "x" {\n\tif\n}\n' >tests/host/unread.bats
	runs one unread
	[ "$status" -eq 1 ]
	[[ ${lines[-1]} == "0 passed, "[1-9]*" failed" ]]
	bats_file host/ended 'kill -KILL $PPID'
	printf '@test "another" {\n\ttrue\n}\n' >>tests/host/ended.bats
	runs one ended
	[ "$status" -eq 1 ]
	has "bats did not run all tests of tests/host/ended.bats: 1 of 2"
}

@test "a test that is skipped is counted as that" {
	bats_file host/none 'skip "not here"'
	runs one none
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "0 passed, 0 failed, 1 skipped" ]
}

@test "rotating: each commit begins with another file, and all are whole" {
	commit 1
	LEAST=1 runs rotating 100
	[ "$status" -eq 0 ]
	[ -e long_too ]
	[ "$(begun | grep host | tr '\n' ' ')" = "tests/host/quick.bats tests/host/crashes.bats " ]
	[ "$(begun | wc -l)" -eq 4 ]
	commit 1
	LEAST=1 runs rotating 100
	[ "$(begun | grep host | tr '\n' ' ')" = "tests/host/crashes.bats tests/host/quick.bats " ]
}

@test "rotating: nothing begins too late, and what the end of time ends is no failure" {
	commit 2
	runs rotating 100
	[ "$status" -eq 0 ]
	[ -z "$(begun)" ]
	[ "${lines[-1]}" = "0 passed, 0 failed" ]
	runs rotating -5
	[ "$status" -eq 0 ]
	bats_file host/crashes 'touch began; sleep 100; touch ended' long
	LEAST=6 runs rotating 15
	[ "$status" -eq 0 ]
	[ -e began ]
	has "  ENDED    tests/host/crashes.bats: the time was over"
	[[ $(begun) != *quick* ]]
	[[ ${lines[-1]} == *" passed, 0 failed" ]]
}

@test "rotating: a failure is one" {
	commit 1
	bats_file host/crashes false long
	LEAST=1 runs rotating 100
	[ "$status" -eq 1 ]
}
