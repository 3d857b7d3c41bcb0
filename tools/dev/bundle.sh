# ./dev bundle, sourced by tasks.sh: build/bundle/halfbyte-VERSION-x86_64.tar.xz, for any x86-64 Linux with a Vulkan driver.
#
# The archive has its own loader (ld-linux) and everything the programs link, so the host's glibc does not matter; the host gives
# its Vulkan driver, which is found by the host's ICD manifests and loaded over the archive's libraries. NVIDIA's driver links
# GLVND's dispatch libraries, which a headless host may not have: they are in the archive too.

# Libraries that are loaded at run time, so that no program links them.
loaded_at_run_time=(libvulkan.so.1 libGLdispatch.so.0 libEGL.so.1 libGLX.so.0 libOpenGL.so.0 libgcc_s.so.1)

bundle_version() { sed -n 's/^project(halfbyte VERSION \([0-9.]*\).*/\1/p' "$checkout/CMakeLists.txt"; }

# The programs of the bundle: halfbyte, and the test and benchmark programs that need the GPU or time the host.
bundle_programs() {
  echo "$checkout/build/cmd/halfbyte"
  find "$checkout/build" -path "$checkout/build/bundle" -prune -o -type f -executable \( -name 'gpu_*test' -o -name 'gpu_conformance' -o -name '*_bench' \) -print
}

copy_library() {
  local from=$1 to=$2/${1##*/}
  [[ -e $to ]] && return
  cp -L "$from" "$to"
  strip --strip-unneeded "$to" 2> /dev/null || true
}

copy_libraries() {  # of the programs in $1/bin, and the ones loaded at run time, into $1/lib
  local path name closure=()
  for name in "${loaded_at_run_time[@]}"; do
    path=$(ldconfig -p | awk -v name="$name" '$1 == name && /x86-64/ { print $NF; exit }')
    if [[ $path ]]; then closure+=("$path"); fi
  done
  for path in "${closure[@]}"; do copy_library "$path" "$1/lib"; done
  ldd "$1"/bin/* "${closure[@]}" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u | while read -r path; do copy_library "$path" "$1/lib"; done
  copy_library /lib64/ld-linux-x86-64.so.2 "$1/lib"
}

write_launchers() {
  local program
  for program in "$1"/bin/*; do
    program=${program##*/}
    cp "$checkout/tools/dev/launcher.sh" "$1/$program"
    chmod +x "$1/$program"
  done
}

# The folder becomes FOLDER.tar.xz: build/bundle holds what travels, no more.
pack() {
  (cd "$1/.." && tar --sort=name --owner=0 --group=0 --numeric-owner -c "${1##*/}" | xz -T0 -6 > "$1.tar.xz")
  say "dev: $1.tar.xz, $(du -m "$1.tar.xz" | cut -f1) MiB, unpacked $(du -sm "$1" | cut -f1) MiB"
  rm -rf "$1"
}

do_bundle() {
  build release
  local version name stage program file
  version=$(bundle_version)
  name=halfbyte-$version-x86_64
  stage=$checkout/build/bundle/$name
  rm -rf "$stage" "$stage.tar.xz"
  mkdir -p "$stage/bin" "$stage/lib"
  while IFS= read -r program; do
    cp "$program" "$stage/bin/"
    strip "$stage/bin/${program##*/}"
  done < <(bundle_programs)
  copy_libraries "$stage"
  write_launchers "$stage"
  for file in kernels profiles LICENSE README.md; do
    [[ -e $checkout/$file ]] && cp -r "$checkout/$file" "$stage/"
  done
  # What ./dev demo made, where it has run: a quantized model and what ONNX Runtime computed for each layer.
  if [[ -e $checkout/build/demo/recorded/index.json ]]; then
    mkdir "$stage/models"
    cp -r "$checkout/build/demo/ocr-q4.onnx" "$checkout/build/demo/recorded" "$stage/models/"
  fi
  pack "$stage"
}
