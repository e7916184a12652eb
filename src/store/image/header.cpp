#include "store/image/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/decimal.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "job/image/fingerprint.hpp"
#include "job/image/options.hpp"
#include "job/image/resolution.hpp"
#include "job/values.hpp"

namespace tessera::store {

namespace {

Attribute real(std::string name, double value) {
  return {std::move(name), fmt::format("{}", value), Attribute::Type::real};
}

/// The keys that decide what is stored, and the view. How the image was computed and what else was
/// made of it does not describe it.
Attributes describe_image(const job::RenderJob& job) {
  Attributes attributes;
  for (const auto& option : job::render_options()) {
    const bool describes = option.identity || option.scope == job::Scope::image;
    std::string text = option.get(job);
    // The job has the size of its picture, the file that of its data.
    if (option.name == "size") text = job::format_size(job.image.size_px);
    if (option.name == "arithmetic") text = job::arithmetic_name(job.image);
    if (!describes || text.empty()) continue;
    const Attribute::Type type = type_of(option.kind);
    if (type == Attribute::Type::real) {
      attributes.push_back(real(std::string(option.name), base::nearest_real(text, option.name)));
    } else {
      attributes.push_back({std::string(option.name), std::move(text), type});
    }
  }
  attributes.push_back(real("center_re", job.image.center_re));
  attributes.push_back(real("center_im", job.image.center_im));
  // The attribute `width` has only the digits of an f64.
  attributes.push_back({exact_key("width"), job.width_text});
  attributes.push_back({"counts", std::string(job::counts_text(job.image))});
  return attributes;
}

}  // namespace

Attribute::Type type_of(job::Kind kind) {
  if (kind == job::Kind::integer) return Attribute::Type::integer;
  return kind == job::Kind::number ? Attribute::Type::real : Attribute::Type::text;
}

ImageHeader make_header(const job::RenderJob& job) {
  ImageHeader header{
      .size_px = job.image.size_px, .tile_px = job.tile_px, .compress = job.compress};
  // A column has one real part, and a row one imaginary part, unless the picture is turned.
  const bool has_axes = job.image.matrix.b == 0 && job.image.matrix.c == 0;
  if (has_axes && job::distinguishes_pixels(job.image)) {
    header.re = {job.image.center_re, job.image.right_re()};
    header.im = {job.image.center_im, -job.image.up_im()};
  }
  for (const job::Field field : job.fields) {
    header.fields.emplace_back(field, job::field_type(job.image, field));
  }
  job::RenderJob decided = job;
  decided.tile_auto = false;
  decided.iterations_from = job::IterationsFrom::given;
  header.attributes = describe_image(decided);
  // The job has the size of its picture, the file that of its data.
  std::ranges::find(header.attributes, "size", &Attribute::name)->text =
      job::format_size(job.image.size_px);
  if (!job.defaults.empty()) header.attributes.push_back({"defaults", job.defaults});
  if (job.of_frames > 0) {
    header.attributes.push_back(
        {"frames", std::to_string(job.of_frames), Attribute::Type::integer});
  }
  header.attributes.insert(header.attributes.end(),
                           {{"fingerprint", job::fingerprint(job)},
                            {"tessera_version", std::string(base::version())},
                            {"tessera_commit", std::string(base::commit())}});
  return header;
}

}  // namespace tessera::store
