# Compiles Emscripten's own libraries in the variants that web/CMakeLists.txt links, by linking a program that needs them.
set -e
cd "$(mktemp -d)"
cat > program.cpp <<'END'
#include <format>
#include <iostream>
#include <stdexcept>
int main() {
  try {
    std::cout << std::format("{:.3f}\n", 0.5);
  } catch (const std::exception& e) {
    return 1;
  }
}
END
em++ -std=c++23 -Oz -flto -fwasm-exceptions program.cpp -o program.mjs
rm -r "$PWD"
