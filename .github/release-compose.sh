#!/bin/sh
# release-compose.sh OWNER/NAME VERSION: config/compose.yaml with the image of that release in it.
set -eu
image="ghcr.io/$(printf '%s' "$1" | tr '[:upper:]' '[:lower:]'):$2"
cd "$(dirname "$0")/.."
grep -q '^    image: ghcr\.io/OWNER/tributary:VERSION$' config/compose.yaml || {
  echo "config/compose.yaml names no image to put $image in the place of" >&2
  exit 1
}
sed "s|^    image: ghcr\.io/OWNER/tributary:VERSION\$|    image: $image|" config/compose.yaml
