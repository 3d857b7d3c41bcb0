# ./dev check [--fix] [FILE...], sourced by tasks.sh: style, common mistakes, arrows.
#
# clang-tidy takes seconds a file, so what passed is remembered in build/tidy/passed, by a hash of all it depends on.

cpp_files() { (cd "$checkout" && find src cmd include tests examples bench fuzz -name '*.cpp' -o -name '*.hpp' 2> /dev/null | sort); }

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

# One line of tidy_list.mjs: exit 0 when clang-tidy has nothing to say. Called by xargs, in a shell of its own.
tidy_one() {
  local key=${1%% *} source=${1#* }
  [[ -e build/tidy/passed/$key ]] && return 0
  if clang-tidy -p build/tidy --quiet "$source" > "build/tidy/$key.log" 2>&1; then
    touch "build/tidy/passed/$key"
    echo "clang-tidy: $source" >&2
  else
    echo "clang-tidy: $source: FAILED" >&2
    grep -v -e 'warnings generated' -e 'warnings treated as errors' "build/tidy/$key.log"
    return 1
  fi
}

# Every file that the build compiles, or those named; each by itself (the build compiles a folder at once).
check_tidy() {
  cd "$checkout"
  mkdir -p build/tidy/passed
  export -f tidy_one
  local list=build/tidy/list
  cmake --preset release -B build/tidy -DCMAKE_UNITY_BUILD=OFF > build/tidy/configure.log 2>&1 || { cat build/tidy/configure.log >&2 && return 1; }
  node tools/dev/tidy_list.mjs build/tidy/compile_commands.json "$checkout" "$(clang-tidy --version; cat .clang-tidy)" "$@" > "$list"
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
  check_tidy "$@" || status=1
  [[ $status -eq 0 ]] || { say "dev: check failed" && exit 1; }
}
