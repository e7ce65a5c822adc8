# Tests of harness/servers. Those without LIVE use fakes: no network, no mongod.
function(sp_add_server_test name)
  sp_add_test(${name} ${name}.c test_servers_common.c ${ARGN} LIBS sp_servers)
  target_compile_definitions(${name} PRIVATE SP_TEST_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}")
endfunction()

sp_add_server_test(test_servers_files)
sp_add_server_test(test_servers_process)
sp_add_server_test(test_servers_conn fake_server.c)
sp_add_server_test(test_servers_install)
set_tests_properties(test_servers_install PROPERTIES SKIP_RETURN_CODE 77)
sp_add_server_test(test_servers_registry)
sp_add_server_test(test_servers_start)
sp_add_server_test(test_servers_live LIVE)
