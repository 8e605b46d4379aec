#!/bin/sh
# obstacles.sh: prints what keeps this machine from making the lab's namespaces, a line each, with the command that mends it.
# Prints nothing where they can be made.
set -eu
cd "$(dirname "$0")/../.."
. tools/lab/as-root.sh
PATH="$PATH:/usr/sbin:/sbin"

private="unshare --user --map-root-user --net --mount"
can_enter=yes
if ! command -v unshare >/dev/null 2>&1; then
  can_enter=
elif ! why=$($private true 2>&1); then
  can_enter=
  if [ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null)" = 1 ]; then
    echo "this system keeps ordinary users from making namespaces; allow it with: ${as_root}sysctl kernel.apparmor_restrict_unprivileged_userns=0"
  elif [ "$(cat /proc/sys/kernel/unprivileged_userns_clone 2>/dev/null)" = 0 ]; then
    echo "this system keeps ordinary users from making namespaces; allow it with: ${as_root}sysctl kernel.unprivileged_userns_clone=1"
  else
    echo "no private namespace can be made here ($why); in a container, start it with --security-opt seccomp=unconfined, or run this on the host"
  fi
fi
# Kernel WireGuard needs no tun device; everything else does.
tun=${LAB_OF_TRIBUTARY_TUN:-/dev/net/tun}
if [ ! -e "$tun" ]; then
  echo "$tun is missing; make it with: ${as_root}modprobe tun"
elif [ ! -w "$tun" ] && ! { [ -n "$can_enter" ] && $private ip link add probe type wireguard 2>/dev/null; }; then
  echo "$tun is not open to ordinary users here; open it, as most systems do, with: ${as_root}chmod 0666 $tun"
fi
