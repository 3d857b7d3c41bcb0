# Test Anything Protocol for shell tests, sourced: check NAME COMMAND... runs one check, finish ends the file.
number=0 failures=0
echo "TAP version 13"
check() {
  local name=$1 output
  shift
  number=$((number + 1))
  if output=$("$@" 2>&1); then
    echo "ok $number - $name"
  else
    failures=$((failures + 1))
    echo "not ok $number - $name"
    sed 's/^/# /' <<< "$output"
  fi
}
finish() {
  echo "1..$number"
  [[ $failures -eq 0 ]]
}
# fails_with STATUS TEXT COMMAND...: the command ends with this status and says this.
fails_with() {
  local wanted=$1 text=$2 output status=0
  shift 2
  output=$("$@" 2>&1) || status=$?
  [[ $status -eq $wanted && $output == *"$text"* ]] || {
    echo "wanted status $wanted and \"$text\", got $status and: $output"
    return 1
  }
}
