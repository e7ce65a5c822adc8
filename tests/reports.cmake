# The report model and its writers.
sp_add_test(test_report_model test_report_model.c LIBS sp_reports)
sp_add_test(test_report_causes test_report_causes.c LIBS sp_reports)
sp_add_test(test_tally test_tally.c LIBS sp_reports)
sp_add_test(test_report_escape test_report_escape.c LIBS sp_reports)
sp_add_test(test_explanation test_explanation.c from_json.c LIBS sp_reports)
sp_add_test(test_report_files test_report_files.c report_folder.c LIBS sp_reports)
sp_add_test(test_report_faults test_report_faults.c report_folder.c LIBS sp_reports)
target_link_options(test_report_faults PRIVATE
  -Wl,--wrap=open,--wrap=write,--wrap=fsync,--wrap=syncfs,--wrap=close,--wrap=rename)

# The report as other programs see it. Python and its jsonschema are the distribution's, which
# scripts/setup installs; another Python on the PATH may lack it.
find_program(SHARDPROOF_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
add_executable(report_sample report_sample.c)
target_link_libraries(report_sample PRIVATE sp_options sp_reports)
add_test(NAME check_report COMMAND "${SHARDPROOF_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/check_report.py"
  $<TARGET_FILE:report_sample> "${PROJECT_SOURCE_DIR}/reports/report-1.schema.json")
set_tests_properties(check_report PROPERTIES TIMEOUT 300)
