#!/bin/sh
# enter-with-page.sh NODE PROGRAM…: as enter.sh, with the page of the lab's device on this host's loopback while the program runs.
set -eu
cd "$(dirname "$0")/../.."
LAB_OF_TRIBUTARY_PAGE=$(mktemp -d)
export LAB_OF_TRIBUTARY_PAGE
# It ends with the process that this one becomes, however that ends.
PATH="$PWD/node_modules/.bin:$PATH"
setpriv --pdeathsig TERM "$1" "$(dirname "$2")/worker.cjs" page "$LAB_OF_TRIBUTARY_PAGE" </dev/null >/dev/null 2>&1 &
exec sh tools/lab/enter.sh "$@"
