#!/usr/bin/env bash
# fresh_machine.sh DIR [COMMAND...]: tries the newcomer's way on a stock Debian 12 that has nothing of ours.
# Makes the smallest Debian 12 in DIR/root when there is none (debootstrap, root), clones the committed state of this
# checkout into it and runs `./dev demo` and `./dev test` there, or the COMMANDs given ("./dev demo" is one argument).
# Of this machine it takes only how the network is reached: apt's Debian sources, resolv.conf, own certificates.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh

[ $# -ge 1 ] || die "usage: tools/fresh_machine.sh DIR [COMMAND...]"
[ "$(id -u)" = 0 ] || die "fresh_machine.sh makes a chroot: run it as root"
mkdir -p "$1"
base=$(cd "$1" && pwd)
root=$base/root
shift
commands=("$@")
if [ ${#commands[@]} = 0 ]; then commands=("./dev demo" "./dev test"); fi

mirror() { apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 'Component: main' | sort -u | head -n 1; }

inside() {  # COMMAND: in the chroot, with a newcomer's environment
  local certs=/etc/ssl/certs/ca-certificates.crt
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
    NODE_EXTRA_CA_CERTS="$certs" bash -c "$1"
}

copy_network() {
  local extra=/usr/local/share/ca-certificates
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  printf '%s\n' "127.0.0.1 localhost" >"$root/etc/hosts"
  if compgen -G "$extra/*.crt" >/dev/null; then mkdir -p "$root$extra" && cp "$extra"/*.crt "$root$extra/"; fi
  rm -f "$root/etc/apt/sources.list"
  cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/"
}

make_root() {
  command -v debootstrap >/dev/null || die "needs the package debootstrap"
  logged "smallest Debian 12" "$base/debootstrap.log" \
    debootstrap --variant=minbase --include=ca-certificates,git bookworm "$root" "$(mirror)"
  copy_network
  inside update-ca-certificates >"$base/certificates.log" 2>&1
}

mount_kernel() {  # processes, and terminals for a test of progress bars
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  mountpoint -q "$root/dev/pts" || mount -t devpts -o ptmxmode=0666 devpts "$root/dev/pts"
  trap 'umount "$root/dev/pts" "$root/proc"' EXIT
}

clone() {
  rm -rf "$root/src" && mkdir -p "$root/src"
  git bundle create -q "$root/src/symcached.bundle" HEAD
  inside 'cd /src && git -c advice.detachedHead=false clone -q symcached.bundle symcached'
}

main() {
  say "Fresh Debian 12 in $root"
  [ -x "$root/bin/bash" ] || make_root
  mount_kernel
  clone
  local command from failed=0
  for command in "${commands[@]}"; do
    say "--- $command"
    from=$SECONDS
    inside "cd /src/symcached && $command" </dev/null || failed=1
    say "--- $command: $((SECONDS - from)) s, $([ $failed = 0 ] && echo good || echo failed)"
    [ $failed = 0 ] || return 1
  done
}

main
