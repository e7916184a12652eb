// Which MPI this is: another one in the same process has other handles.
#pragma once

#include <cstddef>
#include <string>

namespace tessera::comm {

/// Of an MPI_Comm.
std::size_t handle_bytes();

/// Name and version; MPI need not be started for it.
std::string library_version();

}  // namespace tessera::comm
