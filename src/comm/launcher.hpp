// The program that started this process, by the environment. A process that belongs to Tessera asks
// the environment; one that uses Tessera says itself what its world is.
#pragma once

namespace tessera::comm {

/// Whether mpirun, srun or the like started this process as a rank.
bool has_launcher();

/// Throws a missing error if a launcher started several processes, each of which takes itself for
/// the whole job: without a common protocol MPI knows of `size` ranks only.
void check_launcher(int size);

}  // namespace tessera::comm
