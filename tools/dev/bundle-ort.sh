# ./dev bundle-ort, sourced by tasks.sh: build/bundle/halfbyte-ort-x86_64.tar.xz, what `halfbyte bench --ort` needs on a host without a
# network: node, ONNX Runtime with its WebGPU provider, and bench/ort. Unpack it, and set HALFBYTE_ORT to its folder.

source "$checkout/tools/dev/bundle.sh"

do_bundle-ort() {
  npm_packages || die "ONNX Runtime is not there"
  local name=halfbyte-ort-x86_64 modules=$checkout/node_modules native=bin/napi-v6/linux/x64 stage module file
  stage=$checkout/build/bundle/$name
  rm -rf "$stage" "$stage.tar.xz"
  module=$stage/node_modules/onnxruntime-node
  mkdir -p "$stage/bin" "$stage/lib" "$module/$native" "$stage/node_modules/onnxruntime-common"
  cp -L "$(command -v node)" "$stage/bin/node"
  strip "$stage/bin/node"
  cp -r "$modules/onnxruntime-node/package.json" "$modules/onnxruntime-node/dist" "$module/"
  cp "$modules/onnxruntime-node/$native"/* "$module/$native/"
  cp -r "$modules/onnxruntime-common/package.json" "$modules/onnxruntime-common/dist" "$stage/node_modules/onnxruntime-common/"
  find "$stage/node_modules" \( -name '*.map' -o -name '*.d.ts' -o -name esm \) -prune -exec rm -rf {} +
  for file in "$module/$native"/*; do strip --strip-unneeded "$file"; done
  copy_libraries "$stage"
  ldd "$module/$native"/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -v "^$stage" | sort -u |
    while read -r file; do copy_library "$file" "$stage/lib"; done
  cp "$checkout/tools/dev/launcher.sh" "$stage/node"
  chmod +x "$stage/node"
  cp "$checkout"/bench/ort/*.mjs "$checkout/LICENSE" "$stage/"
  (cd "$stage/.." && tar --sort=name --owner=0 --group=0 --numeric-owner -c "$name" | xz -T0 -6 > "$name.tar.xz")
  say "dev: $stage.tar.xz, $(du -m "$stage.tar.xz" | cut -f1) MiB, unpacked $(du -sm "$stage" | cut -f1) MiB"
}
