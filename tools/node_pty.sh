#!/usr/bin/env bash
# node_pty.sh: fetches the npm package node-pty once and unpacks its PDBs made by MSVC, with the images they belong to,
# into build/node-pty: win32-x64 and win32-arm64. build/npm keeps the package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
package=node-pty@1.1.0
work=build/npm
folder=build/node-pty

[ ! -d "$folder" ] || exit 0
npm_pack "$package" "$work"
unpacked=$(mktemp -d "$work/unpacking.XXXXXX")
tar -xzf "$work"/node-pty-*.tgz -C "$unpacked" --strip-components=2 --wildcards --no-wildcards-match-slash \
  'package/prebuilds/win32-*/*.*'
mv -T "$unpacked" "$folder"
