#!/bin/sh
# attack.sh [ARGUMENT…]: crafted packets against a running agent, in namespaces of their own; what they are: test/attack/attack.ts.
set -eu
cd "$(dirname "$0")/../.."
sh tools/lab/prepare.sh scapy:python3-scapy
exec sh tools/lab/enter.sh node test/attack/attack.ts "$@"
