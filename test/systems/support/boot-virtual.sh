#!/bin/sh
# boot-virtual.sh TREE MACHINE SECONDS ARCHITECTURE: the same as boot.sh in a virtual machine without KVM, on the kernel in the tree.
set -eu
tree=$1 machine=$2 seconds=$3
case $4 in
  # Without -cx16 the emulated processor faults.
  amd64) console=ttyS0 board='qemu-system-x86_64 -machine q35 -cpu max,-cx16,-la57 -m 1024' ;;
  # As small as a Raspberry Pi 3, and like every Pi without a clock that goes on while it is off.
  arm64) console=ttyAMA0 board='qemu-system-aarch64 -machine virt -cpu cortex-a53 -m 512 -rtc base=1970-01-01' ;;
esac
. "$(dirname "$0")/check-unit.sh"
write_check_unit "$machine/changes" '{ bash ./check; echo "exit code $?"; } >/dev/virtio-ports/said 2>\&1'
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
# shellcheck disable=SC2086
timeout --kill-after=10 "$seconds" $board -accel tcg,thread=multi,tb-size=512 -smp 2 \
  -nodefaults -no-reboot -display none -kernel "$(newest 'vmlinuz-*')" -initrd "$(newest 'initrd.img-*')" \
  -append "root=/dev/vda rw console=$console quiet panic=-1 net.ifnames=0" -serial "file:$machine/console" \
  -device virtio-serial-pci -chardev "file,id=said,path=$machine/serial" -device virtserialport,chardev=said,name=said \
  -drive "file=$machine/disk,format=raw,if=virtio,cache=unsafe" -device virtio-rng-pci || true
rm -f "$machine/disk"
sed '/^exit code [0-9]*$/d' "$machine/serial" >"$machine/said"
sed -n 's/^exit code //p' "$machine/serial" >"$machine/exit-code"
[ -s "$machine/exit-code" ] || {
  echo "it did not end within $seconds s; what it said last:" >&2
  tail -n 15 "$machine/said" "$machine/console" >&2 || true
  exit 1
}
