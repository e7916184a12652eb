# One library target per folder of src: tessera_library(codec base.cpp ... LINK tessera::base PkgConfig::ISAL)
# Flags that hold for every target live here and nowhere else.

add_library(tessera_flags INTERFACE)
target_compile_options(
  tessera_flags
  INTERFACE -Wall
            -Wextra
            -Wshadow
            -Wconversion
            -Wno-sign-conversion
            -Wnon-virtual-dtor
            # Designated initialisers leave fields out on purpose: they take their defaults.
            -Wno-missing-field-initializers
            # Of types in anonymous namespaces, which GCC does not expect in what a joined source includes.
            $<$<AND:$<BOOL:${CMAKE_UNITY_BUILD}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>
            # The bits of every pixel depend on this: fused operations are written out, never made.
            -ffp-contract=off
            $<$<BOOL:${TESSERA_WARNINGS_AS_ERRORS}>:-Werror>)
if(TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE -fsanitize=${TESSERA_SANITIZE}
                                                 -fno-omit-frame-pointer)
  target_link_options(tessera_flags INTERFACE -fsanitize=${TESSERA_SANITIZE})
endif()

# Sources of a target are compiled some at a time (presets say so with CMAKE_UNITY_BUILD): headers and templates
# are then compiled once for all of them, which takes a third of the time. So names in the anonymous namespaces of
# a room differ. Sources for Highway's targets stand alone.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
function(tessera_compile_apart)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} highway REGEX "hwy/foreach_target|real/vector_sets.hpp" LIMIT_COUNT 1)
    if(highway)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

function(tessera_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  tessera_compile_apart(${ARG_UNPARSED_ARGUMENTS})
  add_library(tessera_${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(tessera::${name} ALIAS tessera_${name})
  target_include_directories(tessera_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(tessera_${name} PUBLIC ${ARG_LINK} PRIVATE tessera_flags)
endfunction()

# tessera_runs_once(report): code that runs once in a run, and takes a third less time to compile this way.
function(tessera_runs_once name)
  target_compile_options(tessera_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# What the tests with the label unit run, for tools/test --fast.
add_custom_target(unit_tests)

# Tests spend their time in what they test, not in themselves.
function(tessera_test_options)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# A GoogleTest program: tessera_test(codec shuffle_test.cpp LABEL unit LINK tessera::codec)
function(tessera_test name)
  cmake_parse_arguments(ARG "" "LABEL;ENVIRONMENT" "LINK" ${ARGN})
  add_executable(${name}_test ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINK} tessera_flags GTest::gtest
                                             GTest::gtest_main)
  tessera_test_options(${name}_test)
  if(ARG_LABEL STREQUAL "unit")
    add_dependencies(unit_tests ${name}_test)
  endif()
  gtest_discover_tests(
    ${name}_test
    TEST_PREFIX "${name}."
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${ARG_LABEL} ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# Registers a command at several rank counts: tessera_mpi_test(farm RANKS 1 2 4 COMMAND farm_mpi_test)
# The ranks share this machine's cores whatever their number; what waits yields (comm/world.cpp).
function(tessera_mpi_test name)
  cmake_parse_arguments(ARG "" "" "RANKS;COMMAND" ${ARGN})
  foreach(ranks ${ARG_RANKS})
    add_test(NAME mpi.${name}.${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} --oversubscribe --bind-to
                     none ${ARG_COMMAND})
    set_tests_properties(
      mpi.${name}.${ranks}
      PROPERTIES LABELS mpi PROCESSORS 2 ENVIRONMENT
                 "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
  endforeach()
endfunction()
