#!/bin/sh
# source-date.sh FOLDER: when the source there was made, in seconds since 1970: as SOURCE_DATE_EPOCH says, by the last
# commit or, in an archive without git, whose files have the time of their commit, by CHANGELOG.md.
set -eu
date=${SOURCE_DATE_EPOCH-}
case $date in *[!0-9]*) echo "SOURCE_DATE_EPOCH=$date is no number of seconds since 1970" >&2 && exit 64 ;; esac
[ -z "$date" ] || exec echo "$date"
[ ! -e "$1/.git" ] || exec git -C "$1" log -1 --format=%ct
exec stat --format=%Y "$1/CHANGELOG.md"
