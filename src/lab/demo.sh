#!/bin/sh
# `npm run demo`: gets the clone ready, then runs the demonstration in namespaces of its own.
set -eu
cd "$(dirname "$0")/../.."
sh src/lab/prepare.sh
exec sh src/lab/enter.sh node dist/demo.cjs "$@"
