#!/bin/sh
# stage.sh: a place for containers that this machine does not notice: mounts, processes and control groups of its own,
# with a cgroup tree of the second version alone and an empty /run. Says "ready", and lives as long as its standard input.
set -eu
if [ "${1-}" != --inside ]; then
  exec unshare --mount --cgroup --pid --fork --kill-child --mount-proc sh "$0" --inside
fi
mount --make-rprivate /
umount -R /sys/fs/cgroup 2>/dev/null || umount -l /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/netns /run/wireguard /run/lock
echo ready
cat >/dev/null
