# SPDX-License-Identifier: GPL-2.0-only
# Debian's packages for any architecture, fetched and unpacked by the x86_64 root's apt and dpkg. Nothing is installed,
# so no hook of theirs runs. Its text is part of the key of what is made with it.
# shellcheck shell=bash

# Prepares that root in a build's mount namespace: DIR/work is /apt there, packages are in /apt/debs.
lab_workshop_open() { # directory
	local root=$VM_ROOT/root work=$1/work
	mkdir -p "$work"/{lists,cache,debs}/partial
	: >"$work/status"
	mount --bind -o ro "$root" "$root"
	mount -t tmpfs tmpfs "$root/tmp"
	mount --bind "$work" "$root/apt"
	mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
}

lab_workshop_close() { # directory
	umount "$VM_ROOT/root/apt"
	rm -rf "$1/work"
}

# As where nothing is installed: `install --download-only` fetches all that the packages depend on, `download` them alone.
lab_workshop_apt() { # Debian's architecture, apt-get or apt-cache, arguments...
	chroot "$VM_ROOT/root" env -C /apt/debs LC_ALL=C "$2" -q \
		-o "APT::Architecture=$1" -o "APT::Architectures=$1" -o APT::Install-Recommends=0 -o APT::Sandbox::User=root \
		-o Dir::State::lists=/apt/lists -o Dir::State::status=/apt/status -o Dir::State::extended_states=/apt/extended \
		-o Dir::Cache=/apt/cache -o Dir::Cache::archives=/apt/debs -o Acquire::Languages=none -o Acquire::Retries=3 "${@:3}"
}

# What was fetched becomes the tree DIR/work/NAME.
lab_workshop_unpack() { # directory, name
	local deb
	for deb in "$1"/work/debs/*.deb; do
		chroot "$VM_ROOT/root" dpkg-deb -x "/apt/debs/${deb##*/}" "/apt/$2"
	done
	rm "$1"/work/debs/*.deb
}
