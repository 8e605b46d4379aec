#!/bin/sh
# in-lab.sh COMMAND…: runs it in the lab with its temporary folder in memory, because a state file waits for the disk each time
# it is written. What is left there is listed in the file TEST_LEFT.
set -u
mount -t tmpfs -o mode=1777 tmpfs "$TMPDIR" || exit 1
status=0
"$@" || status=$?
ls -A "$TMPDIR" >"$TEST_LEFT"
exit "$status"
