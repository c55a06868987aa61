#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The man pages, the completions and where they are installed, on this machine's own kernel.

load ../lib/helpers

setup() {
	requires mandoc groff auxbpf
	[ -r /usr/share/bash-completion/bash_completion ] || {
		echo "these tests need the package bash-completion; run them with: make test" >&2
		return 1
	}
	COMMANDS=$AUXBPF_ROOT/src/commands
	cd "$BATS_TEST_TMPDIR"
}

# The words that bash offers for the end of a command line, one a line.
completions() { # line
	# shellcheck disable=SC2016 # for bash
	bash --norc -c '
		. /usr/share/bash-completion/bash_completion
		. "$1"
		compopt() { :; }
		COMP_LINE=$2 COMP_POINT=${#2}
		# : and = are words of their own, as with readline.
		read -ra COMP_WORDS < <(sed "s/[:=]\+/ & /g" <<<"$2")
		[[ $2 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_auxbpf
		printf "%s\n" "${COMPREPLY[@]}"' - "$AUXBPF_ROOT/build/completions/auxbpf.bash" "$1"
}

# What is offered are these words and no others.
completes() { # line words...
	local line=$1
	shift
	logged completions "$line"
	[ "$output" = "$(printf '%s\n' "$@")" ]
}

@test "install: where Debian looks for man pages and completions" {
	must make -s -C "$AUXBPF_ROOT" install DESTDIR="$BATS_TEST_TMPDIR/usr" PREFIX=/usr
	must sh -c 'cd "$1" && find . -type f -printf "%m %P\n" | sort' - "$BATS_TEST_TMPDIR/usr"
	[ "$output" = "$(cat <<-END
		644 usr/share/bash-completion/completions/auxbpf
		644 usr/share/fish/vendor_completions.d/auxbpf.fish
		644 usr/share/man/man7/auxbpf-rules.7
		644 usr/share/man/man8/auxbpf.8
		644 usr/share/zsh/vendor-completions/_auxbpf
		755 usr/sbin/auxbpf
	END
	)" ]
	must make -s -C "$AUXBPF_ROOT" install DESTDIR="$BATS_TEST_TMPDIR/local"
	[ -e "$BATS_TEST_TMPDIR/local/usr/local/share/zsh/site-functions/_auxbpf" ]
	[ -e "$BATS_TEST_TMPDIR/local/usr/local/share/man/man8/auxbpf.8" ]
}

# A number or size behind "at most" or "to", as both tell it.
@test "limits: help and man page tell the same ones" {
	local option limit text
	auxbpf --help all >help
	mandoc -T ascii "$COMMANDS/auxbpf.8" | sed 's/.\x08//g' >man
	while read -r option limit; do
		for text in help man; do
			# From the line of the option up to that of the next one.
			logged awk -v option="$option[ [,]" '/^ *-/ { there = $0 ~ option } there' $text
			output=$(tr -s '\n ' ' ' <<<"$output")
			has "$limit"
		done
	done <<-END
		--pid at most 63
		--tid at most 63
		--spare 64
		--sample-size at most 2G
		--aux-size at most 2G
		--aux-sample at most 60K
	END
}

@test "the man page tells of each variable of the environment that is read or set" {
	local name
	sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh [^E]/p' "$COMMANDS/auxbpf.8" >environment.man
	for name in $(grep -rnohE 'getenv\("[A-Z_]+"\)' "$AUXBPF_ROOT/src" | grep -oE '[A-Z_]{2,}') AUXBPF_RULE AUXBPF_SNAPSHOT; do
		grep "^\.It Ev .*$name" environment.man || { echo "$name is not in the man page"; return 1; }
	done
}

@test "man pages: no warnings, and text comes out" {
	local page
	for page in auxbpf.8 auxbpf-rules.7; do
		must mandoc -T lint -W warning "$COMMANDS/$page"
		must groff -mandoc -Tutf8 -ww -z "$COMMANDS/$page"
		[ -z "$output" ]
	done
	must sh -c 'groff -mandoc -Tascii -P-c "$1"' - "$COMMANDS/auxbpf.8"
	has "# auxbpf --on-syscall uname -- uname -a"
	must mandoc -T ascii "$COMMANDS/auxbpf-rules.7"
	has "--on-syscall 'openat(arg2 & O_CREAT)'"
}

# What is wrong with a command line is said before the trace PMU is looked for, and that is hidden.
@test "the examples of windows in auxbpf-rules are conditions" {
	local list count=0
	while read -r list; do
		echo "example: $list"
		logged unshare --mount sh -c 'mount -t tmpfs none /sys/bus/event_source/devices &&
			exec auxbpf --on-syscall "$1" -- true' - "$list"
		[ "$status" -eq 1 ]
		has "no trace PMU"
		count=$((count + 1))
	done < <(sed -n '/^\.Ss Of windows/,/^\.Ss Of triggers/s/^\.Dl //p' "$COMMANDS/auxbpf-rules.7" | sed 's/\\(dq/"/g; s/\\-/-/g')
	[ "$count" -ge 6 ]
}

# As above, from where a recording would begin.
is_command_line() { # line
	echo "example: $1"
	logged unshare --mount sh -c "mount -t tmpfs none /sys/bus/event_source/devices && exec $1"
	[ "$status" -eq 1 ]
	has "no trace PMU"
}

@test "the examples of triggers in auxbpf-rules are rules" {
	local rule count=0
	# Which tracepoints there are is the kernel's.
	while read -r rule; do
		is_command_line "auxbpf --snapshot-on '$rule' -- true"
		count=$((count + 1))
	done < <(sed -n '/^\.Ss Of triggers/,/^\.Bd/s/^\.Dl //p' "$COMMANDS/auxbpf-rules.7" | sed 's/\\-/-/g' | grep -v '^tracepoint:')
	[ "$count" -ge 12 ]
}

# A capture that is not there is all that is wrong with such a command line.
is_report() { # line
	logged eval "$1"
	[ "$status" -eq 1 ]
	[[ $output == *"could not read"* || $output == *"does not tell of windows"* ]]
}

# Those with something left out are not run.
@test "the examples of auxbpf(8) and README.md are command lines" {
	local line count=0
	while read -r line; do
		if [[ $line =~ ^auxbpf\ (report|export)\  ]]; then is_report "$line"; else is_command_line "$line"; fi
		count=$((count + 1))
	done < <({
		sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl # \(auxbpf .*\)/\1/p' "$COMMANDS/auxbpf.8" | sed 's/\\-/-/g; s/\<alice\>/nobody/'
		sed -n 's/^    # \(auxbpf .*\)/\1/p' "$AUXBPF_ROOT/README.md" | grep -v -e '\[\.\.\.\]' -e '^auxbpf list'
	})
	[ "$count" -ge 10 ]
}

@test "options: the man page names those of the table, and there is no second list" {
	must "$AUXBPF_ROOT/scripts/check-options"
}

# In a copy in which they are missing, or have another name, or stand in a second place.
@test "options: what is missing, and what is too much, is found" {
	mkdir "$BATS_TEST_TMPDIR/src"
	cp -r "$COMMANDS" "$AUXBPF_ROOT/src/base" "$BATS_TEST_TMPDIR/src"
	cd "$BATS_TEST_TMPDIR"
	local file
	must "$AUXBPF_ROOT/scripts/check-options" .
	sed -i '/^\.It Fl -no-follow/d' src/commands/auxbpf.8
	sed -i 's/"--comm"/"--named"/' src/commands/option_table.def
	logged "$AUXBPF_ROOT/scripts/check-options" .
	[ "$status" -eq 1 ]
	has 'src/commands/auxbpf.8: does not name --named --no-follow'
	has 'src/commands/auxbpf.8: names what auxbpf does not take: --comm'
	[ "${#lines[@]}" -eq 2 ]
	echo '{"wait", no_argument, NULL, 1},' >>src/commands/record.c
	echo '"      --comm NAME"' >>src/commands/main.c
	echo '_auxbpf_words "--max-size --min-free"' >>src/commands/completions/auxbpf.bash
	echo "'--stream[all]'" >>src/commands/completions/_auxbpf
	echo 'complete -c auxbpf -l scope' >>src/commands/completions/auxbpf.fish
	logged "$AUXBPF_ROOT/scripts/check-options" .
	[ "$status" -eq 1 ]
	has 'options belong into src/commands/option_table.def alone:'
	for file in record.c main.c completions/{auxbpf.bash,_auxbpf,auxbpf.fish}; do
		has "src/commands/$file:"
	done
	[ "${#lines[@]}" -eq 8 ]
	sed -i 's/{"pmus", /{"units", /; s/{"json", /{"text", /' src/commands/list.c
	logged "$AUXBPF_ROOT/scripts/check-options" .
	[ "$status" -eq 1 ]
	has 'the help text in src/commands/list.c: does not name --text'
	has 'the help text in src/commands/list.c: names what auxbpf does not take: --json'
	for file in list.c option_help.c; do
		has "src/commands/$file: the usage does not have the topics of list, units syscalls containers"
	done
	for file in auxbpf.bash _auxbpf auxbpf.fish; do
		has "src/commands/completions/$file: does not offer the topics of list, units syscalls containers"
	done
}

@test "bash completion: options, and the topics of list" {
	completes 'auxbpf --on-' --on-syscall --on-function --on-range --on-cpu
	completes 'auxbpf -q --no' --no-follow --no-sync
	completes 'auxbpf --help ' all
	completes 'auxbpf list p' pmus
	completes 'auxbpf list --j' --json
	completes 'auxbpf export --fo' --folded
	completes 'auxbpf report --tim' --time
	logged completions 'auxbpf li'
	grep -qx list <<<"$output"
}

@test "bash completion: values" {
	completes 'auxbpf --control ' kfunc tracepoint breakpoint ioctl
	completes 'auxbpf --control=t' tracepoint
	completes 'auxbpf --on-syscall unam' uname
	completes 'auxbpf --on-syscall %file,!renameat' '%file,!renameat' '%file,!renameat2'
	completes 'auxbpf --on-syscall=%%st' %%stat %%statfs
	completes 'auxbpf -q -u root,nobod' root,nobody
	completes 'auxbpf --user nobod' nobody
	# The number of another process may begin with this one's.
	logged completions "auxbpf -p 1,$$"
	grep -x "1,$$" <<<"$output"
	! grep -v "^1,$$" <<<"$output" || false
	completes 'auxbpf -e int' intel_pt//
	completes 'auxbpf -e cpu-clock,int' cpu-clock,intel_pt//
	completes 'auxbpf -e {page-faults,cpu-m' '{page-faults,cpu-migrations'
	completes 'auxbpf -e intel_pt//' intel_pt//{k,u,ku}
	completes 'auxbpf -e intel_pt/a,b/,page' intel_pt/a,b/,page-faults
	completes 'auxbpf --on-function vfs_fsync_r' vfs_fsync_range
	# What is before a : stays, to readline it is another word.
	completes 'auxbpf --on-function /bin/bash:rl_on_new_line_w' rl_on_new_line_with_prompt
}

@test "bash completion: cgroups and containers that are there" {
	local v2 id=3f1c5a9be0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
	v2=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -n "$v2" ]
	top=$v2/auxbpf-docs.$$
	mkdir -p "$top/docker/$id" "$top/machine.slice/machine-auxbpf-docs-$$.scope"
	completes "auxbpf -G auxbpf-docs.$$/d" "auxbpf-docs.$$/docker"
	completes "auxbpf --cgroup=/auxbpf-docs.$$/d" "/auxbpf-docs.$$/docker"
	completes "auxbpf --cgroup $top/d" "$top/docker"
	completes 'auxbpf --container 3f1c5a9be0d' 3f1c5a9be0d2
	completes "auxbpf --container auxbpf-docs-$$" "auxbpf-docs-$$"
}

@test "bash completion: behind the options it is the command's" {
	echo >"$BATS_TEST_TMPDIR/auxbpf-docs-file"
	cd "$BATS_TEST_TMPDIR"
	completes 'auxbpf --on-syscall uname -- cat auxbpf-d' auxbpf-docs-file
	completes 'auxbpf -o a:b -q cat auxbpf-d' auxbpf-docs-file
	completes 'auxbpf --aux-size=4M cat auxbpf-d' auxbpf-docs-file
	logged completions 'auxbpf -q -- base64'
	has base64
}

teardown() {
	[ -z "${top-}" ] || find "$top" -depth -type d -exec rmdir {} +
}
