# SPDX-License-Identifier: GPL-2.0-only
#
# auxbpf's options and what can be known of their values, for fish. This is a template: where it says @NAME@ the build puts
# lines of the table of options, which name the functions here (completion_writer.c).

# The words, behind what is there already of a list with commas between its items.
function __auxbpf_list
    set -l before (commandline -ct | string replace -r '^--[a-z-]*=' '' | string match -r '.*[,!]')
    printf '%s\n' "$before"$argv
end

function __auxbpf_show
    set -lx PATH $PATH /usr/local/sbin /usr/sbin /sbin
    auxbpf list $argv 2>/dev/null
end

function __auxbpf_syscalls
    __auxbpf_list all (__auxbpf_show syscalls | awk '{ for (i = 2; i <= NF; i++) if (!seen[$i]++) print $i }')
end

function __auxbpf_functions
    set -l file (commandline -ct | string replace -r '^--[a-z-]*=' '' | string match -r '^.*/[^:]*(?=:)')
    if test -n "$file"; and command -q nm
        begin
            nm $file
            nm -D $file
        end 2>/dev/null | sed -n "s|^.* [TtWi] |$file:|p"
    else if commandline -ct | string match -q '*/*'
        __fish_complete_path (commandline -ct)
    else
        sed -n 's/^[^ ]* [tT] \([^ \t]*\).*/\1/p' /proc/kallsyms
    end
end

# The last event of a list: a comma among the terms of one, or a brace, does not end it. The arguments are events that are no tracepoints.
# Without them each is one tracepoint.
function __auxbpf_events
    set -l events /sys/kernel/tracing/events
    set -l parts (commandline -ct | string replace -r '^--[a-z-]*=' '' |
        string match -r '^((?:[^,/]*(?:/[^/]*/[^,/]*)?,)*\{?)(.*)$')
    set -l before $parts[2]
    set -l item "$parts[3]"
    set -l name (string replace -r '[/:].*' '' -- "$item")
    switch "$item"
        case '*/*/*'
            printf '%s\n' "$before"(string replace -r '[^/]*$' '' -- $item){k,u,ku}
        case '*/*'
            set -l terms /sys/bus/event_source/devices/$name/format/*
            printf '%s\n' "$before"(string replace -r '[^/,]*$' '' -- $item)(string replace -r '.*/' '' $terms)
        case '*:*'
            set -l tracepoints $events/$name/*/
            set -q argv[1]
            and printf '%s\n' "$before$name:"'*'
            printf '%s\n' "$before$name:"(string replace -r '.*/(.*)/' '$1' $tracepoints)
        case '*'
            set -l categories $events/*/
            printf '%s\n' "$before"$argv \
                "$before"(string replace -r '.*/(.*)/' '$1:' $categories)
    end
end

function __auxbpf_cgroups
    set -l root (findmnt -n -t cgroup2 -o TARGET | head -n 1)
    find $root -mindepth 1 -type d 2>/dev/null | string replace "$root/" ''
end

function __auxbpf_containers
    __auxbpf_show containers | awk '{ print $3 == "-" ? $2 : $3 }'
end

function __auxbpf_pids
    __fish_complete_pids
end

function __auxbpf_tids
    __auxbpf_list (string replace -r '.*/' '' /proc/*/task/*)
end

function __auxbpf_comms
    cat /proc/*/comm 2>/dev/null | sort -u
end

function __auxbpf_users
    __fish_complete_users
end

function __auxbpf_user
    __fish_complete_users
end

function __auxbpf_cpus
    __auxbpf_list (string match -rg '/cpu([0-9]+)' /sys/devices/system/cpu/cpu*)
end

function __auxbpf_commands
    __fish_complete_command
end

function __auxbpf_command
    # @fish-with-argument@
    __fish_complete_subcommand $with_argument
end

set -l list '__fish_seen_subcommand_from list'
set -l report '__fish_seen_subcommand_from report'
set -l export '__fish_seen_subcommand_from export'
set -l main 'not __fish_seen_subcommand_from list report export'

complete -c auxbpf -f
complete -c auxbpf -n $main -a '(__auxbpf_command)'
complete -c auxbpf -n $list -a 'pmus syscalls containers'
complete -c auxbpf -n $list -s j -l json -d 'as JSON'
complete -c auxbpf -n 'test (count (commandline -opc)) = 1' -a list -d 'what this machine offers'
complete -c auxbpf -n 'test (count (commandline -opc)) = 1' -a report -d 'shows a capture'
complete -c auxbpf -n 'test (count (commandline -opc)) = 1' -a export -d 'a capture for other programs'
complete -c auxbpf -n $report -F
complete -c auxbpf -n $report -s w -l windows -d 'how long the windows took'
complete -c auxbpf -n $report -s g -l graph -d 'the calls as a tree'
complete -c auxbpf -n $report -l window -x -d 'the calls of one window'
complete -c auxbpf -n $report -l slowest -x -d 'the calls of the slowest windows'
complete -c auxbpf -n $report -l last -x -d 'the calls of the last windows'
complete -c auxbpf -n $report -l lines -d 'the calls with their source lines'
complete -c auxbpf -n $report -l show-gate -d 'also the work of auxbpf itself'
complete -c auxbpf -n $report -l rule -x -d 'the snapshots of these rules alone'
complete -c auxbpf -n $report -l color -x -a 'auto always never' -d 'the calls in colours'
complete -c auxbpf -n $report -l no-pager -d 'without a pager'
complete -c auxbpf -n $report -s c -l compare -d 'what was different'
complete -c auxbpf -n $report -l compare-with -r -F -d 'what was different from another capture'
complete -c auxbpf -n $report -s F -l functions -d 'a table of functions'
complete -c auxbpf -n $report -s s -l sort -x -a 'calls total self p50 p90 p99 max' -d 'its order'
complete -c auxbpf -n $report -s S -l symbols -x -d 'these functions alone'
complete -c auxbpf -n $report -l time -x -d 'between two time stamps'
complete -c auxbpf -n $report -l task -x -d 'this thread alone'
complete -c auxbpf -n $report -s j -l json -d 'as JSON'
complete -c auxbpf -n $export -F
complete -c auxbpf -n $export -s f -l folded -d 'for flame graphs'
complete -c auxbpf -n $export -s H -l html -d 'a page for a browser'
complete -c auxbpf -n $export -s p -l perfetto -d 'for ui.perfetto.dev'
complete -c auxbpf -n $export -s s -l speedscope -d 'for speedscope'
complete -c auxbpf -n $export -s o -l output -r -F -d 'write here'
complete -c auxbpf -n $export -l window -x -d 'one window'
complete -c auxbpf -n $export -l time -x -d 'between two time stamps'
complete -c auxbpf -n $export -l task -x -d 'this thread alone'
complete -c auxbpf -n $export -l rule -x -d 'the snapshots of these rules alone'
complete -c auxbpf -n $export -l min-duration -x -d 'leave out shorter calls'
complete -c auxbpf -n $export -l depth -x -d 'leave out deeper calls'
complete -c auxbpf -n $export -l show-gate -d 'also the work of auxbpf itself'
# @fish-options@
