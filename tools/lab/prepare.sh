#!/bin/sh
# prepare.sh [--only|--tests] [PROGRAM:PACKAGE…] [--optional PROGRAM:PACKAGE…]: gets a fresh clone ready: system packages, npm
# packages, the bundle. Safe to repeat. Looks first, and installs then: where it may not act, it names all that is missing at
# once, with the commands, before it has installed anything.
#   (nothing)   what the lab needs, and the packages that are named; stops where no lab can be made
#   --tests     also what `npm test` needs; where no lab can be made, says so and goes on
#   --only      npm packages and the packages that are named: nothing for the lab, and no bundle
#   --optional  packages that are installed where that is possible, and else left out
set -eu
cd "$(dirname "$0")/../.."
. tools/lab/as-root.sh

say() { echo "tributary: $*" >&2; }

lab="nft:nftables conntrack:conntrack wg:wireguard-tools wireguard-go:wireguard-go ip:iproute2 unshare:util-linux flock:util-linux"
tests="iptables:iptables ping:iputils-ping openssl:openssl"
kind=lab
case ${1-} in
--only | --tests)
  kind=${1#--}
  shift
  ;;
esac
required=
optional=
list=required
for given in "$@"; do
  if [ "$given" = --optional ]; then
    list=optional
  elif [ "$list" = optional ]; then
    optional="$optional $given"
  else
    required="$required $given"
  fi
done
case $kind in
lab) required="$lab $required" ;;
tests) required="$lab $tests $required" ;;
esac

# list_missing PROGRAM:PACKAGE…: the packages of the programs that are not there.
list_missing() (
  PATH="$PATH:/usr/sbin:/sbin"
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || echo "${pair#*:}"
  done | sort -u | tr '\n' ' '
)

# shellcheck disable=SC2086
missing=$(list_missing $required)
# shellcheck disable=SC2086
wanted=$(list_missing $required $optional)
obstacles=
[ "$kind" = only ] || obstacles=$(sh tools/lab/obstacles.sh)

elevate=none
if ! command -v apt-get >/dev/null 2>&1; then
  :
elif [ "$(id -u)" = 0 ]; then
  elevate=
elif sudo -n true 2>/dev/null; then
  elevate=sudo
fi

# What a person has to do: everything at once, the packages of `npm test` among it, so that nobody is asked twice.
if [ -n "$missing" ] && [ "$elevate" = none ]; then
  [ "$kind" = only ] || required="$lab $tests $required"
  # shellcheck disable=SC2086
  wanted=$(list_missing $required $optional)
  if command -v apt-get >/dev/null 2>&1; then
    say "system packages are missing and need root; run this, then try again:"
    command="apt-get install -y --no-install-recommends ${wanted% }"
    if [ "$as_root" = "sudo " ]; then
      echo "  sudo apt-get update && sudo $command" >&2
    else
      echo "  ${as_root}apt-get update && $command" >&2
    fi
  else
    say "these packages are missing; install them with your system's package manager: ${wanted% }"
  fi
fi
[ -z "$obstacles" ] || echo "$obstacles" | sed 's/^/tributary: /' >&2
if [ -n "$missing" ] && [ "$elevate" = none ]; then
  command -v apt-get >/dev/null 2>&1 || exit 69
  exit 77
fi
if [ -n "$obstacles" ] && { [ "$kind" = lab ] || [ "${CI-}" = true ]; }; then
  exit 77
fi

if [ -n "$wanted" ] && [ "$elevate" = none ]; then
  say "left out, because these packages are missing: ${wanted% }"
elif [ -n "$wanted" ]; then
  install="apt-get install -y --no-install-recommends ${wanted% }"
  say "installing the system packages: ${wanted% }"
  log=$(mktemp)
  # shellcheck disable=SC2086
  if ! { $elevate apt-get update -q && $elevate env DEBIAN_FRONTEND=noninteractive $install; } >"$log" 2>&1 </dev/null; then
    tail -5 "$log" >&2
    say "installing failed; the whole output is in $log. The command was: apt-get update && $install"
    # shellcheck disable=SC2086
    [ -z "$(list_missing $required)" ] || exit 69
  fi
  rm -f "$log"
fi

# npm writes this file last: older than the lock file means that an install is missing or was cut short.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  say "installing the npm packages (once, about half a minute)"
  npm ci --no-audit --no-fund --loglevel=error >&2
  touch node_modules/.package-lock.json
fi
sh tools/lab/complete-packages.sh
[ "$kind" != only ] || exit 0

PATH="$PWD/node_modules/.bin:$PATH"
if [ ! -e dist/tributary.cjs ] || [ -n "$(find src tools package-lock.json rolldown.config.ts -newer dist/tributary.cjs -print -quit)" ]; then
  say "building"
  npm run --silent build >/dev/null
fi
