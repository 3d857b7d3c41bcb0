# installed.sh CMAKE SOURCE BUILD PKG_CONFIG: installs the library, builds examples/ against it and nothing else, runs them.
source "$(dirname "${BASH_SOURCE[0]}")/../env/tap.sh"
cmake=$1 source=$2 build=$3 pkg_config=$4
prefix=$build/installed examples=$build/installed-examples
rm -rf "$prefix"

# Output of the last command is in $work/out when it is looked at.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
says() {
  local text=$1
  shift
  "$@" > "$work/out" 2>&1 || { cat "$work/out" && return 1; }
  grep -qF -- "$text" "$work/out" || { cat "$work/out" && echo "it does not say \"$text\"" && return 1; }
}
built() { "$cmake" --build "$examples" --target "$1" > "$work/out" 2>&1 || { cat "$work/out" && return 1; }; }

check "install" "$cmake" --install "$build" --component library --prefix "$prefix"
# Nothing of the checkout may be needed: a copy of the examples, and no HALFBYTE_KERNELS.
unset HALFBYTE_KERNELS
ccache=$(command -v ccache || true)
[[ $(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$examples/CMakeCache.txt" 2> /dev/null) == "$build/examples-copy" ]] || rm -rf "$examples"
rm -rf "$build/examples-copy" && cp -rp "$source/examples" "$build/examples-copy"
check "find_package(halfbyte)" "$cmake" -S "$build/examples-copy" -B "$examples" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug ${ccache:+-DCMAKE_CXX_COMPILER_LAUNCHER="$ccache"}
for example in hello adopt decode c_api c_api_static; do check "building $example" built $example; done
check "hello runs" says "y = [16, -32]" "$examples/hello"
check "adopt runs" says "right" "$examples/adopt"
check "decode runs" says "0 compiled while decoding" "$examples/decode"
check "c_api runs" says "y = [16, -32]" "$examples/c_api"
check "c_api from the static library runs" says "y = [16, -32]" "$examples/c_api_static"
check "which needs no shared one" eval 'ldd "$examples/c_api_static" > "$work/out" && ! grep -q libhalfbyte "$work/out"'
if [[ -e $prefix/include/halfbyte/onnx.hpp && -n $(compgen -G "$prefix/lib*/libhalfbyte-onnx.so" "$prefix/lib*/*/libhalfbyte-onnx.so") ]]; then
  check "building onnx_layer" built onnx_layer
  check "onnx_layer runs" says ", right" "$examples/onnx_layer" "$source/examples/layer.onnx"
fi

library=$(find "$prefix" -name libhalfbyte.so)
# Everything shown is ours: the C functions, and names in halfbyte:: that the headers declare.
nm -D --defined-only -C "$library" | cut -d" " -f3- > "$work/symbols"
check "what halfbyte.hpp declares is shown" grep -q 'halfbyte::Kernel::prepare(' "$work/symbols"
check "nothing but ours is" eval '! grep -vE "^(halfbyte_[a-z_]+@@|halfbyte::|HALFBYTE_0)" "$work/symbols"'
check "nor anything inside" eval '! grep -E "halfbyte::(gpu|expr|JsonValue|make_plan|render|select)" "$work/symbols" | grep -v "halfbyte::Call::record"'
declared() { grep -oE '\bhalfbyte_[a-z_]+\(' "$prefix/include/halfbyte/halfbyte.h" | tr -d '(' | sort -u; }
shown() { nm -D --defined-only "$library" | grep -oE '\bhalfbyte_[a-z_]+@@HALFBYTE_0' | sed 's/@@.*//' | sort -u; }
check "exactly the header's C functions are" diff <(declared) <(shown)
check "its soname has the version" eval 'readelf -d "$library" | grep -q "libhalfbyte.so.0"'

override() { HALFBYTE_KERNELS=/nonexistent "$examples/hello"; }
check "HALFBYTE_KERNELS overrides the built-in packages" fails_with 1 "/nonexistent" override
# pkg-config, or where there is none, what it does with a file as plain as ours: variables, then Cflags and Libs.
pc=$(find "$prefix" -name halfbyte.pc)
flags() {
  if [[ -x $pkg_config ]]; then
    PKG_CONFIG_PATH=$(dirname "$pc") "$pkg_config" --cflags --libs halfbyte
  else
    (pcfiledir=$(dirname "$pc") && eval "$(grep -E '^[a-z]+=' "$pc")" && eval echo "$(sed -nE 's/^(Cflags|Libs): //p' "$pc" | tr '\n' ' ')")
  fi
}
check "the flags of halfbyte.pc compile and link" eval 'cc "$source/examples/c_api.c" -o "$work/c" $(flags)'
check "and the program runs" says "y = [16, -32]" env LD_LIBRARY_PATH="$(dirname "$library")" "$work/c"
version_of() { sed -nE 's/^project\(halfbyte VERSION ([0-9.]*).*/\1/p' "$source/CMakeLists.txt"; }
check "halfbyte.pc has the version" grep -qx "Version: $(version_of)" "$pc"
finish
