#include "render/remarks.hpp"

#include "base/run.hpp"
#include "base/text.hpp"
#include "render/preview.hpp"

namespace tessera::render {

void say_what_is_resumed(const std::string& file, const store::Leftover& found) {
  std::string more;
  if (found.damaged > 0) {
    more = fmt::format(", {} more {} damaged", found.damaged, found.damaged == 1 ? "was" : "were");
  }
  if (found.copied) more += "; HDF5's index does not have them all, so they were copied";
  base::log("render: resuming {}: {} stored{}", file, base::count_are(found.tiles, "tile"), more);
}

void say_if_undecided(const job::RenderJob& job, const report::RunReport& run) {
  const std::uint64_t pixels = report::totals(run.ranks).uncertain.undecided;
  if (job.quiet || pixels == 0) return;
  base::log("render: undecided_pixels: {}; the most bits leave the counts open",
            base::count_of(static_cast<std::int64_t>(pixels), "pixel"));
}

bool say_if_one_color(const job::RenderJob& job, const std::string& name,
                      const report::RunReport& run) {
  const report::RankReport all = report::totals(run.ranks);
  if (job.quiet || all.pixels != static_cast<std::uint64_t>(job.image.size_px.pixels())) {
    return false;
  }
  const std::string text =
      one_color({all.pixels, all.iterations, all.executed}, job.image.iterations, "point");
  if (!text.empty()) base::log("render: {}: {}", name, text);
  return !text.empty();
}

}  // namespace tessera::render
