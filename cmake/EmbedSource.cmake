# Joins a kernel source and the files that it includes ("kernels/...") into one C++ string constant:
#   cmake -DSOURCE=... -DROOT=... -DNAME=kKernelSource -DOUTPUT=... -P EmbedSource.cmake
function(read_with_includes file result)
  file(READ "${file}" text)
  while(text MATCHES "#include \"(kernels/[^\"]+)\"")
    set(line "${CMAKE_MATCH_0}")
    read_with_includes("${ROOT}/${CMAKE_MATCH_1}" included)
    string(REPLACE "${line}" "${included}" text "${text}")
  endwhile()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

read_with_includes("${SOURCE}" text)
file(WRITE "${OUTPUT}" "// Made from ${SOURCE} at build time.
#include \"device/opencl/program.hpp\"

namespace tessera::device::opencl {
const char* const ${NAME} = R\"opencl(${text})opencl\";
}
")
