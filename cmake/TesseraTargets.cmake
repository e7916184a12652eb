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
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
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

# tessera_runs_once(report): code that runs once in a run, and takes a third less time to compile this way; half as long
# under sanitizers.
function(tessera_runs_once name)
  if(TESSERA_SANITIZE)
    target_compile_options(tessera_${name} PRIVATE -O0)
  else()
    target_compile_options(tessera_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# What the tests with the label unit run, for tools/test --fast.
add_custom_target(unit_tests)

# Tests spend their time in what they test, not in themselves.
function(tessera_test_options)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# Tests run side by side, more of them than there are cores (the presets say how many): what computes asks for cores of
# this list, what mostly waits asks for none. There is one more than the machine has, because what computes waits at times.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR cores "${cores} + 1")
file(WRITE ${PROJECT_BINARY_DIR}/cores.json
     "{\"version\": {\"major\": 1, \"minor\": 0}, \"local\": [{\"cores\": [{\"id\": \"0\", \"slots\": ${cores}}]}]}\n")

# Long tests start first: longest-tests.txt has their seconds.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/longest-tests.txt rows REGEX "^[0-9]")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^([0-9]+) (.+)$" row "${row}")
  set(tessera_seconds_${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/longest-tests.txt)

# Sets what tests have in common: tessera_set_tests(NAMES... LABELS cli [CORES 0] [ENVIRONMENT A=1 ...]).
# CORES: how many they keep busy; 1 unless said.
function(tessera_set_tests)
  cmake_parse_arguments(ARG "" "CORES" "LABELS;ENVIRONMENT" ${ARGN})
  if(NOT DEFINED ARG_CORES)
    set(ARG_CORES 1)
  endif()
  set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PYTHONDONTWRITEBYTECODE=1
                  PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/cli ${ARG_ENVIRONMENT})
  set_tests_properties(${ARG_UNPARSED_ARGUMENTS} PROPERTIES LABELS "${ARG_LABELS}" SKIP_RETURN_CODE 77
                                                            ENVIRONMENT "${environment}")
  if(ARG_CORES GREATER 0)
    set_tests_properties(${ARG_UNPARSED_ARGUMENTS} PROPERTIES RESOURCE_GROUPS cores:${ARG_CORES})
  endif()
  foreach(test IN LISTS ARG_UNPARSED_ARGUMENTS)
    if(DEFINED tessera_seconds_${test})
      set_tests_properties(${test} PROPERTIES COST ${tessera_seconds_${test}})
    endif()
  endforeach()
endfunction()

# Tests that start MPI in their own process: the address sanitizer needs whole stacks to know what MPI keeps (tools/test).
function(tessera_starts_mpi)
  set_tests_properties(${ARGN} PROPERTIES ENVIRONMENT_MODIFICATION
                                          "ASAN_OPTIONS=string_append::fast_unwind_on_malloc=0")
endfunction()

# A GoogleTest program, which is one test: tessera_test(codec shuffle_test.cpp LABEL unit LINK tessera::codec). With
# SHARDS it is so many, each with a part of its cases.
function(tessera_test name)
  cmake_parse_arguments(ARG "" "LABEL;SHARDS" "LINK;ENVIRONMENT" ${ARGN})
  add_executable(${name}_test ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINK} tessera_flags GTest::gtest
                                             GTest::gtest_main)
  tessera_test_options(${name}_test)
  if(ARG_LABEL STREQUAL "unit")
    add_dependencies(unit_tests ${name}_test)
  endif()
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    set(test ${name})
    if(ARG_SHARDS GREATER 1)
      set(test ${name}.${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${test} COMMAND ${name}_test --gtest_brief=1)
    if(ARG_LABEL STREQUAL "gpu")
      set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "no GPU|no CUDA")
    endif()
    tessera_set_tests(${test} LABELS ${ARG_LABEL} ENVIRONMENT GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${index}
                                                              ${ARG_ENVIRONMENT})
  endforeach()
endfunction()

# A script that gets the program and ARGUMENTS: tessera_script_test(cli.usage ${script} LABELS cli). What further options
# there are, tessera_set_tests says. PROGRAM is another one than tessera.
function(tessera_script_test name script)
  cmake_parse_arguments(ARG "" "PROGRAM;CORES" "ARGUMENTS;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_PROGRAM)
    set(ARG_PROGRAM $<TARGET_FILE:tessera>)
  endif()
  add_test(NAME ${name} COMMAND ${TESSERA_PYTHON} ${script} ${ARG_PROGRAM} ${ARG_ARGUMENTS})
  set(options LABELS ${ARG_LABELS} ENVIRONMENT ${ARG_ENVIRONMENT})
  if(DEFINED ARG_CORES)
    list(APPEND options CORES ${ARG_CORES})
  endif()
  tessera_set_tests(${name} ${options})
endfunction()

# Scripts of this folder, FOLDER/NAME_test.py each, as cli.NAME: tessera_cli_test(FILES reduce/dot WITH LABELS cli). With
# RANKS each is run for each number of ranks, which is its last argument. WITH: options of tessera_script_test.
function(tessera_cli_test)
  cmake_parse_arguments(ARG "" "PREFIX" "FILES;RANKS;WITH" ${ARGN})
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX cli)
  endif()
  foreach(file IN LISTS ARG_FILES)
    get_filename_component(name ${file} NAME)
    set(script ${CMAKE_CURRENT_SOURCE_DIR}/${file}_test.py)
    if(NOT ARG_RANKS)
      tessera_script_test(${ARG_PREFIX}.${name} ${script} ${ARG_WITH})
    endif()
    foreach(ranks IN LISTS ARG_RANKS)
      tessera_script_test(${ARG_PREFIX}.${name}.${ranks} ${script} ARGUMENTS ${ranks} ${ARG_WITH})
    endforeach()
  endforeach()
endfunction()

# Registers a command at several rank counts: tessera_mpi_test(farm RANKS 1 2 4 COMMAND farm_mpi_test)
# The ranks share this machine's cores whatever their number; what waits yields (comm/world.cpp).
function(tessera_mpi_test name)
  cmake_parse_arguments(ARG "" "" "RANKS;COMMAND" ${ARGN})
  foreach(ranks ${ARG_RANKS})
    add_test(NAME mpi.${name}.${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${TESSERA_MPIEXEC_OPTIONS} ${ARG_COMMAND})
    tessera_set_tests(mpi.${name}.${ranks} LABELS mpi CORES 2)
  endforeach()
endfunction()
