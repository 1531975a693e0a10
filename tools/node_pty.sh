#!/usr/bin/env bash
# node_pty.sh: fetches the npm package node-pty once and unpacks its PDBs made by MSVC, with the images they belong to,
# into build/node-pty: win32-x64 and win32-arm64. build/npm keeps the package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
package=node-pty@1.1.0
work=build/npm
folder=build/node-pty

fetch() {
  need_npm && mkdir -p "$work" || return 1
  (cd "$work" && timeout 120 npm pack --silent --fetch-retries=1 --fetch-timeout=30000 "$package") \
    >"$work/npm.log" 2>&1 </dev/null || {
    tail -n 5 "$work/npm.log" >&2
    warn "$package cannot be fetched from npm's registry; npm's output is in $work/npm.log"
    return 1
  }
}

[ ! -d "$folder" ] || exit 0
compgen -G "$work/*.tgz" >/dev/null || fetch
unpacked=$(mktemp -d "$work/unpacking.XXXXXX")
tar -xzf "$work"/*.tgz -C "$unpacked" --strip-components=2 --wildcards --no-wildcards-match-slash \
  'package/prebuilds/win32-*/*.*'
mv -T "$unpacked" "$folder"
