# The private Debian root, sourced by ./dev: use_host, ensure_root, enter_root.
#
#   $cache/root-KEY       the root; KEY is a hash of the suite and the base packages
#   $cache/root-KEY.lock  held (shared) while a command runs in it, so that nobody removes it meanwhile
#   $cache/setup.lock     held while a root is made or gets another layer
#   $cache/setup.log      what apt and dpkg said
#
# Made in a folder of its own and renamed when complete, so an interrupted set-up leaves nothing that looks like a root. Works as
# root and as a user: a user's set-up and commands run in a user namespace where the user is root, so that every file of
# the root and of the checkout stays the user's.

suite=forky
base_packages=(ca-certificates g++ cmake ninja-build ccache libwebgpu-dawn-dev mesa-vulkan-drivers libvulkan1 libegl1 libglx0
  nlohmann-json3-dev libcli11-dev libonnx-dev libprotobuf-dev libgtest-dev libgmock-dev libbenchmark-dev nodejs pkgconf xz-utils)
check_packages=(clang-format clang-tidy)
fuzz_packages=(clang libclang-rt-21-dev)  # libFuzzer is part of clang's runtime
web_packages=(emscripten chromium-headless-shell fonts-dejavu-core)

root_key=$(printf '%s\n' "format 1" "$suite" "${base_packages[@]}" | sha256sum | cut -c1-12)
root=$cache/root-$root_key

# In a mount namespace of its own, as root of the files in it.
own_namespace=(unshare --mount --propagation private)
[[ $EUID -eq 0 ]] || own_namespace+=(--map-root-user --map-auto)

# --- the host as it is -------------------------------------------------------------------------------------------------

# True when the host's own packages do: C++23's <expected> and <print>, Dawn and every library. Asked with cmake once per
# compiler and cmake, since it takes seconds.
use_host() {
  case ${HALFBYTE_ENV:-} in
    host) return 0 ;;
    root) return 1 ;;
    '') ;;
    *) die "HALFBYTE_ENV is \"$HALFBYTE_ENV\", it may be root or host" ;;
  esac
  command -v cmake ninja g++ node > /dev/null || return 1
  compgen -G '/usr/lib*/cmake/Dawn/DawnConfig.cmake' > /dev/null ||
    compgen -G '/usr/lib/*/cmake/Dawn/DawnConfig.cmake' > /dev/null ||
    compgen -G '/usr/local/lib*/cmake/Dawn/DawnConfig.cmake' > /dev/null || [[ ${Dawn_DIR:-}${CMAKE_PREFIX_PATH:-} ]] || return 1
  local key answer probe
  key=$({ g++ --version; cmake --version; echo "${Dawn_DIR:-} ${CMAKE_PREFIX_PATH:-}"; } | sha256sum | cut -c1-12)
  answer=$cache/host-$key
  if [[ ! -e $answer ]]; then
    probe=$(mktemp -d)
    if cmake -S "$checkout/tools/dev/probe" -B "$probe" -G Ninja > "$probe/log" 2>&1; then echo yes; else echo no; fi > "$answer"
    rm -rf "$probe"
  fi
  [[ $(< "$answer") == yes ]]
}

# --- making the root ---------------------------------------------------------------------------------------------------

ensure_root() {
  need_namespaces
  exec 8> "$root.lock"
  flock -s 8
  if root_has base && layers_are_there "$@"; then
    touch "$root.lock"
    return
  fi
  flock -u 8
  exec 9> "$cache/setup.lock"
  flock -n 9 || { say "dev: another ./dev is setting up, waiting for it" && flock 9; }
  root_has base || make_root
  local layer
  for layer in "$@"; do root_has "$layer" || "add_$layer"; done
  exec 9>&-
  flock -s 8
}

root_has() { [[ -e $root/.halfbyte/$(layer_mark "$1") ]]; }
layers_are_there() {
  local layer
  for layer in "$@"; do root_has "$layer" || return 1; done
}
layer_key() {
  case $1 in
    check) printf '%s\n' "${check_packages[@]}" | sha256sum | cut -c1-12 ;;
    check_fuzz) printf '%s\n' "${fuzz_packages[@]}" | sha256sum | cut -c1-12 ;;
    web) { printf '%s\n' "${web_packages[@]}" && cat "$checkout/tools/dev/emscripten.sh"; } | sha256sum | cut -c1-12 ;;
    *) echo 1 ;;
  esac
}
layer_mark() { echo "${1//_/-}-$(layer_key "$1")"; }
mark_layer() { "${own_namespace[@]}" touch "$root/.halfbyte/$(layer_mark "$1")"; }

need_namespaces() {
  "${own_namespace[@]}" true 2> /dev/null && return
  if [[ $EUID -eq 0 ]]; then
    die "cannot make a mount namespace (unshare --mount): in a container, start it with the capability SYS_ADMIN"
  fi
  if ! command -v newuidmap > /dev/null; then
    die "needs newuidmap to work in a root of its own as a user; once, as root: apt-get install uidmap mmdebstrap"
  fi
  if ! grep -q "^\($(id -un)\|$(id -u)\):" /etc/subuid 2> /dev/null; then
    die "user $(id -un) has no subordinate ids; once, as root: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $(id -un)"
  fi
  die "this kernel does not let users make user namespaces; once, as root: sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0"
}

need_mmdebstrap() {
  command -v mmdebstrap > /dev/null && compgen -G '/usr/share/keyrings/debian-archive-keyring*' > /dev/null && return
  local install=(apt-get install -y --no-install-recommends mmdebstrap debian-archive-keyring)
  command -v apt-get > /dev/null || die "needs the program mmdebstrap and Debian's archive keyring: install them with your system's packages"
  [[ $EUID -eq 0 ]] || die "needs mmdebstrap; once, as root: ${install[*]} uidmap"
  say "dev: installing mmdebstrap"
  export DEBIAN_FRONTEND=noninteractive
  "${install[@]}" >> "$cache/setup.log" 2>&1 && return
  { apt-get update && "${install[@]}"; } >> "$cache/setup.log" 2>&1 ||
    { tail -n 15 "$cache/setup.log" >&2 && die "could not install mmdebstrap, see $cache/setup.log"; }
}

# The mirror that the host's own apt uses, where the host is a Debian; else nothing, which is mmdebstrap's default.
host_mirror() {
  command -v apt-get > /dev/null || return 0
  (source /etc/os-release && [[ ${ID:-} == debian && ${VERSION_CODENAME:-} ]] &&
    apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(SITE)' 'Created-By: Packages' 2> /dev/null |
    awk -v release="$VERSION_CODENAME" '$1 == release && $2 == "main" && $3 ~ /^https?:/ { print $3; exit }') || true
}

# One attempt. $1: where to; $2: a mirror or nothing; further: options of mmdebstrap.
debootstrap_into() {
  local target=$1 mirror=$2
  shift 2
  # Documentation and translations are left out by dpkg itself, by way of its configuration: mmdebstrap's own filter is slow.
  local -r slim='mkdir -p "$1/etc/dpkg/dpkg.cfg.d" && printf "%s\n" force-unsafe-io path-exclude=/usr/share/doc/\* \
    path-exclude=/usr/share/man/\* path-exclude=/usr/share/info/\* path-exclude=/usr/share/locale/\* > "$1/etc/dpkg/dpkg.cfg.d/halfbyte"'
  local -r include=$(IFS=, && echo "${base_packages[*]}")
  "${own_namespace[@]}" mmdebstrap --mode=root --variant=apt --format=directory --verbose \
    --skip=output/dev,cleanup/reproducible --essential-hook="$slim" --dpkgopt=force-unsafe-io \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' --aptopt='Acquire::Retries "3"' \
    --include="$include" "$@" "$suite" "$target" ${mirror:+"$mirror"} < /dev/null 2>&1 | tee -a "$cache/setup.log" | show_stages
  return "${PIPESTATUS[0]}"
}

# mmdebstrap's "I:" lines, as they come, with the seconds since the start.
show_stages() { awk -v start="$SECONDS" '/^I: (running apt-get update|downloading|extracting|installing|cleaning)/ { sub(/^I: /, "     "); print; fflush() }' >&2; }

make_root() {
  local part mirror started=$SECONDS
  : > "$cache/setup.log"
  need_mmdebstrap
  remove_part
  part=$cache/part
  trap remove_part EXIT
  trap 'exit 130' INT TERM HUP
  mirror=$(host_mirror)
  say "dev: making a private Debian root, once: about a minute and 1 GB in $cache"
  try_mirror "$part" "$mirror" || { [[ $mirror ]] && say "dev: the host's own mirror did not do, trying the default one" && try_mirror "$part" ""; } ||
    { tail -n 15 "$cache/setup.log" >&2 && die "could not make the root, the whole story is in $cache/setup.log"; }
  "${own_namespace[@]}" bash -c 'mkdir -p "$1/.halfbyte" && touch "$1/.halfbyte/base-1"' - "$part"
  "${own_namespace[@]}" rm -rf --one-file-system "$root"
  mv -T "$part" "$root"
  trap - EXIT INT TERM HUP
  remove_old_roots
  say "dev: the root is ready, $((SECONDS - started)) s"
}

remove_part() { [[ ! -e $cache/part ]] || "${own_namespace[@]}" rm -rf --one-file-system "$cache/part"; }

# A mirror's Release file can be older than it says it may be; its signature is checked all the same.
try_mirror() {
  debootstrap_into "$1" "$2" && return
  remove_part
  grep -qiE 'is expired|not valid (yet|anymore)|Valid-Until' "$cache/setup.log" || return 1
  say "dev: the mirror's Release file is past its Valid-Until date; going on without that check (signatures are still checked)"
  debootstrap_into "$1" "$2" --aptopt='Acquire::Check-Valid-Until "false"' && return
  remove_part
  return 1
}

# Roots of other package lists, unless a command runs in one or used it within a day (a second checkout of another version).
remove_old_roots() {
  local old
  for old in "$cache"/root-*; do
    [[ -d $old && $old != "$root" ]] || continue
    [[ -e $old.lock && $(find "$old.lock" -mtime -1) ]] && continue
    (flock -n 7 && "${own_namespace[@]}" rm -rf --one-file-system "$old" && rm -f "$old.lock") 7> "$old.lock" || true
  done
}

# --- layers: what only some commands need ------------------------------------------------------------------------------

# apt inside the root. Testing moves: when the mirror has gone on since the root was made, packages it has are upgraded too.
in_root() { "${own_namespace[@]}" -- bash "$checkout/tools/dev/enter.sh" "$root" / "$@"; }
apt_in_root() {
  in_root env DEBIAN_FRONTEND=noninteractive bash -euc "$1" >> "$cache/setup.log" 2>&1 ||
    { tail -n 15 "$cache/setup.log" >&2 && die "could not add packages to the root, see $cache/setup.log"; }
}
update_lists='apt-get -q update || apt-get -q -o Acquire::Check-Valid-Until=false update'

add_check() {
  say "dev: adding ${check_packages[*]} to the root"
  apt_in_root "$update_lists; apt-get -q install -y ${check_packages[*]}; apt-get clean; rm -rf /var/lib/apt/lists/*"
  mark_layer check
}

# A layer whose name begins with "check" brings programs that no build depends on: having it does not make build folders stale.
add_check_fuzz() {
  say "dev: adding ${fuzz_packages[*]} to the root"
  apt_in_root "$update_lists; apt-get -q install -y --no-install-recommends ${fuzz_packages[*]}; apt-get clean; rm -rf /var/lib/apt/lists/*"
  mark_layer check_fuzz
}

# Emscripten comes without its C and C++ libraries compiled; they are part of the layer, since that takes minutes.
add_web() {
  say "dev: adding ${web_packages[*]} to the root (150 MB)"
  apt_in_root "$update_lists; apt-get -q install -y --no-install-recommends ${web_packages[*]}; apt-get clean; rm -rf /var/lib/apt/lists/*"
  say "dev: compiling Emscripten's libraries, once: three minutes on two cores"
  apt_in_root "bash '$checkout/tools/dev/emscripten.sh'"
  mark_layer web
}

# SwiftShader, a second Vulkan implementation on the CPU, is in Debian inside the browser's packages: one file of one of them.
add_swiftshader() {
  say "dev: adding SwiftShader to the root (from a package of 32 MB)"
  apt_in_root "$update_lists
    mkdir -p /usr/lib/swiftshader; cd /usr/lib/swiftshader; apt-get -q download chromium-common
    dpkg-deb --fsys-tarfile chromium-common_*.deb | tar -x --wildcards --strip-components=4 '*/libvk_swiftshader.so'
    rm -rf ./*.deb /var/lib/apt/lists/*; ldd libvk_swiftshader.so | { ! grep 'not found'; }"'
    echo "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"./libvk_swiftshader.so\", \"api_version\": \"1.3.0\"}}" > vk_swiftshader_icd.json'
  mark_layer swiftshader
}

# --- running in it -----------------------------------------------------------------------------------------------------

# Replaces this process by the command, run in the root, in the current folder. File descriptor 8 keeps the root's lock.
enter_root() {
  local namespace=(unshare --mount --propagation private)
  [[ $EUID -eq 0 ]] || namespace+=(--map-root-user)
  exec "${namespace[@]}" -- bash "$checkout/tools/dev/enter.sh" "$root" "$PWD" "$@"
}
