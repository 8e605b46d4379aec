#!/bin/sh
# boot-virtual.sh TREE MACHINE SECONDS: the same as boot.sh in a virtual machine without KVM, on the kernel in the tree.
set -eu
tree=$1 machine=$2 seconds=$3
. "$(dirname "$0")/check-unit.sh"
write_check_unit "$machine/changes" '{ bash ./check; echo "exit code $?"; } >/dev/ttyS1 2>\&1'
printf '/dev/vda / ext4 defaults 0 0\n' >"$machine/changes/etc/fstab"
rm -f "$machine/said" "$machine/exit-code" "$machine/disk"
export tree machine
unshare --mount sh -eu -c '
  mount -t overlay -o "lowerdir=$tree,upperdir=$machine/changes,workdir=$machine/overlay" overlay "$machine/root"
  size=$(du -sm "$machine/root" | cut -f1)
  truncate -s "$((size + size / 5 + 600))M" "$machine/disk"
  mke2fs -q -t ext4 -d "$machine/root" "$machine/disk"
'
newest() { find "$tree/boot" -name "$1" | sort | tail -n 1; }
# Without -cx16 the emulated processor faults.
timeout --kill-after=10 "$seconds" qemu-system-x86_64 -accel tcg,thread=multi,tb-size=512 -cpu max,-cx16,-la57 -machine q35 \
  -nodefaults -no-reboot -display none -m 1024 -smp 2 -kernel "$(newest 'vmlinuz-*')" -initrd "$(newest 'initrd.img-*')" \
  -append "root=/dev/vda rw console=ttyS0 quiet panic=-1 net.ifnames=0" \
  -serial "file:$machine/console" -serial "file:$machine/serial" \
  -drive "file=$machine/disk,format=raw,if=virtio,cache=unsafe" -device virtio-rng-pci || true
rm -f "$machine/disk"
tr -d '\r' <"$machine/serial" | sed '/^exit code [0-9]*$/d' >"$machine/said"
tr -d '\r' <"$machine/serial" | sed -n 's/^exit code //p' >"$machine/exit-code"
[ -s "$machine/exit-code" ] || {
  echo "it did not end within $seconds s; what it said last:" >&2
  tail -n 15 "$machine/said" "$machine/console" >&2 || true
  exit 1
}
