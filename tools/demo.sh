#!/usr/bin/env bash
# demo.sh: the demo after the build. Gets PDBs, then shows the main job on them: tools/demo.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
tools/sample_pdbs.sh
python3 tools/demo.py build/release/symcached build/demo
