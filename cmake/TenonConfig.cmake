# find_package(Tenon): the program as Tenon::tenon, and functions that generate and compile kernels and models in a build.
#
#   tenon_add_library(TARGET [OPS op…] [DTYPES dtype…] [RANKS 0-8] [ISA level…] [PREFIX name] [DEFS file…]
#                     [AMALGAMATE] [NO_REGISTRY])
#   tenon_add_model(TARGET NET.yaml|NET.onnx [NAME name] [SIZE N=1..64…] [ISA level…] [WEIGHTS c|incbin|bin]
#                   [MAX_THREADS n])
#
# Both make TARGET a static C library whose headers are seen by what links to it. The files are generated during the build and
# again when the definitions, the network or the program change. The program runs on the machine that builds: when cross
# compiling, point Tenon_DIR to the package of that machine, or TENON_PROGRAM to a program; ISA is then `all` unless it is given.
# Needs CMake 3.20.
include_guard(GLOBAL)

if(NOT TENON_PROGRAM)
  get_filename_component(TENON_PROGRAM "${CMAKE_CURRENT_LIST_DIR}/../../../bin/tenon" ABSOLUTE)
endif()
if(NOT EXISTS "${TENON_PROGRAM}")
  set(Tenon_FOUND FALSE)
  set(Tenon_NOT_FOUND_MESSAGE "there is no program ${TENON_PROGRAM}")
  return()
endif()
if(NOT TARGET Tenon::tenon)
  add_executable(Tenon::tenon IMPORTED GLOBAL)
  set_target_properties(Tenon::tenon PROPERTIES IMPORTED_LOCATION "${TENON_PROGRAM}")
endif()

# A static library of what `tenon ARGUMENTS` writes. The first run is at configure time: sources.txt names what there is to
# compile. Files that did not change keep their times, so sources.txt, touched after each run of the build, stands for the run;
# it is also the target that the dependency file names.
function(_tenon_generate target inputs)
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${target}.tenon")
  set(stamp "${directory}/sources.txt")
  set(depfile "${CMAKE_CURRENT_BINARY_DIR}/${target}.tenon.d")
  set(command "${TENON_PROGRAM}" ${ARGN} -q --depfile "${depfile}" -o "${directory}")
  execute_process(COMMAND ${command} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" ERROR_VARIABLE messages RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "tenon ${ARGN} ended with status ${status}:\n${messages}")
  endif()
  file(STRINGS "${stamp}" sources)
  list(TRANSFORM sources PREPEND "${directory}/")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs} "${TENON_PROGRAM}")
  add_custom_command(OUTPUT "${stamp}" BYPRODUCTS ${sources}
    COMMAND ${command}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" DEPENDS ${inputs} "${TENON_PROGRAM}" DEPFILE "${depfile}"
    COMMENT "Generating ${target}" VERBATIM)
  add_custom_target(${target}_generate DEPENDS "${stamp}")
  add_library(${target} STATIC ${sources})
  add_dependencies(${target} ${target}_generate)
  target_include_directories(${target} PUBLIC "${directory}/include")
  set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF LINKER_LANGUAGE C)
endfunction()

# Appends `flag a,b` to the list `arguments` of the caller if there are values.
macro(_tenon_list_flag flag)
  if(NOT "${ARGN}" STREQUAL "")
    string(REPLACE ";" "," _tenon_joined "${ARGN}")
    list(APPEND arguments ${flag} "${_tenon_joined}")
  endif()
endmacro()

macro(_tenon_isa_flag)
  set(_tenon_isa ${ARGN})
  if(NOT _tenon_isa AND CMAKE_CROSSCOMPILING)
    set(_tenon_isa all)
  endif()
  _tenon_list_flag(--isa ${_tenon_isa})
endmacro()

# The names of files, absolute below the current source directory.
function(_tenon_absolute result)
  set(files "")
  foreach(file IN LISTS ARGN)
    get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND files "${file}")
  endforeach()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

function(tenon_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 T "AMALGAMATE;NO_REGISTRY" "RANKS;PREFIX" "OPS;DTYPES;ISA;DEFS")
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_library(${target}): what is '${T_UNPARSED_ARGUMENTS}'?")
  endif()
  _tenon_absolute(definitions ${T_DEFS})
  set(arguments lib ${definitions})
  _tenon_list_flag(--ops ${T_OPS})
  _tenon_list_flag(--dtypes ${T_DTYPES})
  _tenon_list_flag(--ranks ${T_RANKS})
  _tenon_list_flag(--prefix ${T_PREFIX})
  _tenon_isa_flag(${T_ISA})
  if(T_AMALGAMATE)
    list(APPEND arguments --amalgamate)
  endif()
  if(T_NO_REGISTRY)
    list(APPEND arguments --no-registry)
  endif()
  _tenon_generate(${target} "${definitions}" ${arguments})
endfunction()

function(tenon_add_model target network)
  cmake_parse_arguments(PARSE_ARGV 2 T "" "NAME;WEIGHTS;MAX_THREADS" "SIZE;ISA")
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_model(${target}): what is '${T_UNPARSED_ARGUMENTS}'?")
  endif()
  _tenon_absolute(network "${network}")
  set(arguments model "${network}")
  _tenon_list_flag(--name ${T_NAME})
  _tenon_list_flag(--weights ${T_WEIGHTS})
  _tenon_list_flag(--max-threads ${T_MAX_THREADS})
  foreach(size IN LISTS T_SIZE)
    list(APPEND arguments --size "${size}")
  endforeach()
  _tenon_isa_flag(${T_ISA})
  _tenon_generate(${target} "${network}" ${arguments})
endfunction()
