#!/bin/sh
# package.sh [--architecture amd64|arm64]…: the Debian packages, into dist/packages. Safe to repeat.
set -eu
cd "$(dirname "$0")/../.."
# An archive of the source needs no git.
[ -e .git ] && git=git:git || git=
# The tools for both architectures: those of the other one are in packages of their own.
sh test/lab/prepare.sh dpkg-deb:dpkg $git \
  aarch64-linux-gnu-strip:binutils-aarch64-linux-gnu x86_64-linux-gnu-strip:binutils-x86-64-linux-gnu
exec node_modules/.bin/node src/packaging/build-packages.ts "$@"
