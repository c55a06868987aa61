# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Containers of podman in the lab's guest, for functions that are handed to record_in_lab. After the helpers: `load ../../lib/containers`.

# No systemd, no network, no image: a directory is the root, busybox and a program to be traced are in it.
engine() { # podman's arguments...
	podman --cgroup-manager=cgroupfs --events-backend=none --runtime crun "$@"
}

store_images_in() { # file of settings, made
	export CONTAINERS_STORAGE_CONF=$1
	printf '[storage]\ndriver = "vfs"\nrunroot = "/run/containers/storage"\ngraphroot = "/var/lib/containers/storage"\n' >"$1"
}

make_root() { # directory program
	mkdir -p "$1"/{bin,proc,sys,dev,etc,run,tmp}
	cp /usr/bin/busybox "$1/bin/busybox"
	ln -s busybox "$1/bin/sh"
	cp "$(command -v "$2")" "$1/app"
}

start() { # name shell-commands [podman-run's options...]
	local name=$1 commands=$2
	shift 2
	engine run -d --name "$name" --network none "$@" --rootfs /tmp/root /bin/sh -c "$commands" >/dev/null
}
