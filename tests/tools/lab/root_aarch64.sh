# SPDX-License-Identifier: GPL-2.0-only
# The recipe of an Arm guest's root file system, and of what booting it takes besides the x86_64 root (root.sh), where QEMU
# runs: qemu-system-aarch64 and the tools for device trees. Nothing of it can run here, so its packages are only unpacked.
# shellcheck shell=bash

VM_ARM_BACKPORTS="linux-perf bpftool"
VM_ARM_PACKAGES="?essential mawk mount procps kmod strace iproute2 busybox-static libbpf1 libelf1t64 libdw1t64 libseccomp2 \
	zlib1g libzstd1 libjson-c5 libprotobuf-c1 libasan8 libubsan1 podman crun"
VM_ARM_TOOLS="qemu-system-arm/$VM_SUITE-backports device-tree-compiler"

# Directories that runs mount something on; those of x86_64's libraries are for `lab host`, which runs x86_64's programs.
VM_ARM_MOUNT_POINTS="src out lab usr/lib64 usr/lib/x86_64-linux-gnu"

lab_arm_tools() { # directory
	local tool
	lab_workshop_apt amd64 apt-get update
	# shellcheck disable=SC2086 # a list of words
	lab_workshop_apt amd64 apt-get download $VM_ARM_TOOLS
	lab_workshop_unpack "$1" tools
	for tool in qemu-system-aarch64 fdtget fdtput; do
		cp "$1/work/tools/usr/bin/$tool" "$1/$tool"
	done
	rm -rf "$1"/work/lists/*
}

lab_arm_fetch() {
	local wanted=$VM_ARM_PACKAGES package
	for package in $VM_ARM_BACKPORTS; do
		wanted+=" $package/$VM_SUITE-backports"
	done
	lab_workshop_apt arm64 apt-get update
	# shellcheck disable=SC2086 # a list of words
	lab_workshop_apt arm64 apt-get -y install --download-only $wanted
}

# What the packages' hooks would have made.
lab_arm_configure() { # directory
	local root=$1/root point
	cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
	cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
	cp "$root/usr/share/libc-bin/nsswitch.conf" "$root/etc/nsswitch.conf"
	ln -s mawk "$root/usr/bin/awk"
	echo lab >"$root/etc/hostname"
	echo '127.0.0.1 localhost lab' >"$root/etc/hosts"
	rm -rf "$root"/usr/share/{doc,man,info,locale}/* "$root/usr/lib/cni"
	ln -s usr/lib64 "$root/lib64"
	for point in $VM_ARM_MOUNT_POINTS; do
		mkdir -p "$root/$point"
	done
}

lab_arm_unpack() { # directory
	lab_workshop_unpack "$1" root
	mv "$1/work/root" "$1/root"
	lab_arm_configure "$1"
}

lab_arm_image() { # directory
	mount --bind "$1" "$VM_ROOT/root/apt"
	chroot "$VM_ROOT/root" mkfs.erofs --quiet /apt/root.erofs /apt/root
	umount "$VM_ROOT/root/apt"
}

lab_arm_build() { # directory
	lab_workshop_open "$1"
	lab_step "fetching QEMU for Arm" lab_arm_tools "$1"
	lab_step "fetching Debian $VM_SUITE for Arm" lab_arm_fetch
	lab_step "unpacking it" lab_arm_unpack "$1"
	lab_step "making the guest's disk" lab_arm_image "$1"
	lab_workshop_close "$1"
}
