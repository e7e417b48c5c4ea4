# Compiler flags and the helper that declares a folder's library.
find_program(LIMBER_CCACHE ccache)
if(LIMBER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LIMBER_CCACHE})
endif()

add_library(limber_flags INTERFACE)
target_compile_options(limber_flags INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(limber_flags INTERFACE -Wno-restrict) # false alarms on std::string, GCC bug 105651
endif()
if(LIMBER_WERROR)
  target_compile_options(limber_flags INTERFACE -Werror)
endif()
if(LIMBER_ARCH)
  target_compile_options(limber_flags INTERFACE -march=${LIMBER_ARCH})
endif()
target_include_directories(limber_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

# limber_library(<folder> SOURCES ... LINKS ... PRIVATE_LINKS ...): target limber_<folder>.
# A folder without sources becomes an interface library.
function(limber_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  if(ARG_SOURCES)
    add_library(limber_${folder} STATIC ${ARG_SOURCES})
    target_link_libraries(limber_${folder} PUBLIC limber_flags ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  else()
    add_library(limber_${folder} INTERFACE)
    target_link_libraries(limber_${folder} INTERFACE limber_flags ${ARG_LINKS})
  endif()
  add_library(limber::${folder} ALIAS limber_${folder})
endfunction()
