# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154,SC2207
#
# auxbpf's options and what can be known of their values, for bash-completion. This is a template: where it says @NAME@ the
# build puts lines of the table of options, which name the functions here (completion_writer.c).

# Completes the last item of a list with commas (the characters $2, if given) between its items.
_auxbpf_list() { # words [separators]
	local last=${cur##*[${2-,}]}
	COMPREPLY=($(compgen -P "${cur%"$last"}" -W "$1" -- "$last"))
	compopt -o nospace
}

_auxbpf_words() { # words
	COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_auxbpf_syscalls() {
	_auxbpf_list "all $(auxbpf list syscalls 2>/dev/null |
		awk '{ for (i = 2; i <= NF; i++) if (!seen[$i]++) print $i }')" ',!'
}

_auxbpf_functions() {
	case $cur in
		*/*:*) _auxbpf_list "$({ nm "${cur%%:*}"; nm -D "${cur%%:*}"; } 2>/dev/null |
			sed -n 's/^.* [TtWi] //p')" : ;;
		*/*) _filedir && compopt -o nospace ;;
		??*) COMPREPLY=($(compgen -W "$(sed -n "s/^[^ ]* [tT] \(${cur//[!a-zA-Z0-9_]/}[^ \t]*\).*/\1/p" /proc/kallsyms)" \
			-- "$cur")) ;;
	esac
}

# The last event of a list: a comma among the terms of one, or a brace, does not end it. Without arguments each is one
# tracepoint.
_auxbpf_events() { # events that are no tracepoints
	local item=$cur events=/sys/kernel/tracing/events
	while [[ $item =~ ^[^,/]*(/[^/]*/[^,/]*)?,(.*)$ ]]; do item=${BASH_REMATCH[2]}; done
	item=${item#\{}
	case $item in
		*/*/*) _auxbpf_list "k u ku" / ;;
		*/*) _auxbpf_list "$(ls "/sys/bus/event_source/devices/${item%%/*}/format" 2>/dev/null)" ,/ ;;
		*:*) _auxbpf_list "$(cd "$events/${item%%:*}" 2>/dev/null && printf "${item%%:*}:%s\n" ${1:+'*'} */ | tr -d /)" ',{' ;;
		*) _auxbpf_list "$1 $(cd "$events" 2>/dev/null && printf '%s\n' */ | tr / :)" ',{' ;;
	esac
}

_auxbpf_cgroups() {
	local root
	root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/
	case $cur in
		"$root"*) COMPREPLY=($(compgen -d -- "$cur")) ;;
		/*) COMPREPLY=($(compgen -d -- "$root${cur#/}")) && COMPREPLY=("${COMPREPLY[@]/#"$root"/\/}") ;;
		*) COMPREPLY=($(compgen -d -- "$root$cur")) && COMPREPLY=("${COMPREPLY[@]#"$root"}") ;;
	esac
	compopt -o nospace
}

_auxbpf_containers() {
	_auxbpf_words "$(auxbpf list containers 2>/dev/null | awk '{ print $3 == "-" ? $2 : $3 }')"
}

_auxbpf_pids() {
	_auxbpf_list "$(cd /proc && printf '%s\n' [0-9]*)"
}

_auxbpf_tids() {
	_auxbpf_list "$(cd /proc && printf '%s\n' [0-9]*/task/* | sed 's|.*/||')"
}

_auxbpf_comms() {
	_auxbpf_words "$(cat /proc/[0-9]*/comm 2>/dev/null)"
}

_auxbpf_users() {
	_auxbpf_list "$(compgen -u)"
}

_auxbpf_user() {
	_auxbpf_words "$(compgen -u)"
}

_auxbpf_cpus() {
	_auxbpf_list "$(cd /sys/devices/system/cpu && printf '%s\n' cpu[0-9]* | sed s/cpu//)"
}

_auxbpf_commands() {
	COMPREPLY=($(compgen -c -- "$cur"))
}

_auxbpf_files() {
	_filedir
}

# Completes the value of an option; false if it takes none.
_auxbpf_value() { # option
	case $1 in
		# @bash-values@
		*) return 1 ;;
	esac
	return 0
}

# Where the traced command begins in `words`, or how many words there are.
_auxbpf_command() {
	local i
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
			--) ((i++)); break ;;
			# @bash-with-argument@
			-*) ;;
			*) break ;;
		esac
	done
	echo "$i"
}

_auxbpf_report_words() {
	case $prev in
		-s | --sort) COMPREPLY=($(compgen -W "calls total self p50 p90 p99 max" -- "$cur")) ;;
		-S | --symbols | --rule | --window | --slowest | --last | --time | --task) ;;
		--compare-with) _filedir ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")) ;;
		*)
			if [[ $cur == -* ]]; then
				COMPREPLY=($(compgen -W "-w --windows -g --graph --window --slowest --last --lines --show-gate -c --compare
					--compare-with -F --functions -s --sort -S --symbols --time --task --rule --color --no-pager
					-j --json -h --help" -- "$cur"))
			else
				_filedir
			fi
			;;
	esac
}

_auxbpf_export_words() {
	case $prev in
		-o | --output) _filedir ;;
		--window | --time | --task | --rule | --min-duration | --depth) ;;
		*)
			if [[ $cur == -* ]]; then
				COMPREPLY=($(compgen -W "-f --folded -H --html -p --perfetto -s --speedscope -o --output --window --time --task --rule
					--min-duration --depth --show-gate -h --help" -- "$cur"))
			else
				_filedir
			fi
			;;
	esac
}

_auxbpf() {
	local cur prev words cword split command options raw=0 word PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
	_init_completion -s -n : || return
	cur=${cur#[\'\"]}
	if [[ ${words[1]} == list && $cword -gt 1 ]]; then
		COMPREPLY=($(compgen -W "pmus syscalls containers -j --json -h --help" -- "$cur"))
		return
	fi
	if [[ ${words[1]} == report && $cword -gt 1 ]]; then
		_auxbpf_report_words
		return
	fi
	if [[ ${words[1]} == export && $cword -gt 1 ]]; then
		_auxbpf_export_words
		return
	fi
	command=$(_auxbpf_command)
	if ((command <= cword)) && [[ $command -lt $cword || ${words[cword - 1]} == -- ]]; then
		# The offset counts words that are split at : and =.
		for word in "${words[@]:0:command}"; do
			while [[ -n $word && $raw -lt $COMP_CWORD ]]; do
				word=${word#"${COMP_WORDS[raw++]}"}
			done
		done
		_command_offset "$raw"
	elif _auxbpf_value "$prev"; then
		__ltrim_colon_completions "$cur"
	elif [[ $cur == -* ]]; then
		# @bash-options@
		_auxbpf_words "$options"
	else
		COMPREPLY=($(compgen -d -c -- "$cur"))
		((cword > 1)) || COMPREPLY+=($(compgen -W "list report export" -- "$cur"))
	fi
} && complete -F _auxbpf auxbpf
