// A program with MPI of its own. Half of its ranks reduce; the others do something else meanwhile.
#include <tessera/tessera.hpp>

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int failed = 0;
  if (rank % 2 == 0) {
    tessera::Context context({.device = "cpu", .threads = 1, .communicator = &half});
    const auto array = tessera::Source::file("random:normal?count=2000000&seed=7");
    const auto found = tessera::reduce(context, array, {{{"op", "mean,max"}}});
    if (rank == 0) std::printf("mean %s\n", found["mean"].values[0].text.c_str());
    try {  // all ranks of the communicator get the error
      tessera::reduce(context, tessera::Source::file("no such file.npy"), {{{"op", "mean"}}});
      failed = 1;
    } catch (const tessera::Error& error) {
      failed = error.code() == tessera::Code::missing ? 0 : 1;
    }
  }
  MPI_Comm_free(&half);
  int any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any_failed;
}
