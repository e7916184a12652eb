# Random renders with random histories against the plain definition; tools/soak runs them for hours. Under sanitizers a
# command takes longer before it counts as one that hangs.
set(patience_s 30)
if(TESSERA_SANITIZE)
  set(patience_s 150)
endif()
add_test(NAME oracle.render COMMAND ${TESSERA_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/render_oracle.py $<TARGET_FILE:tessera>
                                    --seconds 40 --patience ${patience_s})
set_tests_properties(
  oracle.render
  PROPERTIES LABELS "cli;sanitize" TIMEOUT 400 SKIP_RETURN_CODE 77 ENVIRONMENT
             "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;PYTHONDONTWRITEBYTECODE=1")
