#include "job/image/fingerprint.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "base/decimal.hpp"
#include "base/hash.hpp"
#include "job/image/options.hpp"

namespace tessera::job {

namespace {

/// The bits of the f64. Adding 0 turns -0, which renders the same pixels, into 0.
std::string bits_of(double value) {
  return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(value + 0.0));
}

}  // namespace

std::string number_identity(double value, std::string_view normalized) {
  const bool shortest = base::normalized_decimal(fmt::format("{}", value + 0.0)) == normalized;
  return shortest ? bits_of(value) : fmt::format("{}~{}", bits_of(value), normalized);
}

std::string_view counts_text(const ImageSpec& image) {
  if (image.bounded())
    return "exact by a proven bound of all rounding errors, except undecided_pixels";
  if (!image.deep() && !can_be_deep(image.formula)) return "of orbits rounded to f64";
  if (!image.deep()) return "of orbits rounded to f64; --arithmetic exact counts exactly";
  if (!image.exact) return "exact, except where f64 leaves them open";
  if (image.interior != Interior::proven)
    return "exact, except where a derivative tells the inside";
  return "exact, as far as a bound of all rounding errors tells";
}

std::string fingerprint(const RenderJob& job) {
  std::string text = fmt::format("arithmetic={}", arithmetic_name(job.image));
  for (const auto& option : render_options()) {
    if (!option.identity) continue;
    if (const std::string part = option.identity(job); !part.empty()) text += ";" + part;
  }
  return fmt::format("{:016x}", base::fnv1a(text));
}

}  // namespace tessera::job
