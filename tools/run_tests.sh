#!/usr/bin/env bash
# run_tests.sh PRESET [LABEL]: runs the ctest tests of a built preset, or those with a label; the last line is
# `N passed, N failed`. gtest programs are counted by their cases, everything else as one test each. Fails on a skip
# that tools/allowed_skips.txt does not list. Outputs are kept whole, as skips are read from them.
set -euo pipefail
preset=$1
reports=$PWD/build/$preset/test_reports
chosen=()
if [ -n "${2:-}" ]; then chosen=(-L "^$2\$"); fi
rm -rf "$reports" && mkdir -p "$reports"

status=0
GTEST_OUTPUT="json:$reports/" ctest --preset "$preset" -j "$(nproc)" "${chosen[@]}" --no-tests=error \
  --test-output-size-passed 10000000 --test-output-size-failed 10000000 --output-junit "$reports/ctest.xml" || status=$?
python3 tools/count_tests.py "$reports" tools/allowed_skips.txt || status=1
exit "$status"
