# Finds libraries by the names that their authors gave them, and tells all that are missing at once.
#
#   tessera_package(fmt 9)                 a CMake package or module; what find_package() takes may follow
#   tessera_find(ZSTD ...)                 makes the target lib::ZSTD
#   tessera_check_found()                  ends the configure step if something was missing
#
# tessera_find(NAME LEAST VERSION [PACKAGE PACKAGE TARGET TARGET] [PC MODULE] HEADER FILE [LIBRARY LIB] [WITHOUT TEXT]): by its
# .pc file, its CMake package, or header and library, in this order. With WITHOUT the library is optional, and TESSERA_NAME
# says whether to look: AUTO, ON (an error if it is missing) or OFF. TEXT is what a build without it lacks. Tests use every
# library. Sets TESSERA_HAS_NAME.
set(tessera_missing "")
set(tessera_left_out "")

# A macro, since packages set variables.
macro(tessera_package name least)
  find_package(${name} ${least} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    string(STRIP "${name} ${least}" tessera_row)
    list(APPEND tessera_missing "${tessera_row}: no CMake package of this name (CMAKE_PREFIX_PATH, ${name}_ROOT)")
  endif()
endmacro()

# The target in `result`, or "".
function(tessera_look_for result name)
  cmake_parse_arguments(ARG "" "LEAST;PACKAGE;TARGET;PC;HEADER;LIBRARY" "" ${ARGN})
  set(${result} "" PARENT_SCOPE)
  if(ARG_PC)
    pkg_check_modules(TESSERA_PC_${name} QUIET IMPORTED_TARGET "${ARG_PC}>=${ARG_LEAST}")
    if(TESSERA_PC_${name}_FOUND)
      set(${result} PkgConfig::TESSERA_PC_${name} PARENT_SCOPE)
      return()
    endif()
  endif()
  if(ARG_PACKAGE)
    find_package(${ARG_PACKAGE} ${ARG_LEAST} QUIET)
    if(TARGET ${ARG_TARGET} AND ${ARG_PACKAGE}_FOUND)
      set(${result} ${ARG_TARGET} PARENT_SCOPE)
      return()
    endif()
  endif()
  find_path(TESSERA_${name}_HEADERS ${ARG_HEADER})
  if(ARG_LIBRARY)
    find_library(TESSERA_${name}_LIBRARY ${ARG_LIBRARY})
  endif()
  mark_as_advanced(TESSERA_${name}_HEADERS TESSERA_${name}_LIBRARY)
  if(TESSERA_${name}_HEADERS AND (TESSERA_${name}_LIBRARY OR NOT ARG_LIBRARY))
    add_library(lib::${name}_files INTERFACE IMPORTED GLOBAL)
    target_include_directories(lib::${name}_files INTERFACE ${TESSERA_${name}_HEADERS})
    target_link_libraries(lib::${name}_files INTERFACE ${TESSERA_${name}_LIBRARY})
    set(${result} lib::${name}_files PARENT_SCOPE)
  endif()
endfunction()

# Records that the optional library `name` (`text`) is not there.
macro(tessera_leave_out name text)
  set(tessera_row "Left out: ${text} (${name} was not found)")
  if(TESSERA_${name} STREQUAL "OFF")
    set(tessera_row "Left out: ${text} (TESSERA_${name}=OFF)")
  endif()
  if(BUILD_TESTING)
    list(APPEND tessera_missing "${tessera_row}, and the tests use that (-DBUILD_TESTING=OFF builds without tests)")
  elseif(TESSERA_${name} STREQUAL "ON")
    list(APPEND tessera_missing "${tessera_row}, and TESSERA_${name}=ON insists on that")
  else()
    list(APPEND tessera_left_out "${tessera_row}")
  endif()
endmacro()

macro(tessera_find name)
  cmake_parse_arguments(tessera_of "" "LEAST;PACKAGE;TARGET;PC;HEADER;LIBRARY;WITHOUT" "" ${ARGN})
  set(tessera_target "")
  if(NOT tessera_of_WITHOUT OR NOT TESSERA_${name} STREQUAL "OFF")
    tessera_look_for(tessera_target ${name} ${ARGN})
  endif()
  set(TESSERA_HAS_${name} FALSE)
  if(tessera_target)
    set(TESSERA_HAS_${name} TRUE)
    add_library(lib::${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(lib::${name} INTERFACE ${tessera_target})
  elseif(tessera_of_WITHOUT)
    tessera_leave_out(${name} "${tessera_of_WITHOUT}")
  else()
    list(APPEND tessera_missing "${name} ${tessera_of_LEAST}: no ${tessera_of_HEADER} and no .pc file of it (CMAKE_PREFIX_PATH, PKG_CONFIG_PATH)")
  endif()
endmacro()

macro(tessera_check_found)
  if(tessera_missing)
    list(JOIN tessera_missing "\n  " tessera_rows)
    message(FATAL_ERROR "Not found:\n  ${tessera_rows}\n"
                        "docs/install.md, \"Libraries\", names all with their versions; tools/packages.sh list build names "
                        "Debian's packages.")
  endif()
  foreach(tessera_row IN LISTS tessera_left_out)
    message(STATUS "${tessera_row}")
  endforeach()
endmacro()
