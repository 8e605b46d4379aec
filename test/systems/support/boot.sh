#!/bin/sh
# boot.sh TREE MACHINE SECONDS: boots the tree, with the machine's changes over it, under systemd-nspawn; the unit
# check.service runs its script in it and powers it off. Writes MACHINE/said and MACHINE/exit-code.
# Its network is a loopback alone, or the namespace whose path is in `network`.
set -eu
tree=$1 machine=$2 seconds=$3
. "$(dirname "$0")/check-unit.sh"
write_check_unit "$machine/changes" 'bash ./check >said 2>\&1; echo $? >exit-code'
# As on a real machine, programs may make every system call: Docker keeps keys and loads programs into the kernel.
export SYSTEMD_SECCOMP=0
rm -f "$machine/changes/root/said" "$machine/changes/root/exit-code" "$machine/said" "$machine/exit-code"
export tree machine seconds
network=${network+--network-namespace-path=$network}
export network=${network:---private-network}
# A cgroup tree of the second version alone: systemd does not boot in a mixture.
unshare --mount --cgroup sh -eu -c '
  mount --make-rprivate /
  umount -R /sys/fs/cgroup || umount -l /sys/fs/cgroup
  mkdir -p /sys/fs/cgroup
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  group=/sys/fs/cgroup/$(basename "$machine")
  mkdir -p "$group/host"
  mount -t overlay -o "lowerdir=$tree,upperdir=$machine/changes,workdir=$machine/overlay" overlay "$machine/root"
  (
    sh -c "echo \$PPID" >"$group/host/cgroup.procs"
    exec timeout --kill-after=10 "$seconds" systemd-nspawn --quiet --directory="$machine/root" --machine="$(basename "$machine")" \
      --boot --register=no --keep-unit --console=read-only $network --bind=/dev/net/tun \
      --capability=CAP_NET_ADMIN </dev/null >"$machine/console" 2>&1
  ) || true
  find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
'
cp "$machine/changes/root/said" "$machine/said" 2>/dev/null && cp "$machine/changes/root/exit-code" "$machine/exit-code" 2>/dev/null || {
  echo "it did not end within $seconds s; what it said last:" >&2
  tail -n 15 "$machine/changes/root/said" "$machine/console" >&2 || true
  exit 1
}
