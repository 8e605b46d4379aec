#!/bin/sh
# enter.sh COMMAND…: runs it as root of a private user, network, mount and process namespace; nothing in it can reach or
# change the host, and when it ends everything started in it ends too. Needs no root.
# Exits 77, with the reasons and the commands that mend them, where this machine does not allow it.
set -eu
cd "$(dirname "$0")/../.."
PATH="$PWD/node_modules/.bin:/usr/sbin:/sbin:$PATH"
export PATH

if [ "${1-}" = --inside ]; then
  shift
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p /run/netns /run/wireguard /run/etc/upper /run/etc/work
  # What a lab writes to /etc stays in the lab too, where the kernel lets an ordinary user lay one folder over another.
  isOwnEtc=true
  if ! mount -t overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work overlay /etc 2>/dev/null; then
    isOwnEtc=false
    [ "${LAB_OF_TRIBUTARY-}" = inside ] ||
      echo "tributary: this kernel cannot lay a private folder over /etc; tests that write there are skipped" >&2
  fi
  # The agent's user, as packages make it: there is one user here, under two names.
  agent='tributary:x:0:0::/:/usr/sbin/nologin'
  if ! grep -qxF "$agent" /etc/passwd; then
    { grep -v '^tributary:' /etc/passwd; echo "$agent"; } >/run/passwd
    # Only into a folder of the lab's own. A mount inside /etc would keep a lab within this one from laying its own over it.
    { $isOwnEtc && cp /run/passwd /etc/passwd 2>/dev/null; } || mount --bind /run/passwd /etc/passwd
  fi
  ip link set lo up
  export LAB_OF_TRIBUTARY=inside
  # What this machine sets for its own Node is refused by an agent, and is of no use where nothing outside is reached.
  unset NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_SYSTEM_CA NODE_DEBUG NODE_COMPILE_CACHE OPENSSL_CONF
  # Not as process 1 of the namespace, which Ctrl-C would not end.
  status=0
  "$@" || status=$?
  exit "$status"
fi

# The way in from outside.
export LAB_OF_TRIBUTARY_ENTER="nsenter --preserve-credentials -U -n -m -t $$"

private="unshare --user --map-root-user --net --mount"
own_processes="--pid --fork --kill-child --mount-proc"
obstacles=$(sh tools/lab/obstacles.sh)
if [ -n "$obstacles" ]; then
  echo "$obstacles" | sed 's/^/tributary: /' >&2
  exit 77
fi
# A process namespace of its own ends every process with the command; some containers do not let /proc be mounted.
# shellcheck disable=SC2086
if $private $own_processes true 2>/dev/null; then
  LAB_OF_TRIBUTARY_ENTER="$LAB_OF_TRIBUTARY_ENTER --pid=/proc/$$/ns/pid_for_children"
  exec $private $own_processes sh "$0" --inside "$@"
fi
exec $private sh "$0" --inside "$@"
