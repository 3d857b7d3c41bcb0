#!/bin/bash
# enter.sh ROOT FOLDER COMMAND...: runs COMMAND in FOLDER inside ROOT. Started by root.sh in a mount namespace of its own, so
# every mount is gone when COMMAND ends.
#
# Files are where they are on the host: every top folder that is not the operating system's (/home, /root, /tmp, /mnt, ...), and the
# checkout, $HOME, the cache and FOLDER wherever they are. /usr, /etc and the like are the root's.
set -euo pipefail
root=$1 folder=$2
shift 2
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

show() {  # bind a host folder at the same path
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
}

shown=()
is_shown() {
  local top
  for top in "${shown[@]}"; do [[ $1/ == "$top"/* ]] && return; done
  return 1
}

for top in /*; do
  case $top in
    /bin | /boot | /etc | /lib* | /lost+found | /run | /sbin | /usr | /var) continue ;;
  esac
  if [[ -L $top ]]; then
    [[ -e $root$top ]] || ln -sfn "$(readlink "$top")" "$root$top"
  elif [[ -d $top && -r $top ]]; then
    show "$top"
    shown+=("$top")
  fi
done
for place in "$(dirname "$checkout")" "$HOME" "${XDG_CACHE_HOME:-$HOME/.cache}" "$folder"; do
  case $place in
    / | /usr | /etc | /var | /bin | /sbin | /lib* | /run) continue ;;
  esac
  [[ -d $place ]] || continue
  is_shown "$place" || { show "$place" && shown+=("$place"); }
done
is_shown "$checkout" || show "$checkout"

for file in /etc/resolv.conf /etc/hosts; do
  [[ -s $file ]] && { [[ -e $root$file ]] || touch "$root$file"; } && mount --bind "$(readlink -f "$file")" "$root$file"
done
certificates=/etc/ssl/certs/ca-certificates.crt  # the host's: it may know a proxy's
for file in $certificates /etc/pki/tls/certs/ca-bundle.crt; do
  [[ -s $file && -e $root$certificates ]] && mount --bind "$(readlink -f "$file")" "$root$certificates" && break
done

# A clean environment but for what is about us, the network or the tests.
keep=()
for name in $(compgen -e); do
  case $name in
    HOME | USER | LOGNAME | TERM | CI | NO_COLOR | XDG_CACHE_HOME | HALFBYTE_* | DAWN_* | MESA_* | LP_* | VK_* | GTEST_* | CTEST_* | \
      [ATU]*SAN_OPTIONS | npm_config_* | *_proxy | *_PROXY) keep+=("$name=${!name}") ;;
  esac
done
if [[ ${VK_DRIVER_FILES:-} && ! -e $root${VK_DRIVER_FILES%%:*} ]]; then
  keep+=(VK_DRIVER_FILES=)  # a driver of the host's, which the root's libraries cannot load
fi

exec chroot "$root" /usr/bin/env -i "${keep[@]}" HALFBYTE_DEV_INSIDE=root PATH=/usr/local/bin:/usr/bin:/usr/sbin LANG=C.UTF-8 \
  XDG_RUNTIME_DIR=/tmp NODE_EXTRA_CA_CERTS=$certificates bash -c 'cd "$0" && exec "$@"' "$folder" "$@"
