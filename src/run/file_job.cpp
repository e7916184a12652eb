#include "run/file_job.hpp"

#include <algorithm>

#include "job/options.hpp"

namespace tessera::run {

job::RenderJob job_of(const store::ImageReader& reader) {
  std::vector<job::Given> given;
  for (const auto& [name, value] : reader.header().attributes) {
    const bool is_key = std::ranges::any_of(
        job::render_options(), [&](const auto& option) { return option.name == name; });
    if (is_key) given.push_back({name, value, "attribute " + name});
  }
  return job::make_render_job(given);
}

}  // namespace tessera::run
