#include "job/fingerprint.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "base/hash.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

/// The bits of the f64. Adding 0 turns -0, which renders the same pixels, into 0.
std::string exactly(double value) {
  return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(value + 0.0));
}

}  // namespace

std::string fingerprint(const RenderJob& job) {
  const ImageSpec& image = job.image;
  // By value, not by text: "0.5" and "0.50" are the same image.
  const std::string text = fmt::format(
      "arithmetic={};center={},{};width={};size={};iterations={};bailout={};fields={};tile={};"
      "filters={}",
      kArithmetic, exactly(image.center_re), exactly(image.center_im), exactly(image.width),
      format_size(image.size_px), image.iterations, exactly(image.bailout),
      format_fields(job.fields), job.tile_px, job.compress > 0 ? "shuffle,deflate" : "none");
  return fmt::format("{:016x}", base::fnv1a(text));
}

}  // namespace tessera::job
