# Packed arrays at random, against the rules of docs/packed-data.md; tools/soak runs them for hours.
add_test(NAME oracle.packed COMMAND ${TESSERA_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/packed_oracle.py $<TARGET_FILE:tessera>
                                    --cases 25)
set_tests_properties(oracle.packed PROPERTIES LABELS "cli;sanitize" SKIP_RETURN_CODE 77 ENVIRONMENT
                                              "PYTHONDONTWRITEBYTECODE=1")
