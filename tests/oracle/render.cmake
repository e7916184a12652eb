# Random renders with random histories against the plain definition; tools/soak runs them for hours.
add_test(NAME oracle.render COMMAND ${TESSERA_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/render_oracle.py $<TARGET_FILE:tessera>
                                    --cases 80)
set_tests_properties(
  oracle.render
  PROPERTIES LABELS "cli;sanitize" COST 100 SKIP_RETURN_CODE 77 ENVIRONMENT
             "PYTHONDONTWRITEBYTECODE=1")
