include(${CMAKE_CURRENT_LIST_DIR}/TesseraTargets.cmake)
