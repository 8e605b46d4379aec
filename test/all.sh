#!/bin/sh
# all.sh short|full|full rest [OPTION OR FILE…]: the test suite, or a part of it, in the lab's namespaces; files that are named are
# run, whatever the part. On a developer's machine that does not let namespaces be made, the tests that need them are left out,
# and that is said; in CI it is an error. What a run leaves in the system's temporary folder is named; in CI that is an error too.
set -eu
cd "$(dirname "$0")/.."
part=$1
shift
if [ "${1-}" = rest ]; then
  part=rest
  shift
fi

# What the files that are named need: `little` for units alone, `server` where there are flows among them, else `lab`.
needs=
is_value=
for given in "$@"; do
  if [ -n "$is_value" ]; then
    is_value=
    continue
  fi
  case $given in
  -t | --testNamePattern) is_value=yes ;;
  -*) ;;
  test/unit | test/unit/* | test/architecture | test/architecture/* | test/service/* | test/reference-service/*)
    needs=${needs:-little}
    ;;
  test/flow | test/flow/*) [ "$needs" = lab ] || needs=server ;;
  *) needs=lab ;;
  esac
done
if [ "$needs" = little ]; then
  sh tools/lab/prepare.sh --only
elif [ "$needs" = server ]; then
  sh tools/lab/prepare.sh --only openssl:openssl
elif [ "$part" = short ] && [ $# = 0 ]; then
  sh tools/lab/prepare.sh --tests
  export TEST_PART=short
else
  [ "$part" != rest ] || export TEST_PART=rest
  # The way of an ordinary user, which the demonstration does not need, is passt. Without a browser the page's tests are left
  # out, and without scapy those with crafted packets, and that is said.
  optional=--optional
  [ "${CI-}" != true ] || optional=
  # shellcheck disable=SC2086
  sh tools/lab/prepare.sh --tests pasta:passt $optional chromium:chromium scapy:python3-scapy
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH

# A temporary folder of the run's own, for every user: what is left in it was forgotten.
own=$(mktemp -d)
chmod 755 "$own"
TMPDIR=$own/t
TEST_LEFT=$own/left
mkdir -m 1777 "$TMPDIR"
: >"$TEST_LEFT"
export TMPDIR TEST_LEFT
finish() {
  status=$?
  trap - EXIT INT TERM
  # npm and Node keep what they compiled there.
  left=$(ls -A "$TMPDIR" | cat - "$TEST_LEFT" | grep -v '^node-compile-cache$' || true)
  rm -rf "$own"
  if [ -n "$left" ]; then
    echo "tributary: left in the temporary folder by the tests:" $left >&2
    # A test that fails may leave something; only then a run with leftovers has another reason to fail.
    [ "${CI-}" != true ] || [ "$status" != 0 ] || status=1
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A second user, whom the lab's namespaces do not know: what root does in the agent's folder is tried before them.
before=0
if [ "$(id -u)" = 0 ] && [ $# = 0 ] && [ "$part" != rest ]; then
  vitest run --project unit test/unit/system/another-user.test.ts || before=$?
  export TEST_ANOTHER_USER=done
fi
set -- vitest run --project '!systems' "$@"
if [ "$needs" = little ] || [ "$needs" = server ]; then
  "$@"
elif sh tools/lab/enter.sh true; then
  sh tools/lab/enter.sh sh test/in-lab.sh "$@"
elif [ "${CI-}" = true ]; then
  exit 77
else
  "$@"
fi
exit "$before"
