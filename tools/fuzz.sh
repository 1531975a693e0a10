#!/usr/bin/env bash
# fuzz.sh [--keep] [TARGET] [SECONDS]: runs every fuzz target, or one, for SECONDS each (60), from its stored inputs.
# The stored inputs of FOLDER/NAME_fuzz.cpp are in FOLDER/fuzz_corpus/NAME_fuzz/; what a run learns stays in
# build/fuzz_corpus/, and inputs that crash, hang or leak in build/fuzz_found/. --keep stores the best of what was
# learnt: libFuzzer's merge tells what each input reaches, keep_inputs.py chooses.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
found=$PWD/build/fuzz_found

sources() { git ls-files --cached --others --exclude-standard '*_fuzz.cpp'; }

target_of() {  # symcache/reader_fuzz.cpp -> symcache_reader_fuzz, as cmake/SymcachedFolder.cmake names it
  local path=${1%.cpp}
  say "${path//\//_}"
}

source_of() {  # the source file of a target; nothing when there is none
  local path
  while IFS= read -r path; do
    if [ "$(target_of "$path")" = "$1" ]; then say "$path"; fi
  done < <(sources)
}

# fuzz_one SOURCE SECONDS: 1 when it found something.
fuzz_one() {
  local target learnt stored
  target=$(target_of "$1")
  learnt=build/fuzz_corpus/$target
  stored=$(dirname "$1")/fuzz_corpus/$(basename "$1" .cpp)
  mkdir -p "$learnt" "$found/$target"
  if [ -d "$stored" ]; then cp -r "$stored/." "$learnt/"; fi
  say "== $target: $2 s from $(find "$learnt" -type f | wc -l) inputs"
  if "build/fuzz/$target" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$found/$target/" "$learnt" >"build/fuzz_corpus/$target.log" 2>&1; then
    grep -E 'number_of_executed_units|average_exec_per_sec|peak_rss_mb' "build/fuzz_corpus/$target.log"
  else
    grep -vE '^#[0-9]+' "build/fuzz_corpus/$target.log" | tail -n 40 >&2
    return 1
  fi
}

# keep_one SOURCE: the hand-made stored inputs stay, the found ones are chosen anew.
keep_one() {
  local target stored reached
  target=$(target_of "$1")
  stored=$(dirname "$1")/fuzz_corpus/$(basename "$1" .cpp)
  reached=$PWD/build/fuzz_corpus/$target.reached
  rm -rf "$reached" build/fuzz_corpus/merged && mkdir build/fuzz_corpus/merged
  "build/fuzz/$target" -set_cover_merge=1 -merge_control_file="$reached" -timeout=10 -rss_limit_mb=2048 \
    build/fuzz_corpus/merged "build/fuzz_corpus/$target" >"build/fuzz_corpus/$target.merge.log" 2>&1 || return 1
  mkdir -p "$stored"
  tools/keep_inputs.py "$reached" "$stored"
}

main() {
  local chosen=() seconds=60 failed=0 keep=0 path
  if [ "${1:-}" = --keep ]; then
    keep=1
    shift
  fi
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then set -- "" "$1"; fi
  if [ -n "${1:-}" ]; then
    mapfile -t chosen < <(source_of "$1")
    [ ${#chosen[@]} != 0 ] || die "no fuzz target '$1'; there are:$(for path in $(sources); do target_of "$path"; done |
      sed 's/^/ /' | tr -d '\n')"
  else
    mapfile -t chosen < <(sources)
  fi
  if [ -n "${2:-}" ]; then seconds=$2; fi
  need build clang check
  build fuzz
  for path in "${chosen[@]}"; do
    fuzz_one "$path" "$seconds" || failed=1
    if [ "$keep" = 1 ]; then keep_one "$path" || failed=1; fi
  done
  if [ "$failed" != 0 ]; then die "failed; inputs found: $(find "$found" -type f | tr '\n' ' ')"; fi
  say "${#chosen[@]} targets, nothing found"
}

main "$@"
