# leaks.sh PROGRAM SUPPRESSIONS: the library's tests with LeakSanitizer, which also must find a leak that is made on purpose.
program=$1
export LSAN_OPTIONS=suppressions=$2:print_suppressions=0:exitcode=23:allocator_may_return_null=1 GTEST_OUTPUT=
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
HALFBYTE_TEST_LEAK=1 "$program" --gtest_filter='Leak.*' > "$log" 2>&1 || status=$?
if grep -q 'LeakSanitizer has encountered a fatal error' "$log"; then
  echo "LeakSanitizer cannot look at processes here (ptrace)"
  exit 77
fi
[[ $status -eq 23 ]] && grep -q '1234 byte' "$log" || { cat "$log" && echo "the leak made on purpose was not found (status $status)" && exit 1; }
status=0
"$program" --gtest_filter='-LargeWeights.*:SteadyState.*' > "$log" 2>&1 || status=$?
tail -n 60 "$log"
exit $status
