# Tests of the harness. Units without a server first.
function(sp_add_harness_test name)
  sp_add_test(${name} ${name}.c test_harness_common.c ${ARGN} LIBS sp_harness PkgConfig::MONGOC PkgConfig::CJSON)
endfunction()

sp_add_harness_test(test_harness_lines)
sp_add_harness_test(test_harness_corpus)
sp_add_harness_test(test_harness_units)
sp_add_harness_test(test_harness_batch)
target_link_options(test_harness_batch PRIVATE -Wl,--wrap=sp_session_recover,--wrap=sp_stop_requested)
