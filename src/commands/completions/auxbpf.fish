# SPDX-License-Identifier: GPL-2.0-only
#
# auxbpf's options and what can be known of their values, for fish.

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

# The last event of a list: a comma among the terms of one, or a brace, does not end it.
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
            printf '%s\n' "$before$name:"'*' "$before$name:"(string replace -r '.*/(.*)/' '$1' $tracepoints)
        case '*'
            set -l categories $events/*/
            printf '%s\n' "$before"{intel_pt//,cs_etm//,cpu-clock,task-clock,page-faults,context-switches,cpu-migrations,cycles,instructions,branches,branch-misses,cache-references,cache-misses} \
                "$before"(string replace -r '.*/(.*)/' '$1:' $categories)
    end
end

function __auxbpf_cgroups
    set -l root (findmnt -n -t cgroup2 -o TARGET | head -n 1)
    find $root -mindepth 1 -type d 2>/dev/null | string replace "$root/" ''
end

# Short options first: those before them would be taken for options of the function.
function __auxbpf_command
    __fish_complete_subcommand -p -t -G -u -C -o -e -M --on-syscall --on-function --pid --tid --cgroup --container --comm \
        --uid --cpu --output --event --sample-size --call-graph --aux-size --max-time --control --snapshot-on --rules --scope --lookback --after --spare --exec --max-rate --max-snapshots \
        --cool-down --max-size --when-full --min-free
end

set -l list '__fish_seen_subcommand_from list'
set -l main 'not __fish_seen_subcommand_from list'

complete -c auxbpf -f
complete -c auxbpf -n $main -a '(__auxbpf_command)'
complete -c auxbpf -n $list -a 'pmus syscalls containers'
complete -c auxbpf -n $list -s j -l json -d 'as JSON'
complete -c auxbpf -n 'test (count (commandline -opc)) = 1' -a list -d 'what this machine offers'
complete -c auxbpf -n $main -l on-syscall -x -a '(__auxbpf_syscalls)' -d 'window: in these system calls'
complete -c auxbpf -n $main -l on-function -x -a '(__auxbpf_functions)' -d 'window: in this function'
complete -c auxbpf -n $main -l on-cpu -d 'window: whenever targets run'
complete -c auxbpf -n $main -s p -l pid -x -a '(__fish_complete_pids)' -d 'these processes'
complete -c auxbpf -n $main -s t -l tid -x -a '(__auxbpf_list (string replace -r ".*/" "" /proc/*/task/*))' -d 'these threads'
complete -c auxbpf -n $main -l no-follow -d 'not their children'
complete -c auxbpf -n $main -s G -l cgroup -x -a '(__auxbpf_cgroups)' -d 'tasks in this cgroup or below'
complete -c auxbpf -n $main -l container -x -d 'tasks of this container, pod or unit' \
    -a '(__auxbpf_show containers | awk \'{ print $3 == "-" ? $2 : $3 }\')'
complete -c auxbpf -n $main -l wait -d 'for containers that start later'
complete -c auxbpf -n $main -l comm -x -a '(cat /proc/*/comm 2>/dev/null | sort -u)' -d 'tasks of this name'
complete -c auxbpf -n $main -s u -l uid -x -a '(__fish_complete_users)' -d 'tasks of these users'
complete -c auxbpf -n $main -s a -l all-cpus -d 'every task'
complete -c auxbpf -n $main -s C -l cpu -x -d 'on these CPUs only' \
    -a '(__auxbpf_list (string match -rg "/cpu([0-9]+)" /sys/devices/system/cpu/cpu*))'
complete -c auxbpf -n $main -l snapshot-on -x -d 'a snapshot when this happens' \
    -a 'syscall: function: tracepoint: offcpu runq signal: exit exec fork oom SIGUSR2 end'
complete -c auxbpf -n $main -l rules -r -F -d 'rules, one a line'
complete -c auxbpf -n $main -l scope -x -a 'cpu task all' -d 'whose trace is in a snapshot'
complete -c auxbpf -n $main -l lookback -x -a '10ms 100ms 1s 10s all' -d 'nothing older than that'
complete -c auxbpf -n $main -l after -x -a '100us 1ms 10ms' -d 'let the trace run on first'
complete -c auxbpf -n $main -l spare -x -a '1 2 4 8' -d 'snapshots that can wait'
complete -c auxbpf -n $main -l exec -x -a '(__fish_complete_command)' -d 'run after each snapshot'
complete -c auxbpf -n $main -l max-rate -x -a '1/s 10/s 100/s' -d 'snapshots a second'
complete -c auxbpf -n $main -l max-snapshots -x -a '1 10 100 1000 0' -d 'the recording ends with the last'
complete -c auxbpf -n $main -l cool-down -x -a '50ms 1s 1m 0' -d 'after a snapshot of a rule'
complete -c auxbpf -n $main -l max-size -x -a '256M 1G 10G 0' -d 'of all snapshots, or of the full trace'
complete -c auxbpf -n $main -l when-full -x -a 'oldest stop' -d 'what then'
complete -c auxbpf -n $main -l min-free -x -a '256M 1G 10G 0' -d 'of the disk'
complete -c auxbpf -n $main -l stream -d 'all of the trace, not the newest'
complete -c auxbpf -n $main -s o -l output -r -F -d 'where the trace goes'
complete -c auxbpf -n $main -s e -l event -x -a '(__auxbpf_events)' -d 'trace unit and settings, or regular event'
complete -c auxbpf -n $main -s M -l sample-size -x -a '64K 256K 1M 4M 16M 64M' -d 'samples kept of each CPU'
complete -c auxbpf -n $main -s g -l callchains -d 'samples have call chains'
complete -c auxbpf -n $main -l call-graph -x -a 'fp dwarf dwarf,4096' -d 'samples have call chains'
complete -c auxbpf -n $main -l aux-sample -d 'trace in each sample'
complete -c auxbpf -n $main -l aux-size -x -a '64K 256K 1M 4M 16M 64M 256M 1G' -d 'buffer of each CPU'
complete -c auxbpf -n $main -l namespaces -d 'in which namespaces tasks are'
complete -c auxbpf -n $main -l all-cgroups -d 'all cgroups, and that of each sample'
complete -c auxbpf -n $main -l archive -d 'keep the programs that ran with the capture'
complete -c auxbpf -n $main -l buildid-cache -d 'put them into the cache of perf'
complete -c auxbpf -n $main -l no-sync -d 'do not wait for the disk'
complete -c auxbpf -n $main -s z -l compression-level -d 'compress records'
complete -c auxbpf -n $main -l max-time -x -a '1s 10s 1m 10m' -d 'the recording ends then'
complete -c auxbpf -n $main -l control -x -a 'kfunc tracepoint breakpoint ioctl' -d 'how BPF moves the gate'
complete -c auxbpf -n $main -s q -l quiet -d 'only warnings and errors'
complete -c auxbpf -n $main -s v -l verbose -d 'counters of each CPU'
complete -c auxbpf -n $main -l version -d version
complete -c auxbpf -n $main -s h -l help -d 'the options used most, or all'
complete -c auxbpf -n '__fish_contains_opt -s h help' -a all -d 'all options'
