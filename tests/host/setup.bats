#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/setup, on a machine made of stubs: $machine/installed and $machine/known list packages, $machine/log what
# apt-get was asked for.

setup() {
	setup=$BATS_TEST_DIRNAME/../../scripts/setup
	machine=$BATS_TEST_TMPDIR
	mkdir "$machine/bin"
	export machine PATH=$machine/bin:$PATH AUXBPF_OS_RELEASE=$machine/os-release
	unset AUXBPF_NO_SETUP
	echo 'ID=debian PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"' >"$AUXBPF_OS_RELEASE"
	touch "$machine/installed" "$machine/log"
	stub dpkg 'echo amd64'
	stub id 'echo 0'
	stub dpkg-query 'shift 3; for p; do grep -qx "$p" "$machine/installed" && echo "ii |$p" || status=1; done; exit ${status:-0}'
	stub apt-cache 'grep -qx "$2" "$machine/known" 2>/dev/null && echo "  Candidate: 1.0" || true'
	stub apt-get '
		while [ "${1#-}" != "$1" ]; do case $1 in -o) shift 2 ;; *) shift ;; esac; done
		echo "$*" >>"$machine/log"
		case $1 in
			update) touch "$machine/updated"; cat "$machine/archive" >"$machine/known" 2>/dev/null || true ;;
			install) shift; [ ! -e "$machine/stale" ] || [ -e "$machine/updated" ] || exit 100
				for p; do [ "${p#-}" != "$p" ] || echo "$p" >>"$machine/installed"; done ;;
		esac'
}

stub() { # name, text
	printf '#!/bin/bash\n%s\n' "$2" >"$machine/bin/$1"
	chmod +x "$machine/bin/$1"
}

# Every package that setup wants, as setup says it.
wanted() {
	"$setup" --check | sed -n 's/^setup: missing: //p' | tr ' ' '\n'
}

@test "installs what is missing, saying so, and nothing the second time" {
	wanted >"$machine/known"
	grep -v -e '^clang' -e bats "$machine/known" >"$machine/installed"
	run "$setup"
	[ "$status" -eq 0 ]
	[[ $output == *"installing 3 packages: bats clang clang-format"* ]]
	[ "$(cat "$machine/log")" = "install --no-install-recommends bats clang clang-format" ]
	: >"$machine/log"
	run "$setup"
	[ "$status" -eq 0 ]
	[ ! -s "$machine/log" ]
}

@test "what the README's commands need is on the list" {
	run wanted
	for package in gcc make clang llvm libbpf-dev bpftool libelf-dev libdw-dev zlib1g-dev libseccomp-dev libzstd-dev libjson-c-dev libprotobuf-c-dev protobuf-c-compiler protobuf-compiler pkgconf libglib2.0-dev \
		bats debootstrap shellcheck strace libipt-dev libopencsd-dev linux-perf gcc-multilib; do
		grep -qx "$package" <<<"$output" || { echo "not on the list: $package"; return 1; }
	done
}

@test "lists of packages that were never fetched are fetched first" {
	wanted >"$machine/archive"
	run "$setup"
	[ "$status" -eq 0 ]
	[ "$(head -n 1 "$machine/log")" = update ]
	[ "$(grep -c '^install' "$machine/log")" -eq 1 ]
}

@test "lists that are older than the packages are fetched again" {
	wanted | tee "$machine/archive" >"$machine/known"
	touch "$machine/stale"
	run "$setup"
	[ "$status" -eq 0 ]
	[ "$(cut -d ' ' -f 1 "$machine/log" | tr '\n' ' ')" = "install update install " ]
}

@test "--check says what is missing, exits 1 and installs nothing" {
	run "$setup" --check
	[ "$status" -eq 1 ]
	[[ $output == "setup: missing: "*libbpf-dev* ]]
	[ ! -s "$machine/log" ]
}

@test "32-bit libraries are for amd64 alone" {
	stub dpkg 'echo arm64'
	run "$setup" --check
	[[ $output != *multilib* ]]
}

@test "without root it says what root would install" {
	stub id 'echo 1000'
	run "$setup"
	[ "$status" -eq 1 ]
	[[ $output == *libbpf-dev*"sudo scripts/setup"* ]]
	[ ! -s "$machine/log" ]
}

@test "packages that cannot be had are an error" {
	stub apt-get 'exit 100'
	run "$setup"
	[ "$status" -ne 0 ]
}

@test "on another distribution it says what is needed, and fails" {
	echo 'ID=fedora PRETTY_NAME="Fedora Linux 43"' >"$AUXBPF_OS_RELEASE"
	run "$setup"
	[ "$status" -eq 1 ]
	[[ $output == *"Fedora Linux 43"* ]]
	for need in libbpf libelf libdw zlib libseccomp bpftool clang debootstrap bats; do
		[[ $output == *$need* ]] || { echo "not named: $need"; return 1; }
	done
	[ ! -s "$machine/log" ]
	AUXBPF_NO_SETUP=1 run "$setup"
	[ "$status" -eq 0 ]
}

@test "what only benchmarks need is installed for them only" {
	[[ $(wanted) != *bpftrace* ]]
	echo bpftrace >"$machine/known"
	run "$setup" bench
	[ "$status" -eq 0 ]
	[ "$(cat "$machine/log")" = "install --no-install-recommends bpftrace" ]
}

@test "what only an arm64 build needs is installed for it only, its architecture is added once" {
	stub dpkg 'case $1 in
		--print-architecture) echo amd64 ;;
		--print-foreign-architectures) cat "$machine/foreign" 2>/dev/null || true ;;
		--add-architecture) echo "$2" >>"$machine/foreign"; echo "$*" >>"$machine/log" ;;
	esac'
	stub gcc 'echo 12'
	[[ $(wanted) != *arm64* ]]
	echo libelf-dev:arm64 >"$machine/installed"
	printf '%s\n' lld libc6-dev:arm64 libgcc-12-dev:arm64 libbpf-dev:arm64 zlib1g-dev:arm64 libseccomp-dev:arm64 \
		libzstd-dev:arm64 libjson-c-dev:arm64 libprotobuf-c-dev:arm64 >"$machine/archive"
	run "$setup" arm64
	[ "$status" -eq 0 ]
	[ "$(head -n 2 "$machine/log" | tr '\n' ,)" = "--add-architecture arm64,update," ]
	[[ $(tail -n 1 "$machine/log") == "install --no-install-recommends "*"lld zlib1g-dev:arm64" ]]
	[[ $(tail -n 1 "$machine/log") != *libelf-dev* ]]
	: >"$machine/log"
	run "$setup" arm64
	[ "$status" -eq 0 ]
	[ ! -s "$machine/log" ]
	sed -i '/libbpf/d' "$machine/installed"
	run "$setup" arm64
	[ "$status" -eq 0 ]
	[ "$(cat "$machine/log")" = "install --no-install-recommends libbpf-dev:arm64" ]
}

@test "on arm64 the arm64 build takes the machine's own packages" {
	stub dpkg 'echo arm64'
	stub gcc 'echo 12'
	printf '%s\n' lld libc6-dev libgcc-12-dev libbpf-dev libelf-dev libdw-dev zlib1g-dev libcap-dev libseccomp-dev libzstd-dev libjson-c-dev libprotobuf-c-dev >"$machine/installed"
	stub dpkg-query 'shift 3; for p; do grep -qx "${p%:arm64}" "$machine/installed" && echo "ii |${p%:arm64}" || status=1; done; exit ${status:-0}'
	run "$setup" arm64
	[ "$status" -eq 0 ]
	[ "$output" = "setup: nothing is missing" ]
}

@test "an unknown argument is a usage error" {
	run "$setup" --remove
	[ "$status" -eq 2 ]
}
