# oracles
sp_add_test(test_extjson test_extjson.c LIBS shardproof_oracles)
