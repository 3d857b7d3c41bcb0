#!/bin/sh
# with_driver.sh ICD.json PROGRAM...: runs PROGRAM with this Vulkan driver and no other; 77 (skipped) where there is no such driver.
if [ ! -e "$1" ]; then
  echo "there is no Vulkan driver $1"
  exit 77
fi
VK_DRIVER_FILES=$1
export VK_DRIVER_FILES
shift
exec "$@"
