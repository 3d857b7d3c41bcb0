# ./dev check [--fix] [FILE...], sourced by tasks.sh: style, common mistakes, arrows.
#
# clang-tidy takes seconds a file, so what passed is remembered in build/tidy/, by a hash of everything the compiler read for
# that file (as ninja recorded it) and of the rules.

cpp_files() { (cd "$checkout" && find src cmd include tests examples bench -name '*.cpp' -o -name '*.hpp' 2> /dev/null | sort); }

check_format() {
  local files
  mapfile -t files < <(cpp_files)
  cd "$checkout"
  if [[ ${1:-} == --fix ]]; then
    clang-format -i "${files[@]}" && say "dev: formatted ${#files[@]} files"
  else
    clang-format --dry-run -Werror "${files[@]}" && say "dev: format: ${#files[@]} files are right"
  fi
}

# One file: exit 0 when clang-tidy has nothing to say. Called by xargs, in its own shell.
tidy_one() {
  local object source key
  object=${1%%:*} source=${1#*:}
  key=$({ clang-tidy --version; cat .clang-tidy
    ninja -C build -t deps "$object" | sed -n 's/^ \+//p' | grep -v '^/usr/' | (cd build && xargs -r sha256sum); } | sha256sum | cut -c1-32)
  [[ -e build/tidy/$key ]] && return 0
  if clang-tidy -p build --quiet "$source" > "build/tidy/log.$$" 2> /dev/null; then
    touch "build/tidy/$key"
    rm -f "build/tidy/log.$$"
  else
    cat "build/tidy/log.$$"
    rm -f "build/tidy/log.$$"
    return 1
  fi
}

# Every file that the build compiles, or those named.
check_tidy() {
  cd "$checkout"
  mkdir -p build/tidy
  export -f tidy_one
  local list=build/tidy/list
  ninja -C build -t compdb | node -e '
    const path = require("node:path"), root = process.cwd(), wanted = process.argv.slice(1).map((f) => path.resolve(f));
    for (const c of JSON.parse(require("node:fs").readFileSync(0, "utf8"))) {
      const file = path.resolve(c.directory, c.file);
      if (!/\.cpp$/.test(file) || !c.output.endsWith(".o")) continue;
      if (wanted.length === 0 || wanted.includes(file)) console.log(c.output + ":" + path.relative(root, file));
    }' "$@" > "$list"
  [[ -s $list ]] || die "no file of the build to check"
  if xargs -a "$list" -d '\n' -n 1 -P "$jobs" bash -euc 'tidy_one "$0"'; then
    say "dev: clang-tidy: $(wc -l < "$list") files are right"
  else
    return 1
  fi
}

do_check() {
  local status=0 fix=
  [[ ${1:-} == --fix ]] && fix=--fix && shift
  command -v clang-format clang-tidy > /dev/null || die "needs clang-format and clang-tidy"
  check_format $fix || status=1
  cmake -DSOURCE_DIR="$checkout" -DVERBOSE=1 -P "$checkout/cmake/check_arrows.cmake" >&2 || status=1
  build release  # ninja's records of what each file reads
  check_tidy "$@" || status=1
  [[ $status -eq 0 ]] || { say "dev: check failed" && exit 1; }
}
