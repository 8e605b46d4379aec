#!/bin/sh
# with-arm64.sh COMMAND…: runs it as root where programs for arm64 run too, emulated. They do so in a user namespace of
# its own and nowhere else on this machine, for which binfmt_misc has to belong to a user namespace: Linux 6.7 or newer.
set -eu
# Programs for arm64 are registered inside; with its last process the namespace goes, and so does what is registered.
if [ "${1-}" = --inside ]; then
  shift
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null || {
    echo "programs for arm64 cannot be run here: Linux $(uname -r) gives a user namespace no binfmt_misc, 6.7 and newer do" >&2
    exit 77
  }
  cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
  exec "$@"
fi
unshare --user sleep 900 &
holder=$!
trap 'kill "$holder"' EXIT
until [ "$(readlink "/proc/$holder/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
# Every user and group under its own number, so that the files that are made belong to whom they should.
for map in uid_map gid_map; do echo '0 0 65536' >"/proc/$holder/$map"; done
nsenter --user --target "$holder" unshare --mount --pid --fork --kill-child --mount-proc sh "$0" --inside "$@"
