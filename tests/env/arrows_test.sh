# arrows_test.sh CMAKE SOURCE: the arrow check finds what it is there to find, in a small tree that is right but for one file.
set -u
cmake=$1 source=$2
source "$(dirname "$0")/tap.sh"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fresh() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{src/{base,plan,io,gpu},cmd,include/halfbyte}
  cat > "$tree/CMakeLists.txt" << 'EOF'
halfbyte_folder(base)
halfbyte_folder(plan DEPS base LINK nlohmann_json::nlohmann_json)
halfbyte_folder(io DEPS base)
halfbyte_folder(gpu DEPS base plan LINK dawn::webgpu_dawn)
EOF
  echo '#include <string>' > "$tree/src/base/error.hpp"
  printf '#include "base/error.hpp"\n#include "plan/plan.hpp"\n' > "$tree/src/plan/plan.cpp"
  echo '#include <fstream>' > "$tree/src/io/files.cpp"
  echo '#include <fstream>' > "$tree/src/plan/plan_test.cpp"
  echo '#include <webgpu/webgpu_cpp.h>' > "$tree/src/gpu/device.hpp"
  echo '#include <webgpu/webgpu_cpp.h>' > "$tree/include/halfbyte/halfbyte.hpp"
  printf '#include <filesystem>\n#include "gpu/device.hpp"\n' > "$tree/cmd/main.cpp"
}
arrows() { "$cmake" -DSOURCE_DIR="$tree" -P "$source/cmake/check_arrows.cmake"; }
violation() { fresh && echo "$2" >> "$tree/$1" && fails_with 1 "$3" arrows; }

fresh
check "a tree that is right passes" arrows
check "an arrow up is found" violation src/base/error.hpp '#include "plan/plan.hpp"' 'src/base may use itself and (), not plan'
check "an arrow that is not in DEPS is found" violation src/plan/plan.cpp '#include "io/files.hpp"' 'src/plan may use itself and (base), not io'
check "a test's arrow is found too" violation src/plan/plan_test.cpp '#include "gpu/device.hpp"' 'not gpu'
check "WebGPU in the core is found" violation src/plan/plan.cpp '#include <webgpu/webgpu.h>' 'may see WebGPU'
check "Dawn in a subcommand is found" violation cmd/main.cpp '#include <dawn/native/DawnNative.h>' 'may see WebGPU'
check "a file opened in the core is found" violation src/plan/plan.cpp '  FILE* f = fopen(path, "r");' 'may touch files'
check "<fstream> in the core is found" violation src/base/error.hpp '# include <fstream>' 'may touch files'
undeclared() { fresh && mkdir "$tree/src/stray" && touch "$tree/src/stray/stray.cpp" && fails_with 1 'not declared' arrows; }
check "a folder that is not declared is found" undeclared
empty() { fresh && rm -rf "$tree/src" "$tree/cmd" "$tree/include" && fails_with 1 'no source file' arrows; }
check "a tree without files does not pass" empty
built() { grep -q 'check_arrows.cmake' "$source/CMakeLists.txt" && grep -q 'add_custom_target(arrows ALL' "$source/CMakeLists.txt"; }
check "the build runs it" built
finish
