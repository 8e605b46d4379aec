#!/bin/sh
# release-file.sh FILE OWNER/NAME VERSION: prints a file of config/ as a release hands it out, with the image of that release and the
# addresses of its pages in the places that are kept for them.
set -eu
file=$1
image="ghcr.io/$(printf '%s' "$2" | tr '[:upper:]' '[:lower:]'):$3"
pages="https://github.com/$2/blob/v$3/"
cd "$(dirname "$0")/.."
grep -q -e 'ghcr\.io/OWNER/tributary:VERSION' -e 'github\.com/OWNER/tributary/blob/main/' "$file" || {
  echo "$file has no place for $image or $pages" >&2
  exit 1
}
sed -e "s|ghcr\.io/OWNER/tributary:VERSION|$image|g" -e "s|https://github\.com/OWNER/tributary/blob/main/|$pages|g" "$file"
