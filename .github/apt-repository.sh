#!/bin/sh
# apt-repository.sh FOLDER KEY ADDRESS PACKAGE.deb…: a package repository for apt in FOLDER, signed with the secret key
# KEY of this user's keyring, to be served at ADDRESS. It needs apt-ftparchive (package apt-utils) and gpg.
#
# A machine trusts the key for this repository alone (Signed-By), and takes what is there by the file tributary.sources.
set -eu
if [ $# -lt 4 ]; then
  echo 'usage: apt-repository.sh FOLDER KEY ADDRESS PACKAGE.deb…' >&2
  exit 64
fi
folder=$1 key=$2 address=$3
shift 3
mkdir -p "$folder/pool"
cp -- "$@" "$folder/pool/"
cd "$folder"
rm -rf dists
for architecture in amd64 arm64; do
  below=dists/stable/main/binary-$architecture
  mkdir -p "$below"
  apt-ftparchive --arch "$architecture" packages pool >"$below/Packages"
  gzip --keep --no-name --best "$below/Packages"
done
apt-ftparchive \
  -o APT::FTPArchive::Release::Origin=tributary \
  -o APT::FTPArchive::Release::Label=tributary \
  -o APT::FTPArchive::Release::Suite=stable \
  -o APT::FTPArchive::Release::Codename=stable \
  -o APT::FTPArchive::Release::Components=main \
  -o 'APT::FTPArchive::Release::Architectures=amd64 arm64' \
  release dists/stable >Release.new
mv Release.new dists/stable/Release
sign() { gpg --batch --yes --local-user "$key" --digest-algo SHA512 "$@" dists/stable/Release; }
sign --clearsign --output dists/stable/InRelease
sign --armor --detach-sign --output dists/stable/Release.gpg
gpg --batch --yes --output tributary.gpg --export "$key"
cat >tributary.sources <<SOURCES
Types: deb
URIs: $address
Suites: stable
Components: main
Signed-By: /etc/apt/keyrings/tributary.gpg
SOURCES
