#!/bin/bash
# What ./dev does inside the environment: tasks.sh COMMAND ARGUMENTS...
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/halfbyte
folder=$PWD  # the caller's: arguments of `run` and `shell` are relative to it
command=$1
shift

# One compiler cache for every checkout: the same file compiled in another folder is found too.
export CCACHE_DIR=${CCACHE_DIR:-$cache/ccache} CCACHE_BASEDIR=$checkout CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-2G}
lavapipe=/usr/share/vulkan/icd.d/lvp_icd.json
jobs=$(nproc)

say() { printf '%s\n' "$*" >&2; }
die() {
  say "dev: $*"
  exit 2
}

# --- build -------------------------------------------------------------------------------------------------------------

# Configures a preset when it is not yet, or when it was in another environment (other compiler, other libraries).
configure() {
  local preset=$1 build=$2 environment log
  environment=$({ echo "$HALFBYTE_DEV_INSIDE" && g++ --version && cmake --version; ls /.halfbyte 2> /dev/null; } | grep -v -e '^check' -e '^web-' | sha256sum)
  if [[ -e $build/CMakeCache.txt && $(cat "$build/.environment" 2> /dev/null) == "$environment" ]]; then return; fi
  [[ ! -e $build/CMakeCache.txt ]] || rm -rf "$build"
  mkdir -p "$build"
  log=$build/configure.log
  (cd "$checkout" && cmake --preset "$preset" > "$log" 2>&1) || { cat "$log" >&2 && die "could not configure, the log is $log"; }
  echo "$environment" > "$build/.environment"
}

build_folder() {
  case $1 in
    release) echo "$checkout/build" ;;
    debug | asan | tsan | fuzz) echo "$checkout/build-$1" ;;
    *) die "no preset \"$1\", there are release, debug, asan, tsan and fuzz" ;;
  esac
}

# build PRESET [TARGET...]: progress on stderr; everything ninja says only when it fails.
build() {
  local preset=$1 build
  build=$(build_folder "$preset")
  shift
  configure "$preset" "$build"
  if [[ -t 2 ]]; then
    ninja -C "$build" "$@" >&2
  else
    NINJA_STATUS='[%f/%t %es] ' ninja -C "$build" "$@" > "$build/ninja.log" 2>&1 || {
      grep -E '^FAILED|error: |undefined reference' "$build/ninja.log" | head -n 40 >&2
      die "the build failed, the whole log is $build/ninja.log"
    }
  fi
}

do_build() { build "${1:-release}" && say "built $(build_folder "${1:-release}")"; }

do_run() {
  build release halfbyte
  cd "$folder" && exec "$checkout/build/cmd/halfbyte" "$@"
}

# --- npm: the model and the oracle -------------------------------------------------------------------------------------

# Exactly what package-lock.json names, installed once for each lock file. npm itself comes with the host, or by corepack
# (which is part of Debian's nodejs) in the version and with the hash that package.json pins.
npm_packages() {
  local stamp=$checkout/node_modules/.halfbyte-lock
  if cmp -s "$checkout/package-lock.json" "$stamp"; then return; fi
  local npm=(npm)
  command -v npm > /dev/null || npm=(corepack npm)
  local log=$checkout/build/npm.log
  mkdir -p "$checkout/build"
  (cd "$checkout" && COREPACK_ENABLE_DOWNLOAD_PROMPT=0 "${npm[@]}" ci --no-progress < /dev/null > "$log" 2>&1) ||
    { tail -n 15 "$log" >&2 && say "dev: npm ci failed, the log is $log" && return 1; }
  # ONNX Runtime comes for every system at once: 220 MB of it are for others.
  (cd "$checkout/node_modules/onnxruntime-node/bin" && find . -mindepth 2 -maxdepth 3 \( -name win32 -o -name darwin -o -path '*/linux/arm64' \) -prune -exec rm -rf {} +)
  cp "$checkout/package-lock.json" "$stamp"
}

# --- test --------------------------------------------------------------------------------------------------------------

# In a build folder: what tools/dev/summary.mjs reads into junit.xml and test-results, the rest into ctest.log.
run_ctest() {
  rm -rf test-results junit.xml
  ctest --parallel "$jobs" --output-on-failure --output-junit junit.xml --test-output-size-passed 1000000 --test-output-size-failed 1000000 \
    --no-tests=error "$@" > ctest.log 2>&1
}

# Everything that CI counts, on lavapipe, the GPU tests a second time on SwiftShader. The last line is the sum.
do_test() {
  if [[ ${1:-} == --sanitize ]]; then
    shift
    source "$checkout/tools/dev/sanitize.sh"
    do_sanitize "$@"
    return
  fi
  local started=$SECONDS status=0
  npm_packages & local npm=$!
  build release
  wait $npm || die "the oracle is not there, so a part of the tests cannot run"
  # The browser's tests run where there is Emscripten, when all tests or they are asked for; tests/web skips them elsewhere.
  if command -v em++ > /dev/null && [[ $# -eq 0 || "$*" == *web* ]]; then
    web_build
    export HALFBYTE_WEB=$web_built
  fi
  cd "$checkout/build"
  [[ -e $lavapipe ]] && export VK_DRIVER_FILES=${VK_DRIVER_FILES:-$lavapipe}
  say "dev: built in $((SECONDS - started)) s, testing"
  run_ctest "$@" || status=$?
  say "dev: tested in $((SECONDS - started)) s"
  node "$checkout/tools/dev/summary.mjs" junit.xml test-results || exit 1
  [[ $status -eq 0 ]] || { tail -n 20 ctest.log >&2 && die "ctest ended with $status though no test failed"; }
}

do_bench() {
  build release
  cd "$checkout/build"
  local bench found=
  while IFS= read -r bench; do
    found=1
    "$bench" ${1:+"--benchmark_filter=$1"}
  done < <(find . -type f -executable -name '*_bench' | sort)
  [[ $found ]] || die "there is no benchmark program"
}

do_shell() {
  cd "$folder"
  if [[ $# -gt 0 ]]; then exec "$@"; fi
  exec bash --noprofile --norc -i
}

source "$checkout/tools/dev/web.sh"
case $command in
  build | run | test | bench | shell | web) "do_$command" "$@" ;;
  fuzz | soak) source "$checkout/tools/dev/fuzz.sh" && "do_$command" "$@" ;;
  check | demo | bundle | bundle-ort) source "$checkout/tools/dev/$command.sh" && "do_$command" "$@" ;;
  *) die "unknown command \"$command\"" ;;
esac
