# find_package(Tenon): the program as Tenon::tenon, and the functions of TenonFunctions.cmake, which generate and compile kernels and
# models in a build. The program runs on the machine that builds: when cross compiling, point Tenon_DIR to the package of that machine,
# or TENON_PROGRAM to a program.
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
include("${CMAKE_CURRENT_LIST_DIR}/TenonFunctions.cmake")
