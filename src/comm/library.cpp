#include "comm/library.hpp"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>

namespace tessera::comm {

std::size_t handle_bytes() {
  return sizeof(MPI_Comm);
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string version(text, static_cast<std::size_t>(length));
  std::ranges::replace(version, '\t', ' ');  // of MPICH
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace tessera::comm
