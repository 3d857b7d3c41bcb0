# cold_start.sh PROGRAM OTHER-DRIVER: the cache of programs between processes. Times are shown, never asserted.
source "$(dirname "${BASH_SOURCE[0]}")/../env/tap.sh"
program=$1 other=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cache=$work/cache
field() { sed -E "s/.*\"$1\":(\"[^\"]*\"|[^,}]*).*/\1/" "$2"; }
same() { [[ $1 == "$2" ]] || { echo "wanted $2, got $1" && return 1; }; }
more() { [[ $1 -gt $2 ]] || { echo "wanted more than $2, got $1" && return 1; }; }
show() { echo "# $1: $(< "$2")"; }

check "a first process" eval '"$program" "$cache" > "$work/first"'
show first "$work/first"
check "it found nothing and wrote" more "$(field bytes_written "$work/first")" 0
check "and its result is right" same "$(field right "$work/first")" true
check "a second process" eval '"$program" "$cache" > "$work/second"'
show second "$work/second"
check "it found everything" same "$(field misses "$work/second")" 0
check "and something" more "$(field hits "$work/second")" 0
check "and its result is right" same "$(field right "$work/second")" true

# Two at once on an empty folder, several times: each right, and the folder good afterwards.
both_right() {
  local i
  for i in 1 2; do
    rm -rf "$cache"
    "$program" "$cache" > "$work/a" & local a=$!
    "$program" "$cache" > "$work/b" || return 1
    wait "$a" || return 1
    same "$(field right "$work/a")" true && same "$(field right "$work/b")" true || return 1
  done
}
check "two writers at the same time" both_right
check "a process after them" eval '"$program" "$cache" > "$work/after"'
check "finds everything" same "$(field misses "$work/after")" 0

# Every file damaged in another way: half of it, a flipped byte, nothing, something else.
damage() {
  local i=0 file
  for file in "$cache"/*; do
    case $((i++ % 4)) in
      0) truncate -s $(($(stat -c %s "$file") / 2)) "$file" ;;
      1) printf '\xff' | dd of="$file" bs=1 seek=$(($(stat -c %s "$file") - 9)) conv=notrunc status=none ;;
      2) : > "$file" ;;
      3) head -c 5000 /dev/urandom > "$file" ;;
    esac
  done
  [[ $i -gt 0 ]]
}
check "damaging every file" damage
check "a process with a damaged cache" eval '"$program" "$cache" > "$work/damaged"'
check "takes none of it" same "$(field hits "$work/damaged")" 0
check "and its result is right" same "$(field right "$work/damaged")" true
check "the next one" eval '"$program" "$cache" > "$work/mended"'
check "finds everything again" same "$(field misses "$work/mended")" 0

# Another driver, the same folder.
if [[ -e $other && ${VK_DRIVER_FILES:-} != "$other" ]]; then
  check "another driver" eval 'VK_DRIVER_FILES=$other "$program" "$cache" > "$work/other"'
  show "another driver" "$work/other"
  check "is another device" eval '[[ $(field device "$work/other") != $(field device "$work/first") ]]'
  check "takes nothing of the first one's" same "$(field hits "$work/other")" 0
  check "and its result is right" same "$(field right "$work/other")" true
  check "back to the first driver" eval '"$program" "$cache" > "$work/back"'
  check "which still finds its own" same "$(field misses "$work/back")" 0
fi
# A folder that cannot be written is no error.
check "an impossible folder" eval '"$program" /proc/nowhere > "$work/nowhere"'
check "and its result is right" same "$(field right "$work/nowhere")" true
finish
