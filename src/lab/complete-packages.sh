#!/bin/sh
# complete-packages.sh: puts in what an old npm leaves out of `npm ci`. That of Debian 12 installs no optional package that its
# own Node is too old for, the bundler's program among them, and takes the name of our Node away together with the Node for
# another processor, which is called the same.
set -eu
cd "$(dirname "$0")/../.."

link_node() (
  cd node_modules/.bin
  [ -e node ] || ln -sf ../node-linux-*/bin/node node
)

link_node
if [ -z "$(find node_modules/@rolldown -name 'binding-linux-*' -print -quit)" ]; then
  echo "tributary: this npm left packages out; installing them by the Node that came along" >&2
  own=$(mktemp -d)
  trap 'rm -rf "$own"' EXIT
  cp node_modules/.bin/node "$own/node"
  PATH="$own:$PATH" NODE_NO_WARNINGS=1 npm ci --no-audit --no-fund --loglevel=error >&2
  link_node
fi
