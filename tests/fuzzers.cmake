# Generators, the standalone driver, and the fuzz targets themselves (label fuzz).
function(sp_add_generator_test name)
  sp_add_test(${name} ${name}.c from_json.c LIBS sp_fuzzers sp_fuzz_check)
endfunction()

sp_add_generator_test(test_producer)
sp_add_generator_test(test_gen_number)
sp_add_generator_test(test_gen_value)
sp_add_generator_test(test_gen_scenes)
sp_add_generator_test(test_gen_soundness)
sp_add_generator_test(test_gen_filter)
sp_add_test(test_kinds test_kinds.c kinds_count.c from_json.c LIBS sp_fuzzers sp_fuzz_check)

add_executable(faulty_target faulty_target.c "${PROJECT_SOURCE_DIR}/fuzzers/standalone_driver.c")
target_link_libraries(faulty_target PRIVATE sp_options PkgConfig::BSON)
sp_add_test(test_fuzz_driver test_fuzz_driver.c)
add_dependencies(test_fuzz_driver faulty_target)
target_compile_definitions(test_fuzz_driver PRIVATE SP_TEST_TARGET="$<TARGET_FILE:faulty_target>")

# With libFuzzer a short run that begins with the seed corpus and writes into the build folder; without
# it the seed corpus alone. An engine from outside has its own ways, so nothing is run with one.
function(sp_add_fuzz_test name)
  set(seeds "${PROJECT_SOURCE_DIR}/corpus/fuzz/${name}")
  set(work "${CMAKE_BINARY_DIR}/fuzz/${name}")
  if(SHARDPROOF_FUZZING_ENGINE)
    return()
  endif()
  if(SHARDPROOF_LIBFUZZER)
    # Left from the run before, what was found would make each run start elsewhere.
    add_test(NAME fuzz_${name}_clear COMMAND "${CMAKE_COMMAND}" -E rm -rf "${work}/found")
    add_test(NAME fuzz_${name} COMMAND ${name}_fuzzer -seed=1 ${ARGN} -timeout=10 -len_control=0
      -max_len=8192 -rss_limit_mb=2048 -create_missing_dirs=1 "-artifact_prefix=${work}/"
      "-dict=${PROJECT_SOURCE_DIR}/fuzzers/numbers.dict" "${work}/found" "${seeds}")
    set_tests_properties(fuzz_${name}_clear PROPERTIES LABELS fuzz FIXTURES_SETUP fuzz_${name})
    set_tests_properties(fuzz_${name} PROPERTIES FIXTURES_REQUIRED fuzz_${name})
  else()
    add_test(NAME fuzz_${name} COMMAND ${name}_fuzzer "${seeds}")
  endif()
  set_tests_properties(fuzz_${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()

sp_add_fuzz_test(hash -runs=20000)
sp_add_fuzz_test(order -max_total_time=20)
