#include "comm/launcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.hpp"
#include "base/read_number.hpp"
#include "comm/library.hpp"

namespace tessera::comm {
namespace {

/// The number in the variable, if it is more than one; else null.
const char* several(const char* variable) {
  const char* const number = std::getenv(variable);
  return number != nullptr && base::read_integer(number).value_or(1) > 1 ? number : nullptr;
}

}  // namespace

bool has_launcher() {
  constexpr std::array kVariables = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                     "MPI_LOCALRANKID"};
  return std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

void check_launcher(int size) {
  if (size > 1) return;
  if (const char* const tasks = several("SLURM_STEP_NUM_TASKS")) {
    throw base::missing_error(
        "srun started {} tasks, but MPI ({}) knows of one: use srun --mpi=pmix, or --mpi=pmi2 for "
        "MPICH (srun --mpi=list shows what there is), or mpirun",
        tasks, library_version());
  }
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* const ranks = several(variable)) {
      throw base::missing_error(
          "mpirun started {} ranks, but MPI ({}) knows of one: use the mpirun of that MPI", ranks,
          library_version());
    }
  }
}

}  // namespace tessera::comm
