# Tests of the harness. Units without a server first.
function(sp_add_harness_test name)
  sp_add_test(${name} ${name}.c test_harness_common.c ${ARGN} LIBS sp_harness PkgConfig::MONGOC PkgConfig::CJSON)
endfunction()

sp_add_harness_test(test_harness_lines)
sp_add_harness_test(test_harness_corpus)
sp_add_harness_test(test_harness_units)
sp_add_test(test_harness_uuid test_harness_uuid.c LIBS sp_harness)
sp_add_harness_test(test_harness_batch)
target_link_options(test_harness_batch PRIVATE -Wl,--wrap=sp_session_recover,--wrap=sp_session_watch,--wrap=sp_stop_requested)

sp_add_harness_test(test_harness_targeting LIVE)

# Single statements of docs/coverage.md, straight against a cluster.
foreach(topic chunks index values reshard)
  sp_add_harness_test(test_statements_${topic}_live statements.c LIVE)
endforeach()

# The command line as its users see it, without a server and with real ones.
add_test(NAME test_cli_offline COMMAND "${SHARDPROOF_PYTHON}"
  "${CMAKE_CURRENT_SOURCE_DIR}/test_cli_offline.py" $<TARGET_FILE:shardproof>)
set_tests_properties(test_cli_offline PROPERTIES TIMEOUT 300)
add_test(NAME test_cli_explain COMMAND "${SHARDPROOF_PYTHON}"
  "${CMAKE_CURRENT_SOURCE_DIR}/test_cli_explain.py" $<TARGET_FILE:shardproof>)
set_tests_properties(test_cli_explain PROPERTIES TIMEOUT 300)

add_executable(test_harness_planted test_harness_planted.c)
target_link_libraries(test_harness_planted PRIVATE sp_options sp_harness PkgConfig::MONGOC m)
add_test(NAME test_cli_live COMMAND "${SHARDPROOF_PYTHON}"
  "${CMAKE_CURRENT_SOURCE_DIR}/test_cli_live.py" $<TARGET_FILE:shardproof>
  $<TARGET_FILE:test_harness_planted> "${PROJECT_SOURCE_DIR}/reports/report-1.schema.json")
set_tests_properties(test_cli_live PROPERTIES LABELS live RESOURCE_LOCK servers TIMEOUT 600)

# Does not link where two of the libraries define the same name: archives alone would take either.
add_executable(test_harness_names test_harness_names.c)
target_link_libraries(test_harness_names PRIVATE sp_options sp_harness PkgConfig::MONGOC)
target_link_options(test_harness_names PRIVATE LINKER:--whole-archive
  $<TARGET_FILE:sp_harness> $<TARGET_FILE:sp_servers> $<TARGET_FILE:sp_fuzzers> $<TARGET_FILE:sp_reports>
  $<TARGET_FILE:shardproof_oracles> LINKER:--no-whole-archive)
add_test(NAME test_harness_names COMMAND test_harness_names)
