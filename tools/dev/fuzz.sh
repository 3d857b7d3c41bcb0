# ./dev fuzz [SECONDS] [TARGET...], sourced by tasks.sh: libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer on everything that reads
# bytes from strangers. What is found lies in build-fuzz/findings; the corpus grows in build-fuzz/corpus from run to run.
do_fuzz() {
  local seconds=60 targets=() target folder status=0
  [[ ${1:-} =~ ^[0-9]+$ ]] && seconds=$1 && shift
  command -v clang++ > /dev/null || die "needs clang++"
  build fuzz fuzzers
  cd "$checkout/build-fuzz"
  mapfile -t targets < <(fuzz/write_seeds seeds)
  [[ $# -gt 0 ]] && targets=("$@")
  for target in "${targets[@]}"; do
    [[ -x fuzz/fuzz_$target ]] || die "there is no target \"$target\""
    mkdir -p "corpus/$target" findings "seeds/$target"
    folder=$checkout/fuzz/corpus/$target
    [[ -d $folder ]] || folder=
    # No input may take 20 s, ask for 1 GiB in one piece, or hold 2 GiB.
    if ! "fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=65536 -timeout=20 -malloc_limit_mb=1024 -rss_limit_mb=2048 \
      -dict="seeds/$target.dict" -artifact_prefix="findings/$target-" -print_final_stats=1 "corpus/$target" "seeds/$target" ${folder:+"$folder"} \
      > "fuzz-$target.log" 2>&1; then
      status=1
      say "dev: fuzz: $target: a finding"
      grep -m 5 -E 'finding:|ERROR: |runtime error|SUMMARY|Test unit written' "fuzz-$target.log" >&2 || tail -n 5 "fuzz-$target.log" >&2
    fi
    say "dev: fuzz: $target: $(awk '/stat::number_of_executed_units/ {print $2}' "fuzz-$target.log") executions in $seconds s, $(find "corpus/$target" -type f | wc -l) inputs kept"
  done
  return $status
}

# ./dev soak [PROBLEMS]
do_soak() {
  build release metamorphic_test
  [[ -e $lavapipe ]] && export VK_DRIVER_FILES=${VK_DRIVER_FILES:-$lavapipe}
  HALFBYTE_PROBLEMS=${1:-2000} "$checkout/build/tests/metamorphic/metamorphic_test"
}
