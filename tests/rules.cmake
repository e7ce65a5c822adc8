# The areas of rules: shardCollection, chunks, indexes, uniqueness, changed values, refine, reshard.
function(sp_add_rule_test name)
  sp_add_test(${name} ${name}.c ${ARGN} kinds_count.c from_json.c query_layout.c query_text.c
    LIBS sp_fuzzers sp_fuzz_check)
endfunction()

# indexes
sp_add_rule_test(test_index_kinds)
sp_add_rule_test(test_index_rules)

# shardCollection
sp_add_rule_test(test_key_index)
sp_add_rule_test(test_shard_kinds)
sp_add_rule_test(test_shard_rules)

# chunks
sp_add_rule_test(test_initial_chunks)

# uniqueness
sp_add_rule_test(test_unique)
sp_add_rule_test(test_index_keys)
sp_add_test(test_proxy_collection test_proxy_collection.c test_harness_common.c
  LIBS sp_harness PkgConfig::MONGOC PkgConfig::CJSON LIVE)

# updates and filters
sp_add_rule_test(test_update_operators update_rows.c)
sp_add_rule_test(test_update_numbers update_rows.c)
sp_add_rule_test(test_update_arrays update_rows.c)
sp_add_rule_test(test_update_pipelines update_rows.c)
sp_add_rule_test(test_update_bounds)
sp_add_rule_test(test_gen_update)
sp_add_rule_test(test_matcher)

# changed values
sp_add_rule_test(test_keychange)
sp_add_rule_test(test_keychange_kinds)

# refine and reshard
sp_add_rule_test(test_refine_kinds)
sp_add_rule_test(test_refine rule_rows.c)
sp_add_rule_test(test_reshard rule_rows.c)
sp_add_rule_test(test_reshard_kinds)
