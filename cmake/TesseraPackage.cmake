# Debian packages by CPack; tools/package calls it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "The Tessera authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Renders fractal images that are larger than one device or one machine, and reduces large arrays of NumPy and HDF5 \
files. MPI ranks share the work; each drives its CUDA or OpenCL devices or its CPU cores. Every device computes the \
same bits, and a run that was stopped resumes.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

# tessera_X.Y.Z-1~debian12_amd64.deb: the libraries it needs are those of one release.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

# The program with its pages; and for others, the library, what it is linked with, and the Python package.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified Runtime Development)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME tessera)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS openmpi-bin)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "python3-h5py, pocl-opencl-icd")
set(runtime libtessera${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/package/triggers)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Shared library of Tessera")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtessera-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${runtime} (= ${PROJECT_VERSION}-@release@)")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers of Tessera for C++20, and its CMake package")
if(TARGET tessera_python)
  list(APPEND CPACK_COMPONENTS_ALL Python)
  math(EXPR next_minor "${TESSERA_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tessera)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "${runtime} (= ${PROJECT_VERSION}-@release@), python3 (>= 3.${TESSERA_PYTHON_MINOR}~), \
python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "tessera, python3-mpi4py, python3-tqdm, python3-xarray")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF) # of one version of the library, and of one Python
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/package/postinst
                                                ${CMAKE_CURRENT_LIST_DIR}/package/prerm)
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Tessera for Python")
endif()
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Tessera authors")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
cmake_host_system_information(RESULT release QUERY DISTRIB_INFO)
set(CPACK_DEBIAN_PACKAGE_RELEASE "1~${release_ID}${release_VERSION_ID}")
foreach(component DEVELOPMENT PYTHON)
  string(REPLACE "@release@" "${CPACK_DEBIAN_PACKAGE_RELEASE}" CPACK_DEBIAN_${component}_PACKAGE_DEPENDS
                 "${CPACK_DEBIAN_${component}_PACKAGE_DEPENDS}")
endforeach()

include(CPack)
