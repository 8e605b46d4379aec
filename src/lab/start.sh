#!/bin/sh
# start.sh demo|bench [ARGUMENT…]: gets the clone ready, then runs that program of the lab in namespaces of its own.
set -eu
cd "$(dirname "$0")/../.."
program=$1
shift
sh src/lab/prepare.sh
[ "$program" != demo ] || exec sh src/lab/enter-with-page.sh node dist/demo.cjs "$@"
exec sh src/lab/enter.sh node "dist/$program.cjs" "$@"
