# Compiler options of the libraries that hold kernels.

# tessera_kernel_options(TARGET): whole vectors stay in registers only from -O2 on.
function(tessera_kernel_options target)
  if(NOT TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O3>
                                                $<$<CONFIG:Debug>:-O1>)
    return()
  endif()
  target_compile_definitions(${target} PRIVATE TESSERA_SANITIZED)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Og) # minutes less for a file of kernels than -O1
  endif()
endfunction()

# tessera_check_overflow(TARGET SOURCES...): overflow of unsigned numbers is an error in these sources under clang's
# sanitizers. Counts and sums must not wrap; cmake/wraps-on-purpose.txt lists the functions that may.
function(tessera_check_overflow target)
  if(NOT TESSERA_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  # Compiler caches look at the name of the list, not into it.
  set(list ${PROJECT_SOURCE_DIR}/cmake/wraps-on-purpose.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(MD5 ${list} hash)
  set(wraps ${PROJECT_BINARY_DIR}/wraps-on-purpose-${hash}.txt)
  configure_file(${list} ${wraps} COPYONLY)
  set(sources ${ARGN})
  if(CMAKE_UNITY_BUILD) # CMake does not join sources that have options
    set(text "")
    foreach(source IN LISTS ARGN)
      get_source_file_property(apart ${source} SKIP_UNITY_BUILD_INCLUSION)
      if(NOT apart)
        string(APPEND text "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
        set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
        list(REMOVE_ITEM sources ${source})
      endif()
    endforeach()
    set(joined ${CMAKE_CURRENT_BINARY_DIR}/${target}_checked.cpp)
    file(CONFIGURE OUTPUT ${joined} CONTENT "${text}" @ONLY)
    target_sources(${target} PRIVATE ${joined})
    list(APPEND sources ${joined})
  endif()
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS
                              "-fsanitize=unsigned-integer-overflow;-fsanitize-ignorelist=${wraps}")
endfunction()
