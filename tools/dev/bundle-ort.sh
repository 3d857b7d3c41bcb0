# ./dev bundle-ort, sourced by tasks.sh: build/bundle/halfbyte-ort-x86_64.tar.xz, what `halfbyte bench --ort` needs on a host without a
# network: node, ONNX Runtime with its WebGPU provider, and bench/ort. Unpack it, and set HALFBYTE_ORT to its folder.

source "$checkout/tools/dev/bundle.sh"

do_bundle-ort() {
  npm_packages || die "ONNX Runtime is not there"
  local name=halfbyte-ort-x86_64 stage runtime module
  stage=$checkout/build/bundle/$name
  rm -rf "$stage" "$stage.tar.xz"
  mkdir -p "$stage/bin" "$stage/lib" "$stage/node_modules/onnxruntime-node/bin/napi-v6/linux"
  cp -L "$(command -v node)" "$stage/bin/node"
  runtime=$checkout/node_modules/onnxruntime-node
  cp -r "$runtime/package.json" "$runtime/dist" "$stage/node_modules/onnxruntime-node/"
  cp -r "$runtime/bin/napi-v6/linux/x64" "$stage/node_modules/onnxruntime-node/bin/napi-v6/linux/"
  # Its source maps and documentation are no use here.
  cp -r "$checkout/node_modules/onnxruntime-common" "$stage/node_modules/"
  find "$stage/node_modules" \( -name '*.map' -o -name '*.d.ts' -o -name docs -o -name lib -path '*onnxruntime-common*' -o -name esm \) -prune -exec rm -rf {} +
  copy_libraries "$stage"
  ldd "$stage"/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -v "^$stage" | sort -u |
    while read -r module; do copy_library "$module" "$stage/lib"; done
  for module in "$stage"/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/*; do strip --strip-unneeded "$module"; done
  # The name that run.mjs is started with, as the other bundle's programs are.
  cp "$checkout/tools/dev/launcher.sh" "$stage/node"
  chmod +x "$stage/node"
  cp "$checkout"/bench/ort/*.mjs "$checkout/LICENSE" "$stage/"
  (cd "$stage/.." && tar --sort=name --owner=0 --group=0 --numeric-owner -c "$name" | xz -T0 -9e > "$name.tar.xz")
  say "dev: $stage.tar.xz, $(du -m "$stage.tar.xz" | cut -f1) MiB, unpacked $(du -sm "$stage" | cut -f1) MiB"
}
