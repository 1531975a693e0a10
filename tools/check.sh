#!/usr/bin/env bash
# check.sh [--fast]: everything that must hold before a change is merged; a line per check, all of them run.
# --fast leaves out the second release build, the thread sanitizer and clang's release build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
failed=()

# step NAME COMMAND...
step() {
  local name=$1
  shift
  say "== $name"
  "$@" || failed+=("$name")
}

format() { git ls-files -z '*.cpp' '*.hpp' | xargs -0 clang-format-22 --dry-run -Werror; }
scripts() { git grep -lzE '^#!/usr/bin/env bash|^# shellcheck shell=bash' -- . | xargs -0 shellcheck -x; }
built() { build "$1"; }

tested() {  # PRESET: built and tested; the sanitizers' reports are in the output of the test that failed
  build "$1" && tools/run_tests.sh "$1" >"build/$1.tests.log" 2>&1 && tail -n 1 "build/$1.tests.log" && return
  tail -n 80 "build/$1.tests.log" >&2
  return 1
}

report() {
  if [ ${#failed[@]} = 0 ]; then
    say "check: all good"
  else
    die "failed: $(printf '%s; ' "${failed[@]}")"
  fi
}

main() {
  need build clang test check
  step "layers" tools/check_layers.py
  step "lines" tools/check_lines.py
  step "format" format
  step "scripts" scripts
  step "address and undefined behaviour sanitizers, clang 22, stored fuzz inputs" tested asan
  if [ "${1:-}" != --fast ]; then
    step "thread sanitizer, clang 22" tested tsan
    step "GCC 12 without warnings" built release
    step "clang 22 without warnings" built release-clang
  fi
  report
}

main "$@"
