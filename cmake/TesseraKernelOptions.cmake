# Compiler options of the libraries that hold kernels.

# tessera_kernel_options(TARGET): whole vectors stay in registers only from -O2 on.
function(tessera_kernel_options target)
  if(NOT TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
    return()
  endif()
  target_compile_definitions(${target} PRIVATE TESSERA_SANITIZED)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Og) # minutes less for a file of kernels than -O1
  endif()
endfunction()

# tessera_check_overflow(SOURCES...): overflow of unsigned numbers is an error in these sources under clang's
# sanitizers. Counts and sums must not wrap; cmake/wraps-on-purpose.txt lists the functions that may.
function(tessera_check_overflow)
  if(NOT TESSERA_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  # Compiler caches look at the name of the list, not into it.
  set(list ${PROJECT_SOURCE_DIR}/cmake/wraps-on-purpose.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(MD5 ${list} hash)
  set(wraps ${PROJECT_BINARY_DIR}/wraps-on-purpose-${hash}.txt)
  configure_file(${list} ${wraps} COPYONLY)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS
                              "-fsanitize=unsigned-integer-overflow;-fsanitize-ignorelist=${wraps}")
endfunction()
