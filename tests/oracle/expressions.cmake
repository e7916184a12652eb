# Expressions with bools, numbers and literals at random, of which `tessera map` has to make what NumPy 2 does; tools/soak
# runs them for longer.
add_test(NAME oracle.expressions COMMAND ${TESSERA_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/expression_oracle.py
                                         $<TARGET_FILE:tessera>)
set_tests_properties(oracle.expressions PROPERTIES LABELS "cli;sanitize" SKIP_RETURN_CODE 77 ENVIRONMENT
                                                   "PYTHONDONTWRITEBYTECODE=1")
