// Writes the sample image: store_sample FILE.h5 [COMPRESS]. With "wait" as third argument it stops
// half way, says "flushed" and goes on when its input ends.
#include "sample_image.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

int main(int argc, char** argv) {
  using namespace tessera::store;
  if (argc < 2) return 2;
  try {
    const ImageHeader header = sample_header(argc > 2 ? std::atoi(argv[2]) : 1);
    const std::int64_t tiles = header.grid().pixels();
    const bool wait = argc > 3 && std::string(argv[3]) == "wait";
    Hdf5ImageWriter writer(argv[1], header);
    write_tiles(writer, header, 0, wait ? tiles / 2 : tiles);
    if (wait) {
      writer.flush();
      std::puts("flushed");
      std::fflush(stdout);
      while (std::getchar() != EOF) {
      }
      write_tiles(writer, header, tiles / 2, tiles);
    }
    const TimingRow timing[] = {{0, "here", "compute", 2, 1.5}, {1, "there", "write", 3, 0.25}};
    writer.finish(timing, {});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "store_sample: %s\n", error.what());
    return 1;
  }
}
