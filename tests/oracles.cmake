# oracles
sp_add_test(test_extjson test_extjson.c LIBS shardproof_oracles)

# Tests that write values as Extended JSON; sp_fuzzers draws more of them.
function(sp_add_oracle_test name)
  sp_add_test(${name} ${name}.c from_json.c LIBS sp_fuzzers sp_fuzz_check)
endfunction()

sp_add_oracle_test(test_arena)
sp_add_oracle_test(test_number)
sp_add_oracle_test(test_order)
sp_add_oracle_test(test_hash)
sp_add_oracle_test(test_pattern)
sp_add_oracle_test(test_extract)
sp_add_oracle_test(test_chunkmap)
sp_add_oracle_test(test_layout)
sp_add_oracle_test(test_model)
sp_add_oracle_test(test_storage)
sp_add_oracle_test(test_version)
sp_add_oracle_test(test_soundness)
sp_add_oracle_test(test_verdict)
sp_add_oracle_test(test_case)
sp_add_oracle_test(test_value)
sp_add_oracle_test(test_error)
sp_add_oracle_test(test_collation)
sp_add_oracle_test(test_collator)

# Tests of query targeting, which also write filters, bounds and layouts as text.
function(sp_add_query_test name)
  sp_add_test(${name} ${name}.c ${ARGN} from_json.c query_layout.c query_text.c
    LIBS sp_fuzzers sp_fuzz_check)
endfunction()

sp_add_query_test(test_filter_parse)
sp_add_query_test(test_bounds)
sp_add_query_test(test_bounds_predicate)
sp_add_query_test(test_regex_prefix)
sp_add_query_test(test_filter_normal)
sp_add_query_test(test_plan)
sp_add_query_test(test_query_key)
sp_add_query_test(test_targeting)
sp_add_query_test(test_targeting_rules plain_filter.c)
sp_add_query_test(test_predict_write)

if(NOT SHARDPROOF_SANITIZE AND NOT SHARDPROOF_COVERAGE)
  add_test(NAME installed_library
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_installed_library.sh ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR}
            ${CMAKE_CURRENT_SOURCE_DIR}/installed_library.c ${CMAKE_C_COMPILER})
endif()
