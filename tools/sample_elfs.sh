#!/usr/bin/env bash
# sample_elfs.sh [DIR]: fills DIR, build/samples by default, with debug files of Debian for the benchmarks, once.
# Of each package the largest .debug file: one of a C library, one of a large C++ program (a download of 0.5 GB). What
# cannot be fetched is left out. Without root: apt-get download needs none, only a package index.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
folder=${1:-build/samples}
packages=(libc6-dbg ceph-osd-dbg)

# largest_debug DEB: the path of its largest .debug file, as the archive spells it.
largest_debug() {
  dpkg-deb --contents "$1" | awk '/\.debug$/ && $3 > most { most = $3; path = $6 } END { print path }'
}

# fetch PACKAGE: leaves PACKAGE.debug in the folder and nothing else.
fetch() {
  local work=$folder/fetching path
  rm -rf "$work" && mkdir -p "$work"
  (cd "$work" && timeout 1200 apt-get -q download -o APT::Sandbox::User= "$1") >"$folder/$1.log" 2>&1 || return 1
  path=$(largest_debug "$work"/*.deb)
  [ -n "$path" ] || return 1
  dpkg-deb --fsys-tarfile "$work"/*.deb | tar -xO "$path" >"$work/found" || return 1
  mv "$work/found" "$folder/$1.debug"
  rm -r "$work" "$folder/$1.log"
}

mkdir -p "$folder"
for package in "${packages[@]}"; do
  [ ! -e "$folder/$package.debug" ] || continue
  say "Fetching the Debian package $package"
  fetch "$package" || say "  it cannot be fetched: the benchmarks go without it; $folder/$package.log says why"
  rm -rf "$folder/fetching"
done
