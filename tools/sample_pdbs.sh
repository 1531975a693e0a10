#!/usr/bin/env bash
# sample_pdbs.sh [DIR [clang]]: fills DIR/pdbs, build/demo/pdbs by default, for the demo and the benchmarks, once.
# PDBs made by MSVC with the images they belong to, from the npm package node-pty; where no package registry can be
# reached (or with `clang`), one that clang 22 and lld 22 make of tools/sample.cpp. origin.txt there says which.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
base=${1:-build/demo}
folder=$base/pdbs

from_npm() {
  tools/node_pty.sh || return 1
  cp build/node-pty/win32-x64/* "$folder"
  say "PDBs made by MSVC, from the npm package node-pty" >"$folder/origin.txt"
}

from_clang() {
  need clang || die "without npm's registry the demo makes its own PDB, and that takes clang-22 and lld-22"
  clang-22 --target=x86_64-pc-windows-msvc -O2 -g -gcodeview -fno-exceptions -c tools/sample.cpp -o "$folder/sample.obj"
  lld-link-22 /nologo /debug /nodefaultlib /entry:sample_main /subsystem:console "/out:$folder/sample.exe" \
    "/pdb:$folder/sample.pdb" "$folder/sample.obj"
  rm "$folder/sample.obj"
  say "A PDB of tools/sample.cpp, made with clang 22 and lld 22" >"$folder/origin.txt"
}

make_pdbs() {
  mkdir -p "$folder"
  if [ "${1:-}" = clang ]; then
    from_clang
  elif ! from_npm; then
    say "npm's registry cannot be reached, so the demo makes a PDB of its own."
    from_clang
  fi
}

[ -e "$folder/origin.txt" ] || make_pdbs "${2:-}"
