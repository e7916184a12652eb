# Random renders with random histories against the plain definition; tools/soak runs them for hours. Under sanitizers a
# command takes longer before it counts as one that hangs.
set(hangs_after_s 100)
if(TESSERA_SANITIZE)
  set(hangs_after_s 300)
endif()
add_test(NAME oracle.render COMMAND ${TESSERA_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/render_oracle.py $<TARGET_FILE:tessera>
                                    --seconds 40 --hangs-after ${hangs_after_s})
set_tests_properties(
  oracle.render
  PROPERTIES LABELS "cli;sanitize" COST 100 SKIP_RETURN_CODE 77 ENVIRONMENT
             "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;PYTHONDONTWRITEBYTECODE=1")
