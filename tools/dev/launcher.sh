#!/bin/sh
# Starts bin/NAME of this bundle with the bundle's own loader and libraries; NAME is what this file is called.
here=$(dirname "$(readlink -f "$0")")
name=$(basename "$0")
# NVIDIA's container images keep the driver and its manifests where the Vulkan loader does not look.
nvidia=/usr/local/nvidia
if [ -z "$VK_DRIVER_FILES$VK_ICD_FILENAMES" ] && [ -e $nvidia/share/vulkan/icd.d/nvidia_icd.json ] &&
  [ ! -e /usr/share/vulkan/icd.d/nvidia_icd.json ] && [ ! -e /etc/vulkan/icd.d/nvidia_icd.json ]; then
  export VK_DRIVER_FILES=$nvidia/share/vulkan/icd.d/nvidia_icd.json
  export __EGL_VENDOR_LIBRARY_FILENAMES=$nvidia/share/glvnd/egl_vendor.d/10_nvidia.json
fi
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"  # Mesa complains without one
paths=$here/lib:$nvidia/lib64:/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu:/usr/lib64:/lib64
exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$paths" --argv0 "$here/$name" "$here/bin/$name" "$@"
