#include "comm/launcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.hpp"
#include "base/read_number.hpp"

namespace tessera::comm {

bool has_launcher() {
  constexpr std::array kVariables = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                     "MPI_LOCALRANKID"};
  return std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

void check_launcher(int size) {
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (size > 1 || tasks == nullptr || base::read_integer(tasks).value_or(1) <= 1) return;
  throw base::missing_error(
      "srun started {} tasks, but MPI knows of one: use srun --mpi=pmix (srun --mpi=list shows "
      "what there is) or mpirun",
      tasks);
}

}  // namespace tessera::comm
