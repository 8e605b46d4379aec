#!/bin/sh
# The whole test suite, in the lab's namespaces. On a developer's machine that does not let them be made, the tests that
# need them are left out, and that is said; in CI it is an error.
set -eu
cd "$(dirname "$0")/.."
# The way of an ordinary user, which the demonstration does not need.
sh src/lab/prepare.sh pasta:passt iptables:iptables ping:iputils-ping openssl:openssl
# The page's tests need a browser. Where it is missing and may not be installed they are left out, and that is said.
sh src/lab/prepare.sh chromium:chromium || [ "${CI-}" != true ]
# So do crafted packets need a Python with scapy.
sh src/lab/prepare.sh scapy:python3-scapy || [ "${CI-}" != true ]
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
# A second user, whom the lab's namespaces do not know: what root does in the agent's folder is tried before them.
if [ "$(id -u)" = 0 ] && [ $# = 0 ]; then
  vitest run --project unit test/unit/system/another-user.test.ts
fi
set -- vitest run --project '!systems' "$@"
if [ -n "${VITEST_JSON_REPORT-}" ]; then
  set -- "$@" --reporter=default --reporter=json --outputFile.json="$VITEST_JSON_REPORT"
fi
if sh src/lab/enter.sh true; then
  exec sh src/lab/enter.sh "$@"
elif [ "${CI-}" = true ]; then
  exit 77
fi
exec "$@"
