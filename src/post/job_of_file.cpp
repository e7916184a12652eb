#include "post/job_of_file.hpp"

#include <charconv>
#include <utility>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "job/image/options.hpp"
#include "job/values.hpp"
#include "plan/tile_grid.hpp"
#include "store/image/header.hpp"

namespace tessera::post {
namespace {

std::vector<job::Field> fields_of(const store::ImageHeader& header) {
  std::vector<job::Field> fields;
  for (const auto& [field, type] : header.fields) fields.push_back(field);
  return fields;
}

/// The job determines buffers and kernels, the datasets determine chunks: both must describe the
/// same image.
void check_datasets(const store::ImageHeader& header, const job::RenderJob& job,
                    const std::string& path) {
  const auto refuse = [&](std::string_view key, const std::string& said, const std::string& found) {
    throw base::usage_error("{}: its attribute '{}' means {}, its datasets have {}", path, key,
                            said, found);
  };
  const base::ImageSize size = job.image.size_px;
  if (header.size_px != size) {
    refuse("size", job::format_size(size) + " pixels", job::format_size(header.size_px));
  }
  const base::ImageSize chunk = plan::TileGrid{size, job.tile_px}.chunk_px();
  if (header.chunk_px() != chunk) {
    refuse("tile", "chunks of " + job::format_size(chunk), job::format_size(header.chunk_px()));
  }
  if (fields_of(header) != job.fields) {
    refuse("fields", job::format_fields(job.fields), job::format_fields(fields_of(header)));
  }
  for (const auto& [field, type] : header.fields) {
    const base::ElementType expected = job::field_type(job.image, field);
    if (type == expected) continue;
    refuse("iterations", fmt::format("/{} of {}", job::field_name(field), element_name(expected)),
           std::string(element_name(type)));
  }
  if ((header.compress > 0) != (job.compress > 0)) {
    refuse("compress", job.compress > 0 ? "filters" : "no filters",
           header.compress > 0 ? "some" : "none");
  }
}

/// A value of the job, with all its digits.
std::string text_of(const store::ImageReader& reader, const std::string& key,
                    const std::string& path) {
  std::string value = reader.attribute(key);
  std::string exact = reader.attribute(store::exact_key(key));
  if (exact.empty() || value.empty()) return value;
  const double real = base::nearest_real(exact, path + ": attribute " + store::exact_key(key));
  if (fmt::format("{}", real) == value) return exact;
  throw base::usage_error("{}: its attributes '{}' and '{}' are two numbers: {} and {}", path, key,
                          store::exact_key(key), value, exact);
}

}  // namespace

Provenance provenance_of(const store::ImageReader& reader) {
  Provenance provenance{.view = reader.attribute("view"),
                        .from = reader.attribute("from"),
                        .region = reader.attribute("region"),
                        .defaults = reader.attribute("defaults")};
  const std::string frames = reader.attribute("frames");
  std::from_chars(frames.data(), frames.data() + frames.size(), provenance.of_frames);
  return provenance;
}

void set_provenance(job::RenderJob& job, const Provenance& provenance) {
  job.view = provenance.view;
  job.from = provenance.from;
  job.region = provenance.region;
  job.defaults = provenance.defaults;
  job.of_frames = provenance.of_frames;
}

job::RenderJob job_of(const store::ImageReader& reader, const std::string& path) {
  std::vector<job::Given> given;
  for (const auto& option : job::render_options()) {
    if (!option.identity) continue;
    const std::string key(option.name);
    std::string value = text_of(reader, key, path);
    if (value.empty()) value = option.value_of_old_files;
    if (value.empty()) throw base::usage_error("{}: has no attribute '{}'", path, key);
    given.push_back({key, std::move(value), fmt::format("{}: attribute {}", path, key)});
  }
  job::RenderJob job = job::make_render_job(given);
  check_datasets(reader.header(), job, path);
  set_provenance(job, provenance_of(reader));
  return job;
}

}  // namespace tessera::post
