# Compiler settings that every target shares, as the interface target `sp_options`.

set(SHARDPROOF_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address,undefined")
option(SHARDPROOF_LIBFUZZER "Link the fuzz targets with libFuzzer (clang only)" OFF)
option(SHARDPROOF_COVERAGE "Instrument for gcov" OFF)
option(SHARDPROOF_WERROR "Treat warnings as errors" ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

# Assertions on invariants stay on in every build: no NDEBUG anywhere.
foreach(kind RELEASE RELWITHDEBINFO MINSIZEREL)
  string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${kind} "${CMAKE_C_FLAGS_${kind}}")
endforeach()

add_library(sp_options INTERFACE)
target_compile_features(sp_options INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
target_compile_definitions(sp_options INTERFACE _GNU_SOURCE)
target_compile_options(sp_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
  -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -fno-common)
if(SHARDPROOF_WERROR)
  target_compile_options(sp_options INTERFACE -Werror)
endif()
if(SHARDPROOF_SANITIZE)
  target_compile_options(sp_options INTERFACE
    -fsanitize=${SHARDPROOF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sp_options INTERFACE -fsanitize=${SHARDPROOF_SANITIZE})
endif()
if(SHARDPROOF_LIBFUZZER)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "SHARDPROOF_LIBFUZZER needs clang: use the preset 'fuzz'")
  endif()
  target_compile_options(sp_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SHARDPROOF_COVERAGE)
  target_compile_options(sp_options INTERFACE --coverage)
  target_link_options(sp_options INTERFACE --coverage)
endif()
