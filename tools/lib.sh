# Shared by ./dev and the scripts it calls: messages, progress, packages, builds. Sourced, not run.
# Everything is relative to the root of the checkout, where ./dev has gone.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() {
  warn "./dev: $*"
  exit 1
}

on_terminal() { [ -t 2 ]; }

# draw PERCENT LABEL: a bar on a terminal, nothing in a pipe.
draw() {
  on_terminal || return 0
  local width=32 full line='================================'
  full=$(($1 * width / 100))
  printf '\r\033[K  [%-*s] %3d%%  %s' "$width" "${line:0:full}" "$1" "${2:0:40}" >&2
}

clear_bar() { if on_terminal; then printf '\r\033[K' >&2; fi; }

# logged LABEL LOG COMMAND...: runs it with its output in LOG; one line when done, the end of LOG when it failed.
logged() {
  local label=$1 log=$2 from=$SECONDS
  shift 2
  mkdir -p "$(dirname "$log")"
  if "$@" >"$log" 2>&1 </dev/null; then
    clear_bar
    say "  $label: $((SECONDS - from)) s"
  else
    clear_bar
    tail -n 40 "$log" >&2
    warn "  $label: failed; the output is in $log"
    return 1
  fi
}

# --- packages ---------------------------------------------------------------------------------------------------

packages_of() {  # GROUP...: names, one a line
  local group
  for group in "$@"; do awk -v g="$group" '$1 == g { print $2 }' tools/packages.txt; done | sort -u
}

missing_of() {  # GROUP...: the names that are not installed
  local installed
  installed=$(packages_of "$@" | xargs dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null |
    awk '$2 == "installed" { print $1 }' || true)
  comm -23 <(packages_of "$@") <(sort -u <<<"$installed")
}

apt() {  # as root, without questions; descriptor 3 is for progress, opened within sudo, which closes what it is given
  local as_root=()
  if [ "$(id -u)" != 0 ]; then as_root=(sudo); fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh -c 'exec apt-get -q "$@" 3>&1' apt "$@"
}

apt_install() {  # an index that cannot be refreshed may still do: the installation tells
  apt update || true
  apt install -y --no-install-recommends --no-remove -o Dpkg::Use-Pty=0 -o APT::Status-Fd=3 "$@"
}

apt_progress() {  # reads apt's output, keeps it in the log $1, draws its percentage
  local line percent what
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    if [[ $line =~ ^(dlstatus|pmstatus):[^:]*:([0-9]+)[^:]*:(.*)$ ]]; then
      percent=${BASH_REMATCH[2]} what=${BASH_REMATCH[3]}
      if [ "${BASH_REMATCH[1]}" = dlstatus ]; then percent=$((percent / 2)); else percent=$((50 + percent / 2)); fi
      draw "$percent" "$what"
    fi
  done
  clear_bar
}

# need GROUP...: installs what is missing, or says how to.
need() {
  command -v dpkg-query >/dev/null || die "this is for Debian 12; elsewhere, install what tools/packages.txt lists"
  local missing log=build/apt.log from=$SECONDS
  mapfile -t missing < <(missing_of "$@")
  [ ${#missing[@]} != 0 ] || return 0
  say "Installing Debian packages for: $*"
  describe_packages "$*" "${missing[@]}"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    warn "Installing needs root or sudo, and neither is available. Have this run as root, then retry:"
    warn "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then sudo -v || return 1; fi
  mkdir -p build && : >"$log"
  if ! apt_install "${missing[@]}" 2>&1 </dev/null | apt_progress "$log"; then
    grep -E '^(E:|W:|dpkg: error)' "$log" >&2 || true
    warn "apt-get could not install them; its output is in $log"
    return 1
  fi
  say "  installed in $((SECONDS - from)) s"
}

need_npm() {  # Debian's npm is hundreds of packages: not where another is installed
  command -v npm >/dev/null || need npm
}

npm_pack() {  # NAME@VERSION DIR: fetches a package of npm into DIR, which keeps it; once
  local package=$1 work=$2
  compgen -G "$work/${package%@*}-*.tgz" >/dev/null && return
  need_npm && mkdir -p "$work" || return 1
  (cd "$work" && timeout 120 npm pack --silent --fetch-retries=1 --fetch-timeout=30000 "$package") \
    >"$work/npm.log" 2>&1 </dev/null || {
    tail -n 5 "$work/npm.log" >&2
    warn "$package cannot be fetched from npm's registry; npm's output is in $work/npm.log"
    return 1
  }
}

describe_packages() {  # GROUPS NAME...: what each package is for
  local groups=" $1 " name
  shift
  for name in "$@"; do
    awk -v groups="$groups" -v name="$name" '
      index(groups, " " $1 " ") && $2 == name { sub(/^ *[^ ]+ +[^ ]+ +/, ""); printf "  %-22s %s\n", name, $0; exit }
    ' tools/packages.txt
  done
}

# --- builds -----------------------------------------------------------------------------------------------------

ninja_progress() {  # reads ninja's output, keeps it in the log $1, draws [done/all]
  local line
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*)$ ]]; then
      draw $((BASH_REMATCH[1] * 100 / BASH_REMATCH[2])) "${BASH_REMATCH[3]##*/}"
    fi
  done
  clear_bar
}

# build PRESET [TARGET]: configures and builds quietly; what a compiler said is shown when it failed.
build() {
  local preset=$1 target=${2:-all} log=build/$1.log from=$SECONDS
  mkdir -p build && : >"$log"
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" --target "$target"; } 2>&1 </dev/null |
    ninja_progress "$log"; then
    grep -vE '^(\[[0-9]+/[0-9]+\]|--|Preset CMake|  [A-Z_]+=) ?' "$log" | tail -n 60 >&2
    warn "building $preset failed; the output is in $log"
    return 1
  fi
  say "Built $preset in $((SECONDS - from)) s"
}
