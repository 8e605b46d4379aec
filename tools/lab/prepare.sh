#!/bin/sh
# prepare.sh [PROGRAM:PACKAGE…]: gets a fresh clone ready for `npm run demo` and `npm test`: npm packages, system packages
# (those every use needs, and those named), the bundle. Safe to repeat. Where it may not act, it prints the command.
set -eu
cd "$(dirname "$0")/../.."

say() { echo "tributary: $*" >&2; }

# npm writes this file last: older than the lock file means that an install is missing or was cut short.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  say "installing the npm packages (once, about half a minute)"
  npm ci --no-audit --no-fund --loglevel=error >&2
  touch node_modules/.package-lock.json
fi
sh tools/lab/complete-packages.sh

PATH="$PWD/node_modules/.bin:/usr/sbin:/sbin:$PATH"
missing=
for pair in nft:nftables conntrack:conntrack wg:wireguard-tools wireguard-go:wireguard-go ip:iproute2 unshare:util-linux flock:util-linux "$@"; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
if [ -n "$missing" ]; then
  install="apt-get install -y --no-install-recommends$missing"
  if ! command -v apt-get >/dev/null 2>&1; then
    say "these packages are missing; install them with your system's package manager:$missing"
    exit 69
  elif [ "$(id -u)" = 0 ]; then
    elevate=
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    elevate=sudo
  else
    say "system packages are missing and need root; run this, then try again:"
    echo "  sudo apt-get update && sudo $install" >&2
    exit 77
  fi
  say "installing the system packages:$missing"
  log=$(mktemp)
  # shellcheck disable=SC2086
  if ! { $elevate apt-get update -q && $elevate env DEBIAN_FRONTEND=noninteractive $install; } >"$log" 2>&1 </dev/null; then
    tail -5 "$log" >&2
    say "installing failed; the whole output is in $log. The command was: apt-get update && $install"
    exit 69
  fi
  rm -f "$log"
fi

if [ ! -e dist/tributary.cjs ] || [ -n "$(find src tools package-lock.json rolldown.config.ts -newer dist/tributary.cjs -print -quit)" ]; then
  say "building"
  npm run --silent build >/dev/null
fi
