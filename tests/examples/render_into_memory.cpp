// A program that renders into its own memory, without files, without MPI.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "job/image/options.hpp"
#include "render/memory_sink.hpp"
#include "render/render.hpp"

using namespace tessera;

int main() {
  const job::RenderJob job = job::make_render_job({{"view", "seahorse", ""},
                                                   {"size", "640x360", ""},
                                                   {"iterations", "2000", ""},
                                                   {"device", "cpu", ""}});
  std::vector<std::uint16_t> counts(640 * 360);
  render::MemorySink sink({{job::Field::iterations, reinterpret_cast<std::byte*>(counts.data()),
                            640 * sizeof(std::uint16_t)}});

  comm::World world = comm::World::single();
  base::StopToken stop;  // another thread may call stop.request("...")
  base::Events quiet;
  run::Context context{world, {stop, quiet}};
  render::render(context, job, sink);

  std::size_t escaped = 0;
  for (const std::uint16_t count : counts) escaped += count < 2000 ? 1 : 0;
  std::printf("%zu of %zu pixels escaped\n", escaped, counts.size());
  return escaped > counts.size() / 2 ? 0 : 1;
}
