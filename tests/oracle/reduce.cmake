# Arrays, files and options at random, of which `tessera reduce` has to make what exact integers do; tools/soak runs
# them for hours.
add_test(NAME oracle.reduce COMMAND ${TESSERA_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/reduce_oracle.py $<TARGET_FILE:tessera>
                                    --cases 80)
set_tests_properties(
  oracle.reduce
  PROPERTIES LABELS "cli;sanitize" COST 200 SKIP_RETURN_CODE 77 ENVIRONMENT
             "PYTHONDONTWRITEBYTECODE=1")

# What it compares with, against fractions.
add_test(NAME oracle.answers COMMAND ${TESSERA_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/answers_test.py)
set_tests_properties(oracle.answers PROPERTIES LABELS cli SKIP_RETURN_CODE 77 ENVIRONMENT
                                               "PYTHONDONTWRITEBYTECODE=1")
