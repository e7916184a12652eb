# Finds the CUDA toolkit, where there is one; TESSERA_CUDA says whether to look. Sets TESSERA_HAS_CUDA.
# TESSERA_CUDA=AUTO (default): with CUDA if nvcc is found; ON: an error without it; OFF: do not look.
set(TESSERA_CUDA AUTO CACHE STRING "CUDA backend: AUTO, ON or OFF")
set(TESSERA_HAS_CUDA FALSE)

if(NOT TESSERA_CUDA STREQUAL "OFF")
  if(NOT CMAKE_CUDA_COMPILER)
    # Toolkits are seldom in PATH; this is where NVIDIA's packages put them.
    find_program(TESSERA_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH ENV CUDA_HOME PATHS
                 /usr/local/cuda/bin PATH_SUFFIXES bin)
    if(TESSERA_NVCC)
      set(CMAKE_CUDA_COMPILER ${TESSERA_NVCC})
    endif()
  endif()
  # The major architectures that the toolkit has, and PTX of the last one for chips to come: what is built on one
  # machine runs on others. "native" builds for this machine's GPUs only, in a fraction of the time. Set before
  # CMake tries the compiler, which otherwise takes an architecture that CUDA 13 has dropped.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES all-major)
  endif()
  # A compiler that does not take this machine's g++ is as good as none, unless it was insisted on.
  if(CMAKE_CUDA_COMPILER AND TESSERA_CUDA STREQUAL "AUTO" AND NOT CMAKE_CUDA_COMPILER_WORKS)
    include(CheckLanguage)
    set(ENV{CUDACXX} ${CMAKE_CUDA_COMPILER})
    unset(CMAKE_CUDA_COMPILER)
    check_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(TESSERA_HAS_CUDA TRUE)
    message(STATUS "CUDA ${CUDAToolkit_VERSION}: the cuda backend is part of this build "
                   "(architectures: ${CMAKE_CUDA_ARCHITECTURES})")
  elseif(TESSERA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TESSERA_CUDA=ON, but nvcc was not found; give CMAKE_CUDA_COMPILER")
  else()
    message(STATUS "nvcc was not found: this build has no cuda backend")
  endif()
endif()
