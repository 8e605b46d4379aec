#!/bin/sh
# start.sh demo|bench [ARGUMENT…]: gets the clone ready, then runs that program of the lab in namespaces of its own.
set -eu
cd "$(dirname "$0")/../.."
program=$1
shift
sh tools/lab/prepare.sh
[ "$program" != demo ] || exec sh tools/lab/enter-with-page.sh node dist/demo.cjs "$@"
exec sh tools/lab/enter.sh node "dist/$program.cjs" "$@"
