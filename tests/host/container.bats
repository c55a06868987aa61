#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Which cgroups --cgroup and --container mean, on this machine's own kernel: cgroups with the names that each runtime
# gives, below a cgroup of this test's own, and beside them a root directory with the runtimes' files.

load ../lib/helpers

HEX1=3f1c5a9be0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
HEX2=3f1c00000000000000000000000000000000000000000000000000000000aaaa
HEX3=c0ffee00e0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
HEX4=deadbeefe0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
HEX5=5a5a5a5ae0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
HEX6=61616161e0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
MINE1=a1a1a1a1e0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
MINE2=a2a2a2a2e0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb
UID1=2c48913c-b29f-11e7-9350-020968147796
UID2=ae80c1f2-7f0c-4a33-a1b9-7f4d1c1d2e3f
POD1=kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID1//-/_}.slice
POD2=kubepods/besteffort/pod$UID2

# The rest of the machine's containers is not this test's, nor what an interrupted run of it left behind: what it
# makes is below one cgroup, which is the root of what names() sees.
setup_file() {
	requires build/tests/container-names findmnt
	export V2 CG ROOT=$BATS_FILE_TMPDIR/root
	V2=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -n "$V2" ] || { echo "no cgroup v2 is mounted on this machine" >&2; return 1; }
	CG=$V2/auxbpf-test.$$
	mkdir -p "$CG" "$ROOT/proc/self" "$ROOT$V2"
	cp /proc/self/mountinfo "$ROOT/proc/self/mountinfo"
	make_cgroups
	make_docker
	make_podman
	make_kubernetes
	make_bare
}

# Also after a test that failed in its middle.
teardown_file() {
	[ -n "${CG-}" ] || return 0
	[ ! -e "$CG/pid" ] || echo 1 >"$CG/pid/cgroup.kill"
	find "$CG" -depth -type d -exec rmdir {} +
}

cgroup() { # path...
	local path
	for path; do
		mkdir -p "$CG/$path"
	done
}

put() { # file; text on stdin
	mkdir -p "$ROOT$(dirname "$1")"
	cat >"$ROOT$1"
}

make_cgroups() {
	cgroup "docker/$HEX1" "system.slice/docker-$HEX2.scope/init.scope" \
		"machine.slice/libpod-$HEX3.scope/container" "machine.slice/libpod-conmon-$HEX3.scope" \
		"user.slice/user-1000.slice/user@1000.service/user.slice/libpod-$HEX4.scope" "libpod_parent/libpod-$HEX5" \
		"$POD1/cri-containerd-${HEX3//c0/c1}.scope" "$POD1/cri-containerd-${HEX3//c0/c2}.scope" \
		"$POD2/crio-${HEX4//de/df}" "$POD2/crio-conmon-${HEX4//de/df}" \
		"system.slice/runc-auxweb.scope" crun/auxdb lxc.payload.auxlxc lxc.monitor.auxlxc \
		'machine.slice/machine-aux\x2dbox.scope/payload' system.slice/aux-nginx.service/worker aux-slice.slice \
		"user.slice/user-1234.slice/libpod-$MINE1.scope" "user.slice/user-1234.slice/libpod-$MINE2.scope" \
		auxns/auxctr "nerd/$HEX6" "kind/docker/${HEX1//3f/4f}/kubelet/kubepods/pod${UID1//2c/3c}/${HEX2//3f/5f}"
}

make_docker() {
	put "/var/lib/docker/containers/$HEX1/config.v2.json" <<<"{\"ID\":\"$HEX1\",\"Name\":\"/auxweb1\",\"State\":{}}"
	put "/var/lib/docker/containers/$HEX2/config.v2.json" <<<"{\"Name\":\"/auxweb2\",\"ID\":\"$HEX2\"}"
	put "/var/lib/docker/containers/stopped/config.v2.json" <<<"{\"Name\":\"/auxstopped\",\"ID\":\"${HEX2//3f/ab}\"}"
	put /var/lib/docker/containers/broken/config.v2.json <<<'{"Name": '
	put /var/lib/docker/containers/odd/config.v2.json <<<'[{"Name": 3}, null]'
}

make_podman() {
	local storage=/var/lib/containers/storage/overlay-containers user=/home/me/.local/share/containers/storage
	put $storage/containers.json <<<"[{\"id\":\"$HEX3\",\"names\":[\"auxpod\",\"auxalias\"]},{\"id\":3},7]"
	put $storage/volatile-containers.json <<<"[{\"id\":\"$HEX5\",\"names\":[\"auxvolatile\"]}]"
	put $user/overlay-containers/containers.json <<<"[{\"id\":\"$HEX4\",\"names\":[\"auxrootless\"]}]"
	# What a user says of root's containers, in a file of their own and by links to root's, and of their own ones.
	put /home/evil/.local/share/containers/storage/overlay-containers/containers.json <<-END
		[{"id":"$HEX1","names":["auxstolen"]},{"id":"$HEX5","names":["auxrenamed"]},{"id":"$MINE1","names":["auxmine","auxweb1"]},
		 {"id":"$MINE2","names":["aux\\u001b[2Jesc"]}]
	END
	mkdir -p "$ROOT/home/evil/.local/share/nerdctl/1935db59/names/default"
	put /var/lib/ids/auxlinkeddir <<<"$HEX6"
	ln -s "$ROOT/var/lib/ids/auxlinkeddir" "$ROOT/home/evil/.local/share/nerdctl/1935db59/names/default/auxlinked"
	ln -s "$ROOT/var/lib/ids" "$ROOT/home/evil/.local/share/nerdctl/1935db59/names/linked"
	chown -R 1234 "$ROOT/home/evil" "$CG/user.slice/user-1234.slice"
	# Somebody's file that would stop who reads it.
	mkdir -p "$ROOT/home/you/.local/share/containers/storage/overlay-containers"
	mkfifo "$ROOT/home/you/.local/share/containers/storage/overlay-containers/containers.json"
}

make_kubernetes() {
	local task=/run/containerd/io.containerd.runtime.v2.task cri=io.kubernetes.cri kube=io.kubernetes
	local pod="\"$cri.sandbox-name\":\"auxweb-7d9\",\"$cri.sandbox-namespace\":\"prod\",\"$cri.sandbox-uid\":\"$UID1\""
	put "$task/k8s.io/${HEX3//c0/c1}/config.json" <<<"{\"annotations\":{$pod}}"
	put "$task/k8s.io/${HEX3//c0/c2}/config.json" <<<"{\"annotations\":{$pod,\"$cri.container-name\":\"auxapp\"}}"
	put "/run/containers/storage/overlay-containers/${HEX4//de/df}/userdata/config.json" <<-END
		{"annotations": {"$kube.container.name": "auxapp", "$kube.pod.name": "auxjob", "$kube.pod.namespace": "prod",
		 "$kube.pod.uid": "$UID2"}}
	END
	put $task/default/auxctr/config.json <<<"{\"linux\":{\"cgroupsPath\":\"/auxns/auxctr\"}}"
	put /var/lib/nerdctl/1935db59/names/default/auxnerd <<<"$HEX6"
}

make_bare() {
	put /run/runc/auxweb/state.json <<<"{\"id\":\"auxweb\",\"cgroup_paths\":{\"\":\"$V2/system.slice/runc-auxweb.scope\"}}"
	put /run/crun/auxdb/status <<<"{\"pid\": 1, \"cgroup-path\": \"/crun/auxdb\"}"
}

names() { # container-names' arguments
	(
		echo "$BASHPID" >"$CG/cgroup.procs"
		# shellcheck disable=SC2016 # it is that shell which expands these
		exec unshare --cgroup --mount sh -c 'mount -t cgroup2 none "$1$2" && root=$1 && shift 2 &&
			exec container-names "$root" "$@"' sh "$ROOT" "$V2" "$@"
	)
}

# TEXT is the name of this cgroup and of no other. Who waits for it knows that of this one, or of one below it, alone.
found() { # text path [below]
	must names find "$1"
	[ "$output" = "/$2" ]
	judged named "$1" "$2${3-}"
}

# What a cgroup, as one that was just made, is to who waits for TEXT.
judged() { # verdict text path
	must names new "$2" "/$3"
	[ "$output" = "$1" ]
}

unknown() { # text message
	logged names find "$1"
	[ "$status" -eq 1 ]
	has "$2"
}

@test "--cgroup: paths with the mount point, relative ones, ids" {
	local path=/system.slice/aux-nginx.service id
	id=$(stat -c %i "$CG$path")
	for text in "$V2$path" "$path" "${path#/}/" "$id"; do
		must names cgroup "$text"
		[ "$output" = "$path $id" ]
	done
}

@test "--cgroup: a cgroup that is not there, with names that are near" {
	logged names cgroup /system.slice/aux-ngimx.service
	[ "$status" -eq 1 ]
	has "no cgroup '/system.slice/aux-ngimx.service' in $V2; did you mean /system.slice/aux-nginx.service"
	logged names cgroup 18446744073709551615
	[ "$status" -eq 1 ]
	has "no cgroup has the id"
}

@test "--cgroup: cgroup v1 is refused, beside v2 and alone" {
	printf '30 28 0:25 / /v1/memory rw - cgroup cgroup rw,memory\n' |
		cat - "$ROOT/proc/self/mountinfo" >"$BATS_TEST_TMPDIR/mountinfo"
	mkdir -p "$BATS_TEST_TMPDIR/proc/self" "$BATS_TEST_TMPDIR/v1/memory/only" "$BATS_TEST_TMPDIR$(dirname "$V2")"
	mv "$BATS_TEST_TMPDIR/mountinfo" "$BATS_TEST_TMPDIR/proc/self/"
	ln -s "$V2" "$BATS_TEST_TMPDIR$V2"
	for text in /only /v1/memory/only; do
		logged container-names "$BATS_TEST_TMPDIR" cgroup $text
		[ "$status" -eq 1 ]
		has "is in /v1/memory, which is cgroup v1"
	done
	head -n 1 "$BATS_TEST_TMPDIR/proc/self/mountinfo" >"$BATS_TEST_TMPDIR/v1only"
	mv "$BATS_TEST_TMPDIR/v1only" "$BATS_TEST_TMPDIR/proc/self/mountinfo"
	logged container-names "$BATS_TEST_TMPDIR" cgroup /only
	[ "$status" -eq 1 ]
	has "only cgroup v1 is mounted here"
	has "systemd.unified_cgroup_hierarchy=1"
}

@test "--container: ids and how they begin, of each runtime with each driver" {
	found $HEX1 "docker/$HEX1"
	found 3f1c5 "docker/$HEX1"
	found 3f1c0 "system.slice/docker-$HEX2.scope"
	found c0ffee00e0d2 "machine.slice/libpod-$HEX3.scope"
	found deadbeef "user.slice/user-1000.slice/user@1000.service/user.slice/libpod-$HEX4.scope"
	found 5a5a "libpod_parent/libpod-$HEX5"
	found c1ffee00 "$POD1/cri-containerd-${HEX3//c0/c1}.scope"
	found dfadbeef "$POD2/crio-${HEX4//de/df}"
	found 4f1c5a "kind/docker/${HEX1//3f/4f}"
	found 5f1c "kind/docker/${HEX1//3f/4f}/kubelet/kubepods/pod${UID1//2c/3c}/${HEX2//3f/5f}"
}

@test "--container: names in the path: machines, units, bare runtimes, pod UIDs" {
	found auxlxc lxc.payload.auxlxc
	found aux-box 'machine.slice/machine-aux\x2dbox.scope'
	found 'machine-aux\x2dbox.scope' 'machine.slice/machine-aux\x2dbox.scope'
	found aux-nginx.service system.slice/aux-nginx.service
	found aux-slice.slice aux-slice.slice
	found auxweb system.slice/runc-auxweb.scope
	found $UID1 "$POD1"
	found ${UID1//-/_} "$POD1"
	found $UID2 "$POD2"
	found ${UID1//2c/3c} "kind/docker/${HEX1//3f/4f}/kubelet/kubepods/pod${UID1//2c/3c}"
}

@test "--container: names that only the runtime knows" {
	found auxweb1 "docker/$HEX1"
	found auxweb2 "system.slice/docker-$HEX2.scope"
	found auxpod "machine.slice/libpod-$HEX3.scope"
	found auxalias "machine.slice/libpod-$HEX3.scope"
	found auxvolatile "libpod_parent/libpod-$HEX5"
	found auxrootless "user.slice/user-1000.slice/user@1000.service/user.slice/libpod-$HEX4.scope"
	found auxdb crun/auxdb
	found auxctr auxns/auxctr
	found auxnerd "nerd/$HEX6"
}

@test "--container: a user tells the names of their own containers, and of nobody else's" {
	found auxmine "user.slice/user-1234.slice/libpod-$MINE1.scope"
	found auxweb1 "docker/$HEX1"
	unknown auxstolen "podman knows 'auxstolen'"
	found auxvolatile "libpod_parent/libpod-$HEX5"
	unknown auxrenamed "podman knows 'auxrenamed'"
	unknown auxlinked "is called 'auxlinked'"
	unknown auxlinkeddir "containerd knows 'auxlinkeddir'"
	unknown 'no such' "/user.slice/user-1234.slice/libpod-$MINE1.scope  (of uid 1234)"
	has 'aux\033[2Jesc'
}

@test "--container: Kubernetes' names, alone and with namespace and pod" {
	found auxweb-7d9 "$POD1" "/cri-containerd-${HEX3//c0/c1}.scope"
	found prod/auxweb-7d9 "$POD1" "/cri-containerd-${HEX3//c0/c2}.scope"
	found auxjob "$POD2" "/crio-${HEX4//de/df}"
	found auxweb-7d9/auxapp "$POD1/cri-containerd-${HEX3//c0/c2}.scope"
	found prod/auxjob/auxapp "$POD2/crio-${HEX4//de/df}"
	unknown test/auxjob "no container, pod, machine or systemd unit is called 'test/auxjob'"
}

@test "--container: what is ambiguous is an error that lists what it may be" {
	unknown auxapp "'auxapp' may be any of these"
	has "$POD1/cri-containerd-${HEX3//c0/c2}.scope"
	has "prod/auxjob/auxapp"
	has "cri-o "
	unknown 3f1c "'3f1c' may be any of these"
	has "docker      3f1c5a9be0d2  auxweb1  /docker/$HEX1"
	has "docker      3f1c00000000  auxweb2  /system.slice/docker-$HEX2.scope"
}

@test "--container: what is unknown is an error that lists what there is" {
	unknown auxwub1 "no container, pod, machine or systemd unit is called 'auxwub1'; did you mean auxweb1"
	has "lxc         auxlxc        -  /lxc.payload.auxlxc"
	has "podman      c0ffee00e0d2  aux"
	unknown 3f1 "is called '3f1'"
	unknown '' "name is missing"
	unknown aux-nginx "aux-nginx.service?"
	unknown auxstopped "docker knows 'auxstopped' (ab1c00000000), but it has no cgroup v2"
	has "--wait"
}

@test "--container --wait: what is not there yet is no error, and is found when it comes" {
	local path=docker/${HEX6//61/62}
	must names wait auxlater
	[ -z "$output" ]
	cgroup "$path"
	# The runtime writes down the name after it made the cgroup.
	must names wait auxlater
	[ -z "$output" ]
	put "/var/lib/docker/containers/later/config.v2.json" <<<"{\"Name\":\"/auxlater\",\"ID\":\"${path#*/}\"}"
	must names wait auxlater
	[ "$output" = "/$path" ]
	found 6262 "$path"
	rmdir "$CG/$path"
}

@test "--container --wait: what a new cgroup is, of which nothing else is known than what the runtime wrote down" {
	put /run/crun/auxcustom/status <<<'{"cgroup-path": "/custom/path"}'
	judged named auxcustom custom/path
	judged named auxcustom custom/path/below
	judged untold auxcustom custom/other
	judged untold auxlater system.slice/aux-new.service
	judged other auxlater "docker/$HEX1"
	judged other auxlater "machine.slice/libpod-$HEX3.scope/container"
	judged other auxlater "$POD1/cri-containerd-${HEX3//c0/c1}.scope"
	judged untold auxlater "$POD1"
	judged untold auxlater "docker/${HEX6//61/62}"
	judged untold auxweb2 "docker/$HEX1/${HEX6//61/62}"
	judged named auxweb1 "docker/$HEX1/${HEX6//61/62}"
	# What has the id that somebody else's name begins with, and names that are no names of files or are patterns.
	judged named 6262 "docker/${HEX6//61/62}"
	judged untold ../runc "system.slice/aux-new.service"
	judged untold '*' custom/path
	judged untold 'aux{web,db}' crun/auxdb
	rm -r "$ROOT/run/crun/auxcustom"
}

@test "the list of all containers" {
	must names list
	has "docker 3f1c5a9be0d2 auxweb1 -/- /docker/$HEX1"
	has "podman deadbeefe0d2 auxrootless -/- "
	has "kubernetes $(cut -c 1-12 <<<$UID1) - prod/auxweb-7d9 /$POD1"
	has "containerd c2ffee00e0d2 auxapp prod/auxweb-7d9 "
	has "crun auxdb auxdb -/- /crun/auxdb"
	has "containerd auxctr - -/- /auxns/auxctr"
	has "nspawn aux-box - -/- "
	[[ $output != *conmon* && $output != *aux-nginx* && $output != *monitor* ]]
}

@test "a process of each container of a pod" {
	local pids=()
	cgroup pid/a/below pid/b pid/empty
	for path in a/below b; do
		sleep 100 3>&- &
		pids+=($!)
		echo $! >"$CG/pid/$path/cgroup.procs"
	done
	must names pids /pid
	[ "$(sort -n <<<"$output")" = "$(printf '%s\n' "${pids[@]}" | sort -n)" ]
	kill "${pids[@]}"
	wait "${pids[@]}" || true
	logged names pids /pid
	[ "$status" -eq 1 ]
}

@test "10,000 cgroups, in all and by their ids" {
	local i
	for i in {0..99}; do
		echo "$CG/many/$i"
	done | xargs mkdir -p
	for i in {0..9899}; do
		echo "$CG/many/$((i % 100))/$i"
	done | xargs mkdir
	must names subtree /many
	[ "$output" -eq 10001 ]
	must names cgroup "$(stat -c %i "$CG/many/99/9899")"
	[ "${output% *}" = "/many/99/9899" ]
	find "$CG/many" -mindepth 1 -depth -type d -exec rmdir {} +
}

@test "cgroups that come and go meanwhile do no harm" {
	local stop=$BATS_TEST_TMPDIR/stop failed=0
	mkdir "$CG/few"
	(while [ ! -e "$stop" ]; do
		mkdir -p "$CG"/few/{0..30}/{0..9}
		rmdir "$CG"/few/{0..30}/{0..9} "$CG"/few/{0..30}
	done) 3>&- &
	for _ in {1..100}; do
		names subtree /few >/dev/null && names list >/dev/null || failed=1
	done
	touch "$stop"
	wait $!
	[ $failed -eq 0 ]
}
