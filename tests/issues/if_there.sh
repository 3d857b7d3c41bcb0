#!/bin/sh
# if_there.sh FILE PROGRAM...: runs PROGRAM where FILE exists; 77 (skipped) where it does not.
if [ ! -e "$1" ]; then
  echo "there is no $1"
  exit 77
fi
shift
exec "$@"
