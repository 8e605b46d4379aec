#!/bin/sh
# all.sh short|full|full rest [OPTION OR FILE…]: the test suite, or a part of it, in the lab's namespaces; files that are named are
# run, whatever the part. On a developer's machine that does not let namespaces be made, the tests that need them are left out,
# and that is said; in CI it is an error.
set -eu
cd "$(dirname "$0")/.."
part=$1
shift
if [ "${1-}" = rest ]; then
  part=rest
  shift
fi
if [ "$part" = short ] && [ $# = 0 ]; then
  sh tools/lab/prepare.sh iptables:iptables ping:iputils-ping openssl:openssl
  export TEST_PART=short
else
  [ "$part" != rest ] || export TEST_PART=rest
  # The way of an ordinary user, which the demonstration does not need.
  sh tools/lab/prepare.sh pasta:passt iptables:iptables ping:iputils-ping openssl:openssl
  # The page's tests need a browser. Where it is missing and may not be installed they are left out, and that is said.
  sh tools/lab/prepare.sh chromium:chromium || [ "${CI-}" != true ]
  # So do crafted packets need a Python with scapy.
  sh tools/lab/prepare.sh scapy:python3-scapy || [ "${CI-}" != true ]
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
# A second user, whom the lab's namespaces do not know: what root does in the agent's folder is tried before them.
if [ "$(id -u)" = 0 ] && [ $# = 0 ] && [ "$part" != rest ]; then
  vitest run --project unit test/unit/system/another-user.test.ts
fi
set -- vitest run --project '!systems' "$@"
if [ -n "${VITEST_JSON_REPORT-}" ]; then
  set -- "$@" --reporter=default --reporter=json --outputFile.json="$VITEST_JSON_REPORT"
fi
if sh tools/lab/enter.sh true; then
  exec sh tools/lab/enter.sh "$@"
elif [ "${CI-}" = true ]; then
  exit 77
fi
exec "$@"
