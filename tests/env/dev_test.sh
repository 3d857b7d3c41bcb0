# dev_test.sh SOURCE: ./dev's own manners. It runs inside the environment; what makes the environment runs before any test.
set -u
dev=$1/dev
source "$(dirname "$0")/tap.sh"
outside() { env -u HALFBYTE_DEV_INSIDE "$@"; }
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT

says() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) && [[ $output == *"$text"* ]] || { echo "$output" && return 1; }
}

check "help names every command" says 'usage: ./dev COMMAND' "$dev" help
for command in setup build run demo test check web bundle bench shell; do
  check "help names $command" says "  $command " "$dev" help
done
check "no command is help" says 'usage' "$dev"
check "an unknown command is refused" fails_with 2 'unknown command "biuld"' "$dev" biuld
check "an unknown environment is refused" fails_with 2 'it may be root or host' outside HALFBYTE_ENV=cloud XDG_CACHE_HOME="$elsewhere" "$dev" setup
check "an unknown preset is refused" fails_with 2 'no preset "fast"' "$dev" build fast
check "an unknown part of web is refused" fails_with 2 'takes build, serve' "$dev" web fly
here() { cd "$elsewhere" && [[ $("$dev" shell pwd) == "$elsewhere" ]]; }
check "a command runs in the caller's folder" here
check "its exit code is the caller's" fails_with 7 '' "$dev" shell bash -c 'exit 7'
check "its arguments arrive as they are" says "[a  b][*][]" "$dev" shell bash -c 'printf "[%s]" "$@"' - 'a  b' '*' ''
syntax() { local f; for f in "$dev" "${dev%/dev}"/tools/dev/*.sh "${dev%/dev}/.ci/run"; do bash -n "$f" || return 1; done; }
check "every script can be read" syntax
finish
