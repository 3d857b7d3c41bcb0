#!/bin/sh
# run.sh TEST.mjs: runs one file of node's tests; 77 (skipped) where the browser's host was not built.
if [ -z "$HALFBYTE_WEB" ]; then
  echo "there is no Emscripten here; ./dev web adds it to the private root"
  exit 77
fi
exec node --test --test-reporter=tap "$1"
