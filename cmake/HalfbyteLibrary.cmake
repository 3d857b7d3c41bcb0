# The libraries as others link them, and their installation:
#   halfbyte::halfbyte   libhalfbyte.so, which shows what cmake/halfbyte.map names
#   halfbyte::static     libhalfbyte.a
#   halfbyte::onnx       libhalfbyte-onnx.so, where ONNX is there: models' layers (find_package(halfbyte COMPONENTS onnx))
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The versions in the headers and here are one.
file(READ ${PROJECT_SOURCE_DIR}/include/halfbyte/version.h version_text)
foreach(part MAJOR MINOR PATCH)
  if(NOT version_text MATCHES "HALFBYTE_VERSION_${part} ${PROJECT_VERSION_${part}}\n")
    message(FATAL_ERROR "include/halfbyte/version.h and project(halfbyte VERSION ${PROJECT_VERSION}) differ in ${part}")
  endif()
endforeach()

# halfbyte_library(TARGET SHARED|STATIC OUTPUT_NAME name EXPORT_NAME name FOLDERS folder...): one library of all these folders' objects.
function(halfbyte_library target type)
  cmake_parse_arguments(L "" "OUTPUT_NAME;EXPORT_NAME" "FOLDERS" ${ARGN})
  set(objects "")
  foreach(folder IN LISTS L_FOLDERS)
    list(APPEND objects $<TARGET_OBJECTS:hb_${folder}>)
  endforeach()
  add_library(${target} ${type} ${objects})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${L_OUTPUT_NAME} EXPORT_NAME ${L_EXPORT_NAME} LINKER_LANGUAGE CXX
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(${target} INTERFACE cxx_std_23)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

function(halfbyte_show_only target map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/${map} -Wl,-z,defs)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/${map})
endfunction()

set(folders base tensor expr manifest select plan quant reference verify bench tune io gpu api)
halfbyte_library(halfbyte_shared SHARED OUTPUT_NAME halfbyte EXPORT_NAME halfbyte FOLDERS ${folders})
halfbyte_library(halfbyte_static STATIC OUTPUT_NAME halfbyte EXPORT_NAME static FOLDERS ${folders})
halfbyte_show_only(halfbyte_shared halfbyte.map)
target_link_libraries(halfbyte_shared PUBLIC dawn::webgpu_dawn)
target_link_libraries(halfbyte_static PUBLIC dawn::webgpu_dawn)
set(installed halfbyte_shared halfbyte_static)
set(public_headers halfbyte/halfbyte.hpp)
if(TARGET hb_api_onnx)
  # With its own copy of the few helpers it needs from folders that libhalfbyte.so hides.
  halfbyte_library(halfbyte_onnx SHARED OUTPUT_NAME halfbyte-onnx EXPORT_NAME onnx
                   FOLDERS base tensor expr manifest select quant io onnx api_onnx)
  halfbyte_show_only(halfbyte_onnx halfbyte_onnx.map)
  target_link_libraries(halfbyte_onnx PUBLIC halfbyte_shared PRIVATE ONNX::onnx_proto protobuf::libprotobuf-lite)
  list(APPEND installed halfbyte_onnx)
  list(APPEND public_headers halfbyte/onnx.hpp)
endif()

# Headers: include/ as it is, and those of src/ that it includes, under halfbyte/ too: a user has folders called base as well.
set(staged ${PROJECT_BINARY_DIR}/installed-include)
file(REMOVE_RECURSE ${staged})
set(todo ${public_headers})
set(done "")
while(todo)
  list(POP_FRONT todo header)
  if(header IN_LIST done)
    continue()
  endif()
  list(APPEND done ${header})
  set(file ${PROJECT_SOURCE_DIR}/src/${header})
  set(target ${staged}/halfbyte/${header})
  if(header MATCHES "^halfbyte/")
    set(file ${PROJECT_SOURCE_DIR}/include/${header})
    set(target ${staged}/${header})
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REGEX MATCHALL "#include \"[^\"]+\"" lines "${text}")
  list(TRANSFORM lines REPLACE "#include \"([^\"]+)\"" "\\1")
  list(APPEND todo ${lines})
  string(REGEX REPLACE "#include \"([a-z_]+/)" "#include \"halfbyte/\\1" text "${text}")
  string(REPLACE "#include \"halfbyte/halfbyte/" "#include \"halfbyte/" text "${text}")
  file(WRITE ${target} "${text}")
endwhile()
foreach(header halfbyte.h version.h)
  configure_file(${PROJECT_SOURCE_DIR}/include/halfbyte/${header} ${staged}/halfbyte/${header} COPYONLY)
endforeach()

install(TARGETS ${installed} EXPORT halfbyteTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${staged}/halfbyte DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT halfbyteTargets NAMESPACE halfbyte:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/halfbyte COMPONENT library)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/halfbyteConfig.cmake.in ${PROJECT_BINARY_DIR}/halfbyteConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/halfbyte)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halfbyteConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halfbyteConfig.cmake ${PROJECT_BINARY_DIR}/halfbyteConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/halfbyte COMPONENT library)

# pkg-config. Dawn has no file of its own there, and our users call it themselves, so it is named.
get_target_property(dawn_includes dawn::webgpu_dawn INTERFACE_INCLUDE_DIRECTORIES)
set(pc_dawn_includes "")
foreach(folder IN LISTS dawn_includes)
  if(NOT folder MATCHES "^/usr/include/*$")
    string(APPEND pc_dawn_includes " -I${folder}")
  endif()
endforeach()
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/halfbyte.pc.in ${PROJECT_BINARY_DIR}/halfbyte.pc.once @ONLY)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/halfbyte.pc INPUT ${PROJECT_BINARY_DIR}/halfbyte.pc.once)
install(FILES ${PROJECT_BINARY_DIR}/halfbyte.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
