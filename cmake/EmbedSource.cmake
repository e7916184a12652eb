# Joins a kernel source and the files that it includes ("kernels/...") into one C++ string constant, which the header
# device/NAMESPACE/program.hpp declares:
#   cmake -DSOURCE=... -DROOT=... -DNAMESPACE=opencl -DNAME=kPixelSource -DOUTPUT=... -P EmbedSource.cmake
# The text of a file with "#pragma once" is there once.
cmake_policy(SET CMP0057 NEW) # if(... IN_LIST ...)
set(included_once "")

function(read_with_includes file result)
  file(READ "${file}" text)
  if(text MATCHES "#pragma once\n")
    if(file IN_LIST included_once)
      set(${result} "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND included_once "${file}")
    string(REPLACE "#pragma once\n" "" text "${text}")
  endif()
  while(text MATCHES "#include \"(kernels/[^\"]+)\"")
    set(line "${CMAKE_MATCH_0}")
    read_with_includes("${ROOT}/${CMAKE_MATCH_1}" included)
    string(FIND "${text}" "${line}" at)
    string(LENGTH "${line}" length)
    math(EXPR end "${at} + ${length}")
    string(SUBSTRING "${text}" 0 ${at} before)
    string(SUBSTRING "${text}" ${end} -1 after)
    set(text "${before}${included}${after}")
  endwhile()
  set(${result} "${text}" PARENT_SCOPE)
  set(included_once "${included_once}" PARENT_SCOPE)
endfunction()

read_with_includes("${SOURCE}" text)
file(WRITE "${OUTPUT}" "// Made from ${SOURCE} at build time.
#include \"device/${NAMESPACE}/program.hpp\"

namespace tessera::device::${NAMESPACE} {
const char* const ${NAME} = R\"kernel(${text})kernel\";
}
")
