#!/bin/sh
# What boots whole machines: `npm run test:systems`. As root, because containers with an init system of their own and
# their trees are made here; elsewhere it says so and does nothing.
set -eu
cd "$(dirname "$0")/.."
if [ "$(id -u)" != 0 ]; then
  echo "tributary: the tests on whole machines need root; run: sudo npm run test:systems" >&2
  exit 77
fi
sh tools/lab/prepare.sh mmdebstrap:mmdebstrap systemd-nspawn:systemd-container qemu-system-x86_64:qemu-system-x86 mke2fs:e2fsprogs \
  dpkg-deb:dpkg lintian:lintian qemu-aarch64-static:qemu-user-static qemu-system-aarch64:qemu-system-arm arch-test:arch-test \
  aarch64-linux-gnu-strip:binutils-aarch64-linux-gnu \
  prometheus:prometheus promtool:prometheus mosquitto:mosquitto openssl:openssl \
  ansible-playbook:ansible-core ansible-lint:ansible-lint \
  buildah:buildah podman:podman crun:crun /usr/lib/podman/netavark:netavark iptables:iptables
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec vitest run --project systems "$@"
