# oracles
sp_add_test(test_extjson test_extjson.c LIBS shardproof_oracles)
if(NOT SHARDPROOF_SANITIZE AND NOT SHARDPROOF_COVERAGE)
  add_test(NAME installed_library
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_installed_library.sh ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR}
            ${CMAKE_CURRENT_SOURCE_DIR}/installed_library.c ${CMAKE_C_COMPILER})
endif()
