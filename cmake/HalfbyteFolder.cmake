# halfbyte_folder(NAME [DEPS folder...] [LINK target...])
#
# Makes the static library hb_NAME from src/NAME/*.cpp and, from src/NAME/*_test.cpp, the test program NAME_test.
# DEPS names the folders that NAME may include; each must have been declared before it, so arrows point one way
# and a cycle cannot be written down. cmake/check_arrows.cmake holds the #include lines to the same DEPS.
set_property(GLOBAL PROPERTY HALFBYTE_FOLDERS "")

function(halfbyte_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers)
endfunction()

# SwiftShader's manifest for the Vulkan loader; ./dev puts it there. Tests that need it are skipped where it is not.
set(HALFBYTE_SWIFTSHADER_ICD /usr/lib/swiftshader/vk_swiftshader_icd.json CACHE FILEPATH "SwiftShader's ICD manifest")

# halfbyte_test(NAME [GPU] [TIMEOUT seconds] COMMAND target-or-program [arguments...])
#
# A test for ctest. What `./dev test` counts: every test case of a GoogleTest program, every point of a program that prints TAP, and
# any other program as one test (exit code 0 passed, 77 skipped with its last line as the reason).
# GPU: the test opens a device, and runs a second time on SwiftShader as NAME.swiftshader. Beside other tests: both devices mostly compile, on
# one core, and no test asserts how long something takes.
function(halfbyte_test name)
  cmake_parse_arguments(T "GPU" "TIMEOUT" "COMMAND" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
    if(CMAKE_BUILD_TYPE STREQUAL Debug)  # the sanitizers' builds too
      set(T_TIMEOUT 1800)
    endif()
  endif()
  list(POP_FRONT T_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${name} COMMAND ${program} ${T_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77
                       ENVIRONMENT "GTEST_OUTPUT=json:${CMAKE_BINARY_DIR}/test-results/${name}.json")
  if(T_GPU)
    set(second ${name}.swiftshader)
    add_test(NAME ${second} COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/with_driver.sh ${HALFBYTE_SWIFTSHADER_ICD} ${program} ${T_COMMAND})
    set_tests_properties(${second} PROPERTIES TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77 LABELS swiftshader
                         ENVIRONMENT "GTEST_OUTPUT=json:${CMAKE_BINARY_DIR}/test-results/${second}.json")
  endif()
endfunction()

# halfbyte_gtest(TARGET [GPU] [TIMEOUT seconds]): makes a GoogleTest program of the caller's sources a test of the same name.
function(halfbyte_gtest target)
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE HALFBYTE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1> $<$<CONFIG:Debug>:-O0>)  # tests are mostly compiled, hardly run
  halfbyte_warnings(${target})
  halfbyte_test(${target} ${ARGN} COMMAND ${target})
endfunction()

function(halfbyte_folder name)
  cmake_parse_arguments(F "" "" "DEPS;LINK" ${ARGN})
  get_property(known GLOBAL PROPERTY HALFBYTE_FOLDERS)
  foreach(dep IN LISTS F_DEPS)
    if(NOT dep IN_LIST known)
      message(FATAL_ERROR "src/${name} may not use src/${dep}: ${dep} is not declared before it in CMakeLists.txt")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY HALFBYTE_FOLDERS ${name})
  set_property(GLOBAL PROPERTY HALFBYTE_DEPS_${name} "${F_DEPS}")

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*_test.cpp)
  file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*_bench.cpp)
  list(REMOVE_ITEM sources ${tests} ${benches})
  list(TRANSFORM F_DEPS PREPEND hb_ OUTPUT_VARIABLE dep_targets)

  if(sources)
    add_library(hb_${name} STATIC ${sources})
    target_include_directories(hb_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(hb_${name} PUBLIC ${dep_targets} ${F_LINK})
    halfbyte_warnings(hb_${name})
    if(name MATCHES "^(manifest|verify|bench|tune|onnx|io|api)$")  # cold folders: a third less to compile, nothing to notice
      target_compile_options(hb_${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
    endif()
    if(name MATCHES "^(tensor|quant|reference|verify)$")  # numeric folders: unbearably slow when not optimized
      target_compile_options(hb_${name} PRIVATE $<$<NOT:$<CONFIG:RelWithDebInfo,Release>>:-O2>)
    endif()
  else()
    add_library(hb_${name} INTERFACE)
    target_include_directories(hb_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(hb_${name} INTERFACE ${dep_targets} ${F_LINK})
  endif()

  if(HALFBYTE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE hb_${name})
    set(gpu "")
    if(name STREQUAL gpu)
      set(gpu GPU)
    endif()
    halfbyte_gtest(${name}_test ${gpu})
  endif()
  if(HALFBYTE_BENCHMARKS AND benches AND benchmark_FOUND)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE hb_${name} benchmark::benchmark benchmark::benchmark_main)
    target_compile_definitions(${name}_bench PRIVATE HALFBYTE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
endfunction()
