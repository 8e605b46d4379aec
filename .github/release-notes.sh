#!/bin/sh
# release-notes.sh VERSION: what CHANGELOG.md says of the version, for the notes of its release.
set -eu
version=$1
cd "$(dirname "$0")/.."
notes=$(awk -v heading="## [$version]" '
  index($0, heading) == 1 { inside = 1; next }
  inside && /^(## |\[[^]]+\]: )/ { exit }
  inside' CHANGELOG.md)
if [ -z "$(printf '%s' "$notes" | tr -d '[:space:]')" ]; then
  echo "CHANGELOG.md has nothing to say of $version: give it a section \"## [$version] - YYYY-MM-DD\"" >&2
  exit 1
fi
printf '%s\n' "$notes" | sed '/./,$!d'
