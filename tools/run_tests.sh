#!/usr/bin/env bash
# run_tests.sh PRESET: runs the ctest tests of a built preset; the last line is `N passed, N failed`.
# gtest programs are counted by their cases, everything else as one test each.
set -euo pipefail
preset=$1
reports=$PWD/build/$preset/test_reports
rm -rf "$reports" && mkdir -p "$reports"

status=0
GTEST_OUTPUT="json:$reports/" ctest --preset "$preset" -j "$(nproc)" --output-junit "$reports/ctest.xml" || status=$?
python3 tools/count_tests.py "$reports" || status=1
exit "$status"
