find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS C CXX)

pkg_check_modules(PETSC REQUIRED IMPORTED_TARGET PETSc>=3.18)
if(PETSC_VERSION VERSION_GREATER_EQUAL 3.27)
  message(WARNING "limber is tested with PETSc 3.18 to 3.26; this is ${PETSC_VERSION}")
endif()

# Gmsh and METIS install no CMake or pkg-config files on Debian.
find_path(GMSH_INCLUDE_DIR gmsh.h REQUIRED)
find_library(GMSH_LIBRARY gmsh REQUIRED)
add_library(limber_gmsh INTERFACE)
target_include_directories(limber_gmsh SYSTEM INTERFACE ${GMSH_INCLUDE_DIR})
target_link_libraries(limber_gmsh INTERFACE ${GMSH_LIBRARY})

find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(limber_metis INTERFACE)
target_include_directories(limber_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_link_libraries(limber_metis INTERFACE ${METIS_LIBRARY})

# The parallel HDF5; Debian also has a serial one under another name.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-openmpi hdf5-mpich hdf5-mpi hdf5)

pkg_check_modules(MUPARSER REQUIRED IMPORTED_TARGET muparser>=2.3)

find_package(Eigen3 REQUIRED NO_MODULE)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(VTK 9.1 REQUIRED COMPONENTS CommonCore CommonDataModel IOLegacy IOXML)

# CHOLMOD comes with SuiteSparse, whose Debian package has no CMake files.
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
add_library(limber_cholmod INTERFACE)
target_include_directories(limber_cholmod SYSTEM INTERFACE ${CHOLMOD_INCLUDE_DIR})
target_link_libraries(limber_cholmod INTERFACE ${CHOLMOD_LIBRARY})
