# ./dev web [build | serve | test | naga], sourced by tasks.sh: the browser's host and its page. docs/web.md describes them.
#
#   build/web/core     the core, compiled by Emscripten to halfbyte.wasm
#   build/web/package  the npm package: library, core, kernels
#   build/web/page     the page, to be served as it is by anything that serves files

web=$checkout/web
web_built=$checkout/build/web

# Exactly what web/package-lock.json names: Vite, TypeScript, Playwright (without browsers), Deno. Installed once for each lock file.
web_npm() {
  local stamp=$web/node_modules/.halfbyte-lock npm=(npm) log=$web_built/npm.log
  if cmp -s "$web/package-lock.json" "$stamp"; then return; fi
  command -v npm > /dev/null || npm=(corepack npm)
  (cd "$web" && COREPACK_ENABLE_DOWNLOAD_PROMPT=0 "${npm[@]}" ci --no-progress < /dev/null > "$log" 2>&1) ||
    { tail -n 15 "$log" >&2 && die "npm ci in web/ failed, the log is $log"; }
  cp "$web/package-lock.json" "$stamp"
}

# One step, its output shown only when it fails.
web_step() {
  local log=$web_built/$1.log
  shift
  "$@" > "$log" 2>&1 || { tail -n 40 "$log" >&2 && die "$* failed, the log is $log"; }
}

web_core() {
  local core=$web_built/core headers=$web_built/headers name
  command -v em++ > /dev/null || die "needs Emscripten (em++); in the private root ./dev adds it by itself"
  mkdir -p "$core" "$headers"
  # Only these of the host's headers: the others are not meant for Emscripten's C library.
  ln -sfn /usr/include/nlohmann "$headers/nlohmann"
  export EM_COMPILER_WRAPPER=ccache
  [[ -e $core/build.ninja ]] || web_step configure emcmake cmake -S "$web" -B "$core" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS_RELEASE= -DHALFBYTE_HEADERS="$headers"
  web_step core ninja -C "$core"
  for name in halfbyte.mjs halfbyte.wasm; do cmp -s "$core/$name" "$web/src/core/$name" || cp "$core/$name" "$web/src/core/"; done
}

web_package() {
  local package=$web_built/package
  rm -rf "$package" && mkdir -p "$package/dist/core"
  web_step types "$web/node_modules/.bin/tsc" -p "$web/tsconfig.json"
  web_step package "$web/node_modules/.bin/tsc" -p "$web/tsconfig.package.json" --outDir "$package/dist"
  cp "$web"/src/core/halfbyte.{mjs,d.mts,wasm} "$package/dist/core/"
  cp "$web/package.json" "$web/README.md" "$checkout/LICENSE" "$package/"
  node "$web/tools/packages.mjs" "$checkout/kernels" "$package/dist/kernels"
}

web_page() {
  (cd "$web" && HALFBYTE_PAGE_OUT=$web_built/page web_step page node_modules/.bin/vite build)
  cp -r "$web_built/package/dist/kernels" "$web_built/page/"
}

web_build() {
  mkdir -p "$web_built"
  web_npm
  web_core
  web_package
  web_page
  say "dev: $web_built/package and page; halfbyte.wasm has $(stat -c %s "$web/src/core/halfbyte.wasm") bytes, $(gzip -9 -c "$web/src/core/halfbyte.wasm" | wc -c) with gzip"
}

do_web() {
  local what=${1:-serve}
  [[ $# -gt 0 ]] && shift
  case $what in
    build) web_build ;;
    serve) web_build && exec node "$web/tools/serve.mjs" "$web_built/page" "${1:-8137}" ;;
    test) do_test -R '^web_' "$@" ;;
    naga)
      build release halfbyte
      web_build
      exec node "$checkout/tests/web/naga.mjs" "$checkout/docs/conformance.md"
      ;;
    *) die "./dev web takes build, serve (default), test or naga, not \"$what\"" ;;
  esac
}
