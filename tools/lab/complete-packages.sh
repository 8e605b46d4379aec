#!/bin/sh
# complete-packages.sh: puts in what Debian 12's npm leaves out of `npm ci`: optional packages that its own Node is too
# old for, such as the bundler's program, and the name of our Node, which the Node for another processor has too.
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
