# core_without_dawn.sh CMAKE SOURCE BUILD: where there is no Dawn, the library's core and the program still build, and it plans.
# Not optimized: it is about what compiles and links.
set -eu
cmake=$1 source=$2 build=$3
"$cmake" -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 \
  -DCMAKE_DISABLE_FIND_PACKAGE_Dawn=ON -DHALFBYTE_TESTS=OFF -DHALFBYTE_BENCHMARKS=OFF > "$build.log" 2>&1 || { cat "$build.log" && exit 1; }
"$cmake" --build "$build" > "$build.log" 2>&1 || { grep -E 'error|FAILED' "$build.log" && exit 1; }
! ldd "$build/cmd/halfbyte" | grep -i dawn
"$build/cmd/halfbyte" --help | grep -q plan
requests=$(mktemp)
trap 'rm -f "$requests"' EXIT
echo '[{"id":"one","attrs":{"K":64,"N":64,"bits":4,"block_size":32},"inputs":{"aT":{"shape":[1,64],"dtype":"float32"},"bT":{"shape":[64,2,16],"dtype":"uint8"},"scalesT":{"shape":[64,2],"dtype":"float32"}},"tunables":{}}]' > "$requests"
"$build/cmd/halfbyte" plan "$source/kernels/com.microsoft.MatMulNBits/manifest.json" --profile "$source/profiles/baseline-no-features.json" \
  --requests "$requests" | grep '"plan"'
