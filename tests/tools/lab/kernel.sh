# SPDX-License-Identifier: GPL-2.0-only
# Fetches one of Debian's kernels for the lab and makes what a boot of it needs: vmlinuz, initramfs.cpio, modules.erofs.
# Keyed by this file's text, packages.sh's and initramfs'.
# shellcheck shell=bash

# What the initramfs loads, in this order, with what they depend on.
VM_MODULES="virtio_pci virtio_blk erofs overlay 9pnet_virtio 9p"

# The name that apt knows for "latest" (the highest there is), 6.12 (the highest 6.12.x) or a full version; with -rt behind it
# that of a real-time kernel, which nothing else stands for.
lab_kernel_version() { # Debian's architecture, wanted; package names on stdin
	local wanted=${2%-rt} flavour=
	[ "$wanted" = "$2" ] || flavour=-rt
	[ "$wanted" != latest ] || wanted=
	sed -nE 's/^linux-(image|binary|binary-unsigned)-([0-9].*)-'"$1"'(-unsigned)?$/\2/p' |
		awk -v wanted="$wanted" -v flavour="$flavour" '{ version = $0; sub(/-(cloud|rt)$/, "") }
			version == $0 flavour && index($0, wanted) == 1 &&
			(wanted == "" || substr($0, length(wanted) + 1) ~ /^([.+-]|$)/) { print version }' | sort -uV | tail -n 1
}

# Since 7.2 a kernel is several packages (and the newest one may not be signed yet); before, linux-image has it all.
lab_kernel_packages() { # version with architecture; package names on stdin
	local names kind
	names=$(cat)
	for kind in linux-base linux-modules linux-image linux-binary linux-binary-unsigned; do
		grep -xF -- "$kind-$1" <<<"$names" || true
	done | sed '/^linux-binary-[0-9]/,$ { /^linux-binary-unsigned/d }'
}

lab_kernel_fetch() { # directory, Debian's architecture, wanted
	local names version packages
	lab_workshop_apt "$2" apt-get update
	names=$(lab_workshop_apt "$2" apt-cache pkgnames linux-)
	version=$(lab_kernel_version "$2" "$3" <<<"$names")
	[ -n "$version" ] || { echo "no kernel $3 for $2 in Debian $VM_SUITE, its backports or bookworm"; return 1; }
	packages=$(lab_kernel_packages "$version-$2" <<<"$names")
	# shellcheck disable=SC2086 # a list of words
	lab_workshop_apt "$2" apt-get download $packages
	echo "$version-$2" >"$1/version"
}

# Without the device trees of real machines, which are more than all modules of Arm.
lab_kernel_unpack() { # directory
	local version modules
	version=$(cat "$1/version")
	lab_workshop_unpack "$1" tree
	mkdir -p "$1/work/tree/usr/lib/modules"
	if [ -d "$1/work/tree/lib/modules/$version" ]; then
		mv "$1/work/tree/lib/modules/$version" "$1/work/tree/usr/lib/modules/"
	fi
	rm -rf "$1/work/tree/lib" && ln -s usr/lib "$1/work/tree/lib"
	modules=$1/work/tree/usr/lib/modules/$version
	cat "$1/work/tree/boot/vmlinuz-$version" "$modules/vmlinuz" "$modules/vmlinuz.unsigned" \
		>"$1/vmlinuz" 2>/dev/null || [ -s "$1/vmlinuz" ]
	rm -rf "$modules"/vmlinuz* "$modules/dtb"
	chroot "$VM_ROOT/root" depmod -b /apt/tree "$version"
}

# A cpio archive that is not compressed: the guest has nothing to unpack.
lab_kernel_initramfs() { # directory
	local root=$VM_ROOT/root tree=$1/work/initramfs version module path
	version=$(cat "$1/version")
	mkdir -p "$tree"/{bin,dev,proc,modules,root,ro,rw}
	cp "$VM_GUEST/root/usr/bin/busybox" "$tree/bin/busybox"
	cp "$VM_DIR/initramfs" "$tree/init"
	chmod 755 "$tree/init"
	for module in $VM_MODULES; do
		chroot "$root" modprobe -d /apt/tree -S "$version" --show-depends "$module"
	done | sed -n 's/^insmod //p' | awk '!seen[$1]++ { print $1 }' >"$1/work/insmod"
	while read -r path; do
		module=${path##*/}
		chroot "$root" cat "$path" | lab_decompress "$module" >"$tree/modules/${module%%.ko*}.ko"
		echo "${module%%.ko*}.ko" >>"$tree/modules/order"
	done <"$1/work/insmod"
	chroot "$root" sh -c 'cd /apt/initramfs && find . | busybox cpio -o -H newc' >"$1/initramfs.cpio"
}

lab_decompress() { # name; file on stdin
	case $1 in
		*.xz) xz -dc ;;
		*.zst) zstd -dc ;;
		*) cat ;;
	esac
}

lab_kernel_modules() { # directory
	chroot "$VM_ROOT/root" mkfs.erofs --quiet /apt/modules.erofs /apt/tree/usr/lib/modules
	mv "$1/work/modules.erofs" "$1/modules.erofs"
}

lab_kernel_build() { # directory, Debian's architecture, wanted
	lab_workshop_open "$1"
	lab_step "fetching Debian's kernel $3 for $2" lab_kernel_fetch "$1" "$2" "$3"
	lab_step "unpacking kernel $(cat "$1/version")" lab_kernel_unpack "$1"
	lab_step "making the initramfs" lab_kernel_initramfs "$1"
	lab_step "making the disk of kernel modules" lab_kernel_modules "$1"
	lab_workshop_close "$1"
}
