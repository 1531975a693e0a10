#!/usr/bin/env bash
# powershell_grammar.sh: fetches a grammar of PowerShell and the parser that runs it, for e2e/powershell_test.py, once
# into build/powershell. build/npm keeps the packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
grammar=tree-sitter-powershell@0.26.4
parser=web-tree-sitter@0.27.1
work=build/npm
folder=build/powershell

[ ! -d "$folder" ] || exit 0
npm_pack "$grammar" "$work"
npm_pack "$parser" "$work"
unpacked=$(mktemp -d "$work/unpacking.XXXXXX")
tar -xzf "$work"/tree-sitter-powershell-*.tgz -C "$unpacked" --strip-components=1 package/tree-sitter-powershell.wasm
tar -xzf "$work"/web-tree-sitter-*.tgz -C "$unpacked" --strip-components=1 package/web-tree-sitter.cjs \
  package/web-tree-sitter.wasm
mv -T "$unpacked" "$folder"
