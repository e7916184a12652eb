// The checked call of MPI, shared by the sources of this folder.
#pragma once

#define OMPI_SKIP_MPICXX 1  // Open MPI 4 has C++ bindings that nobody links any more
#include <mpi.h>

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

#include "base/error.hpp"

namespace tessera::comm {

/// Throws MPI's error text if the call failed.
inline void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw base::run_error("{}: {}", call, std::string_view(text.data(), length));
}

inline int count_of(std::size_t bytes) {
  if (bytes > std::numeric_limits<int>::max()) {
    throw base::run_error("a message of {} bytes is more than MPI can send at once", bytes);
  }
  return static_cast<int>(bytes);
}

}  // namespace tessera::comm
