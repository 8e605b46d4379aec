#!/bin/sh
# enter-with-page.sh COMMAND…: as enter.sh, with the page of the lab's device on this host's loopback while the command runs.
set -eu
cd "$(dirname "$0")/../.."
LAB_OF_TRIBUTARY_PAGE=$(mktemp -d)
export LAB_OF_TRIBUTARY_PAGE
# It ends with the process that this one becomes, however that ends.
setpriv --pdeathsig TERM node_modules/.bin/node dist/worker.cjs page "$LAB_OF_TRIBUTARY_PAGE" </dev/null >/dev/null 2>&1 &
exec sh tools/lab/enter.sh "$@"
