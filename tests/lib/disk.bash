# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# A disk of a test's own, and what is left of it after a power cut. In a file: `load ../lib/disk`, after the helpers.

# A small disk of its own below the test's directory, which goes with the shell that mounts it. Its file system is ext4,
# or that of $DISK_TYPE.
on_disk() { # MiB command...
	truncate -s "$1M" image
	"mkfs.${DISK_TYPE:-ext4}" -q -b 4096 image
	mkdir disk
	shift
	# shellcheck disable=SC2016 # for the shell in between
	unshare --mount bash -c 'mount -o loop image disk || exit 125; "$@"; echo $? >status; df -B1 --output=avail disk | tail -n 1 >free' on_disk "$@"
	[ "$(<status)" -ne 125 ]
}

# What a power cut left on a copy of the disk, into a directory of that name. A look at it has its journal replayed first.
after_cut() { # copy directory
	logged e2fsck -fy "$1"
	[ "$status" -le 1 ]
	mkdir "$2"
	must debugfs -R "rdump /out $2" "$1"
}
