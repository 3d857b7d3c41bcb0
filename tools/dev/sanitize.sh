# ./dev test --sanitize [CTEST...], sourced by tasks.sh: everything under AddressSanitizer (with LeakSanitizer) and UndefinedBehaviorSanitizer,
# then what uses threads under ThreadSanitizer. Compiling takes minutes. tools/dev/suppressions says what is not ours, and why.
do_sanitize() {
  local status=0
  [[ -e $lavapipe ]] && export VK_DRIVER_FILES=${VK_DRIVER_FILES:-$lavapipe}
  npm_packages || die "the oracle is not there, so a part of the tests cannot run"
  address_sanitizer "$@" || status=1
  thread_sanitizer || status=1
  [[ $status -eq 0 ]] && say "dev: the sanitizers found nothing"
  return $status
}

# Left out, since a sanitizer would see nothing more of ours there: the tests of ./dev and of the core without Dawn (they build their own, without
# sanitizers), the installed library (its examples are not built with a sanitizer, which then cannot be loaded after them), and the second
# time on SwiftShader.
address_sanitizer() {
  local suppressions=$checkout/tools/dev/suppressions status=0
  build asan
  cd "$checkout/build-asan"
  # The random problems are 200 in the ordinary run.
  HALFBYTE_PROBLEMS=${HALFBYTE_PROBLEMS:-20} ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:detect_leaks=1:allocator_may_return_null=1 \
    UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS=suppressions=$suppressions/lsan.txt:print_suppressions=0 \
    run_ctest -LE swiftshader -E '^(dev_test|core_without_dawn|installed_examples)$' "$@" || status=$?
  say "dev: left out: dev_test, core_without_dawn, installed_examples, and SwiftShader (tools/dev/sanitize.sh says why)"
  node "$checkout/tools/dev/summary.mjs" junit.xml test-results && [[ $status -eq 0 ]]
}

# The tests that start threads.
thread_sanitizer() {
  local suppressions=$checkout/tools/dev/suppressions status=0 program
  local -A tests=(
    [tests/gpu/gpu_conformance]='*Thread*:DeviceLost.*:*Programs*:Errors.*:Faults.*'
    [tests/api/api_test]='Concurrency.*:DeviceLost.*'
    [tests/issues/issues_test]='FieldCase.C33_*'
    [io_test]='BlobStore*'
    [reference_test]='*')
  build tsan gpu_conformance api_test issues_test io_test reference_test
  for program in "${!tests[@]}"; do
    TSAN_OPTIONS=suppressions=$suppressions/tsan.txt:halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1 \
      "$checkout/build-tsan/$program" --gtest_filter="${tests[$program]}" || status=1
  done
  return $status
}
