# ./dev fuzz [SECONDS] [TARGET...], sourced by tasks.sh: libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer on everything that reads
# bytes from strangers. What is found lies in build-fuzz/findings; the corpus grows in build-fuzz/corpus from run to run. HALFBYTE_FUZZ_JOBS:
# how many targets run at a time (1); HALFBYTE_FUZZ_TIMEOUT: seconds that an input may take (20; more where the cores are shared).
do_fuzz() {
  local seconds=60 jobs=${HALFBYTE_FUZZ_JOBS:-1} targets=() target status=0 running=0
  [[ ${1:-} =~ ^[0-9]+$ ]] && seconds=$1 && shift
  [[ $jobs =~ ^[1-9][0-9]*$ ]] || die "HALFBYTE_FUZZ_JOBS is \"$jobs\", it must be a number from 1"
  command -v clang++ > /dev/null || die "needs clang++"
  build fuzz fuzzers
  cd "$checkout/build-fuzz"
  mapfile -t targets < <(fuzz/write_seeds seeds)
  [[ $# -gt 0 ]] && targets=("$@")
  # The programs as they are now: a later build does not change what a long run is of.
  fuzz_programs=$(mktemp -d "$PWD/running-XXXXXX")
  trap 'rm -rf "$fuzz_programs"' EXIT
  for target in "${targets[@]}"; do
    [[ -x fuzz/fuzz_$target ]] || die "there is no target \"$target\""
    cp "fuzz/fuzz_$target" "$fuzz_programs/"
  done
  for target in "${targets[@]}"; do
    if [[ $running -ge $jobs ]]; then
      wait -n || status=1
      running=$((running - 1))
    fi
    fuzz_target "$target" "$seconds" &
    running=$((running + 1))
  done
  for (( ; running > 0; --running)); do wait -n || status=1; done
  return $status
}

# One target for so long, its log in fuzz-TARGET.log; fails on a finding. No input may take 20 s, ask for 1 GiB in one piece, or hold 2 GiB.
fuzz_target() {
  local target=$1 seconds=$2 log=fuzz-$1.log folder=$checkout/fuzz/corpus/$1 status=0
  mkdir -p "corpus/$target" findings "seeds/$target"
  [[ -d $folder ]] || folder=
  "$fuzz_programs/fuzz_$target" -max_total_time="$seconds" -max_len=131072 -timeout="${HALFBYTE_FUZZ_TIMEOUT:-20}" -malloc_limit_mb=1024 -rss_limit_mb=2048 \
    -dict="seeds/$target.dict" -artifact_prefix="findings/$target-" -print_final_stats=1 "corpus/$target" "seeds/$target" ${folder:+"$folder"} \
    > "$log" 2>&1 || status=1
  if [[ $status -ne 0 ]]; then
    say "dev: fuzz: $target: a finding"
    grep -m 5 -E 'finding:|ERROR: |runtime error|SUMMARY|Test unit written' "$log" >&2 || tail -n 5 "$log" >&2
  fi
  say "dev: fuzz: $target: $(awk '/stat::number_of_executed_units/ {print $2}' "$log") executions in $seconds s, $(find "corpus/$target" -type f | wc -l) inputs kept"
  return $status
}

# ./dev soak [PROBLEMS]
do_soak() {
  build release metamorphic_test
  [[ -e $lavapipe ]] && export VK_DRIVER_FILES=${VK_DRIVER_FILES:-$lavapipe}
  HALFBYTE_PROBLEMS=${1:-2000} "$checkout/build/tests/metamorphic/metamorphic_test"
}
