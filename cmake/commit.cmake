# Run at each build: writes the commit into OUTPUT, touching it only when it changed.
execute_process(
  COMMAND git -C "${SOURCE}" describe --always --dirty=+ --exclude=*
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define TESSERA_COMMIT \"${commit}\"\n" @ONLY)
