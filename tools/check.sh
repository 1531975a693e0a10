#!/usr/bin/env bash
# check.sh [--fast]: everything that must hold before a change is merged; a line per check, all of them run.
# --fast is what CI runs: all but the thread sanitizer over what is not the server's, the fuzz targets with libFuzzer
# (their stored inputs are replayed under the other sanitizers), and clang's release build.
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

format() {
  local wrong
  wrong=$(git ls-files -z '*.cpp' '*.hpp' | xargs -0 clang-format-22 --dry-run -Werror 2>&1 |
    sed -nE 's/^([^ ]+):([0-9]+):[0-9]+: error: .*/\1:\2/p' | sort -u)
  [ -n "$wrong" ] || return 0
  warn "$wrong"
  warn "to fix: git ls-files '*.cpp' '*.hpp' | xargs clang-format-22 -i"
  return 1
}
scripts() { git grep -lzE '^#!/usr/bin/env bash|^# shellcheck shell=bash' -- . | xargs -0 shellcheck -x; }
built() { build "$1"; }

benchmarks() {  # built beside the release program, with the library that they alone need
  build release || return 1
  compgen -G "build/release/*_bench" >/dev/null
}

tested() {  # PRESET [LABEL TARGET]: built and tested; sanitizers' reports are in the output of the test that failed
  local log=build/$1.tests.log from
  build "$1" "${3:-all}" || return 1
  from=$SECONDS
  if tools/run_tests.sh "$1" "${2:-}" >"$log" 2>&1; then
    say "$(tail -n 1 "$log"), in $((SECONDS - from)) s"
  else
    tail -n 80 "$log" >&2
    return 1
  fi
}

report() {
  if [ ${#failed[@]} = 0 ]; then
    say "check: all good"
  else
    die "failed: $(printf '%s; ' "${failed[@]}")"
  fi
}

# What takes too long for CI is the whole check's alone: steps behind `else`.
main() {
  case ${1:-} in "" | --fast) ;; *) die "check: unknown option '$1'" ;; esac
  need build clang test check bench
  need_npm
  step "layers" tools/check_layers.py
  step "lines" tools/check_lines.py
  step "format" format
  step "scripts" scripts
  step "address and undefined behaviour sanitizers, clang 22, stored fuzz inputs" tested asan
  step "GCC 12 without warnings, benchmarks" benchmarks
  if [ "${1:-}" = --fast ]; then
    step "thread sanitizer over the server, clang 22" tested tsan server server_tests
  else
    step "fuzz targets, clang 22" built fuzz
    step "thread sanitizer, clang 22" tested tsan
    step "clang 22 without warnings" built release-clang
    step "five minutes of rough load" tools/soak.py build/release/symcached --minutes 5
  fi
  report
}

main "$@"
