# Hostile names of files, datasets, keys and outputs; tools/soak runs more of them.
add_test(NAME oracle.names COMMAND ${TESSERA_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/names_oracle.py $<TARGET_FILE:tessera>
                                   --cases 50)
set_tests_properties(
  oracle.names
  PROPERTIES LABELS cli SKIP_RETURN_CODE 77 ENVIRONMENT
             "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;PYTHONDONTWRITEBYTECODE=1")
