# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154,SC2207
#
# auxbpf's options and what can be known of their values, for bash-completion.

# Completes the last item of a list with commas (the characters $2, if given) between its items.
_auxbpf_list() { # words [separators]
	local last=${cur##*[${2-,}]}
	COMPREPLY=($(compgen -P "${cur%"$last"}" -W "$1" -- "$last"))
	compopt -o nospace
}

_auxbpf_function() {
	case $cur in
		*/*:*) _auxbpf_list "$({ nm "${cur%%:*}"; nm -D "${cur%%:*}"; } 2>/dev/null |
			sed -n 's/^.* [TtWi] //p')" : ;;
		*/*) _filedir && compopt -o nospace ;;
		??*) COMPREPLY=($(compgen -W "$(sed -n "s/^[^ ]* [tT] \(${cur//[!a-zA-Z0-9_]/}[^ \t]*\).*/\1/p" /proc/kallsyms)" \
			-- "$cur")) ;;
	esac
}

# The last event of a list: a comma among the terms of one, or a brace, does not end it.
_auxbpf_event() {
	local item=$cur events=/sys/kernel/tracing/events
	while [[ $item =~ ^[^,/]*(/[^/]*/[^,/]*)?,(.*)$ ]]; do item=${BASH_REMATCH[2]}; done
	item=${item#\{}
	case $item in
		*/*/*) _auxbpf_list "k u ku" / ;;
		*/*) _auxbpf_list "$(ls "/sys/bus/event_source/devices/${item%%/*}/format" 2>/dev/null)" ,/ ;;
		*:*) _auxbpf_list "$(cd "$events/${item%%:*}" 2>/dev/null && printf "${item%%:*}:%s\n" '*' */ | tr -d /)" ',{' ;;
		*) _auxbpf_list "intel_pt// cs_etm// cpu-clock task-clock page-faults context-switches cpu-migrations cycles instructions branches branch-misses cache-references cache-misses \
			$(cd "$events" 2>/dev/null && printf '%s\n' */ | tr / :)" ',{' ;;
	esac
}

_auxbpf_cgroup() {
	local root
	root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/
	case $cur in
		"$root"*) COMPREPLY=($(compgen -d -- "$cur")) ;;
		/*) COMPREPLY=($(compgen -d -- "$root${cur#/}")) && COMPREPLY=("${COMPREPLY[@]/#"$root"/\/}") ;;
		*) COMPREPLY=($(compgen -d -- "$root$cur")) && COMPREPLY=("${COMPREPLY[@]#"$root"}") ;;
	esac
	compopt -o nospace
}

# Completes the value of an option; false if it takes none.
_auxbpf_value() { # option
	case $1 in
		--on-syscall) _auxbpf_list "all $(auxbpf list syscalls 2>/dev/null |
			awk '{ for (i = 2; i <= NF; i++) if (!seen[$i]++) print $i }')" ',!' ;;
		--on-function) _auxbpf_function ;;
		-p | --pid) _auxbpf_list "$(cd /proc && printf '%s\n' [0-9]*)" ;;
		-t | --tid) _auxbpf_list "$(cd /proc && printf '%s\n' [0-9]*/task/* | sed 's|.*/||')" ;;
		-G | --cgroup) _auxbpf_cgroup ;;
		--container) COMPREPLY=($(compgen -W "$(auxbpf list containers 2>/dev/null |
			awk '{ print $3 == "-" ? $2 : $3 }')" -- "$cur")) ;;
		--comm) COMPREPLY=($(compgen -W "$(cat /proc/[0-9]*/comm 2>/dev/null)" -- "$cur")) ;;
		-u | --uid) _auxbpf_list "$(compgen -u)" ;;
		-C | --cpu) _auxbpf_list "$(cd /sys/devices/system/cpu && printf '%s\n' cpu[0-9]* | sed s/cpu//)" ;;
		--snapshot-on) COMPREPLY=($(compgen -W "syscall: function: tracepoint: offcpu runq signal: exit exec fork oom SIGUSR2 end" \
			-- "$cur")) ;;
		--scope) COMPREPLY=($(compgen -W "cpu task all" -- "$cur")) ;;
		--lookback) COMPREPLY=($(compgen -W "10ms 100ms 1s 10s all" -- "$cur")) ;;
		--after) COMPREPLY=($(compgen -W "100us 1ms 10ms" -- "$cur")) ;;
		--spare) COMPREPLY=($(compgen -W "1 2 4 8" -- "$cur")) ;;
		--exec) COMPREPLY=($(compgen -c -- "$cur")) ;;
		--max-time) COMPREPLY=($(compgen -W "1s 10s 1m 10m" -- "$cur")) ;;
		--max-rate) COMPREPLY=($(compgen -W "1/s 10/s 100/s" -- "$cur")) ;;
		--max-snapshots) COMPREPLY=($(compgen -W "1 10 100 1000 0" -- "$cur")) ;;
		--cool-down) COMPREPLY=($(compgen -W "50ms 1s 1m 0" -- "$cur")) ;;
		--max-size | --min-free) COMPREPLY=($(compgen -W "256M 1G 10G 0" -- "$cur")) ;;
		--when-full) COMPREPLY=($(compgen -W "oldest stop" -- "$cur")) ;;
		-o | --output | --rules) _filedir ;;
		-e | --event) _auxbpf_event ;;
		-M | --sample-size | --aux-size) COMPREPLY=($(compgen -W "64K 256K 1M 4M 16M 64M 256M 1G" -- "$cur")) ;;
		--call-graph) COMPREPLY=($(compgen -W "fp dwarf dwarf,4096" -- "$cur")) ;;
		-h | --help) COMPREPLY=($(compgen -W all -- "$cur")) ;;
		--control) COMPREPLY=($(compgen -W "kfunc tracepoint breakpoint ioctl" -- "$cur")) ;;
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
			--on-syscall | --on-function | --pid | --tid | --cgroup | --container | --comm | --uid | --cpu | --output | \
				--event | --sample-size | --call-graph | --aux-size | --max-time | --control | --snapshot-on | --rules | --scope | --lookback | --after | --spare | --exec | \
				--max-rate | --max-snapshots | --cool-down | --max-size | --when-full | --min-free | \
				-[ptGuCoeM]) ((i++)) ;;
			-*) ;;
			*) break ;;
		esac
	done
	echo "$i"
}

_auxbpf() {
	local cur prev words cword split command raw=0 word PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
	_init_completion -s -n : || return
	cur=${cur#[\'\"]}
	if [[ ${words[1]} == list && $cword -gt 1 ]]; then
		COMPREPLY=($(compgen -W "pmus syscalls containers -j --json -h --help" -- "$cur"))
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
		COMPREPLY=($(compgen -W "--on-syscall --on-function --on-cpu -p --pid -t --tid --no-follow -G --cgroup \
			--container --wait --comm -u --uid -a --all-cpus -C --cpu --snapshot-on --rules --scope --lookback --after --spare --exec \
			--max-rate --max-snapshots --cool-down --max-size --when-full --min-free \
			--stream -o --output -e --event -M --sample-size -g --callchains --call-graph --aux-sample --aux-size -z --compression-level --namespaces --all-cgroups --archive --buildid-cache --no-sync --max-time --control \
			-q --quiet -v --verbose --version -h --help" -- "$cur"))
	else
		COMPREPLY=($(compgen -d -c -- "$cur"))
		((cword > 1)) || COMPREPLY+=($(compgen -W list -- "$cur"))
	fi
} && complete -F _auxbpf auxbpf
