# sp_add_fuzz_target(NAME): the fuzz target NAME_fuzzer from NAME_fuzzer.c. Its engine is
# $LIB_FUZZING_ENGINE where that is set when cmake first runs, as OSS-Fuzz does, with the C++ library
# where the engine needs one; else libFuzzer with SHARDPROOF_LIBFUZZER; else standalone_driver.c,
# which runs given files and folders.
set(SHARDPROOF_FUZZING_ENGINE "$ENV{LIB_FUZZING_ENGINE}" CACHE STRING
  "What to link fuzz targets with, e.g. -fsanitize=fuzzer; empty: libFuzzer or the standalone driver")

add_library(sp_fuzz_check STATIC fuzz_check.c plain_number.c)
target_link_libraries(sp_fuzz_check PUBLIC sp_options shardproof_oracles)

function(sp_add_fuzz_target name)
  add_executable(${name}_fuzzer ${name}_fuzzer.c)
  target_link_libraries(${name}_fuzzer PRIVATE sp_options sp_fuzzers sp_fuzz_check)
  if(SHARDPROOF_FUZZING_ENGINE)
    separate_arguments(engine UNIX_COMMAND "${SHARDPROOF_FUZZING_ENGINE}")
    target_link_libraries(${name}_fuzzer PRIVATE ${engine})
  elseif(SHARDPROOF_LIBFUZZER)
    target_link_options(${name}_fuzzer PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name}_fuzzer PRIVATE standalone_driver.c)
  endif()
endfunction()

sp_add_fuzz_target(hash)
sp_add_fuzz_target(order)

# Writes the seed corpus: seed_corpus FOLDER.
add_executable(seed_corpus EXCLUDE_FROM_ALL seed_corpus.c)
target_link_libraries(seed_corpus PRIVATE sp_options sp_fuzzers sp_fuzz_check)
