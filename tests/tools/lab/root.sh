# SPDX-License-Identifier: GPL-2.0-only
# The recipe of the lab's root file system. The cached root is keyed by this file's text: whatever changes it, rebuilds it.
# shellcheck shell=bash

# Debian 13 has the C library that programs built on Debian 12 need; its backports have the QEMU whose plugin API the
# trace unit needs (11.1) and the perf that knows aux-action (7.x). QEMU runs on the host, but from this root.
VM_SUITE=trixie
VM_BACKPORTS="linux-perf bpftool qemu-system-x86"
VM_PACKAGES="bash coreutils util-linux procps kmod strace iproute2 busybox-static erofs-utils gpg ca-certificates \
	libbpf1 libelf1t64 libdw1t64 libseccomp2 zlib1g libjson-c5 libprotobuf-c1 libasan8 libubsan1 libipt2 podman crun bpftrace"

# Directories that runs and builds mount something on; the root itself is never written to again.
VM_MOUNT_POINTS="src out lab apt"

lab_apt() { # root, apt-get arguments...
	local root=$1
	shift
	chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y \
		-o Acquire::Retries=3 -o APT::Install-Recommends=0 -o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Dpkg::Options::=--force-unsafe-io "$@"
}

# Documentation and translations are half of the files and nobody reads them here; podman's containers get no network.
lab_root_config() { # root
	cat >"$1/etc/dpkg/dpkg.cfg.d/lab" <<-END
		path-exclude=/usr/share/doc/*
		path-exclude=/usr/share/man/*
		path-exclude=/usr/share/info/*
		path-exclude=/usr/share/locale/*
		path-exclude=/usr/lib/cni/*
	END
	printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
	chmod 755 "$1/usr/sbin/policy-rc.d"
	lab_root_sources >"$1/etc/apt/sources.list"
	rm -f "$1/etc/resolv.conf" "$1/etc/hostname"
	cp -L /etc/resolv.conf "$1/etc/resolv.conf"
	echo lab >"$1/etc/hostname"
	echo '127.0.0.1 localhost lab' >"$1/etc/hosts"
}

# bookworm is there for its kernel alone: no package of the root has a newer version in it.
lab_root_sources() {
	echo "deb $VM_MIRROR $VM_SUITE main"
	echo "deb $VM_MIRROR $VM_SUITE-backports main"
	echo "deb $VM_MIRROR bookworm main"
}

lab_root_bootstrap() { # directory
	debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
		"$VM_SUITE" "$1/root" "$VM_MIRROR"
}

lab_root_install() { # directory
	local root=$1/root
	lab_root_config "$root"
	mount -t proc proc "$root/proc"
	lab_apt "$root" update
	# shellcheck disable=SC2086 # lists of words
	lab_apt "$root" install $VM_PACKAGES
	# shellcheck disable=SC2086
	lab_apt "$root" install -t "$VM_SUITE-backports" $VM_BACKPORTS
	umount "$root/proc"
}

lab_root_clean() { # directory
	local root=$1/root point
	rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/usr/share/{doc,man,info,locale}/* "$root"/var/log/*
	rm -f "$root/etc/resolv.conf"
	for point in $VM_MOUNT_POINTS; do
		mkdir -p "$root/$point"
	done
	: >"$root/etc/resolv.conf"
	rm -rf "${root:?}/dev" && mkdir "$root/dev"
}

# The guest's disk: the same tree without QEMU's data, not compressed, because a guest without KVM unpacks slowly.
lab_root_image() { # directory
	mount --bind "$1" "$1/root/out"
	chroot "$1/root" mkfs.erofs --quiet --exclude-regex='^(out|lab|apt|src)/' --exclude-regex='^usr/share/(qemu|seabios)/' \
		/out/root.erofs /
	umount "$1/root/out"
}

lab_root_build() { # directory
	lab_step "bootstrapping Debian $VM_SUITE" lab_root_bootstrap "$1"
	lab_step "installing perf, bpftool, QEMU and tools" lab_root_install "$1"
	lab_root_clean "$1"
	lab_step "making the guest's disk" lab_root_image "$1"
}
