#include "run/file_job.hpp"

#include "base/error.hpp"
#include "job/options.hpp"

namespace tessera::run {

job::RenderJob job_of(const store::ImageReader& reader, const std::string& path) {
  std::vector<job::Given> given;
  for (const auto& option : job::render_options()) {
    const std::string name(option.name);
    const std::string value = reader.attribute(name);
    const bool may_lack = option.scope != job::Scope::image || name == "view";
    if (value.empty() && !may_lack) {
      throw base::usage_error("{}: has no text attribute '{}'", path, name);
    }
    if (!value.empty()) given.push_back({name, value, "attribute " + name});
  }
  return job::make_render_job(given);
}

}  // namespace tessera::run
