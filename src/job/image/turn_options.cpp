#include "job/image/turn_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "job/image/fingerprint.hpp"
#include "job/run_options.hpp"
#include "plane/decimals.hpp"
#include "plane/matrix.hpp"

namespace tessera::job {

namespace {

using TurnText = std::string_view;

/// Up to here, a determinant counts as 1: the four f64 are then the matrix.
bool has_unit_determinant(const plane::ExactMatrix& m) {
  constexpr double kRounding = 0x1p-50;
  const double size = std::abs(m.determinant().nearest());
  const double terms = std::abs((m.a * m.d).nearest()) + std::abs((m.b * m.c).nearest());
  return std::abs(size - 1) <= kRounding * terms;
}

void set_matrix(RenderJob& job, TurnText text, TurnText what) {
  const std::vector<std::string> parts = base::split(text, ',');
  if (parts.size() != 4)
    throw base::usage_error("{}: '{}' is not four numbers A,B,C,D", what, text);
  for (const std::string& part : parts) base::parse_real(part, what);
  const auto number = [&](std::size_t i) { return plane::Real(parts[i]); };
  const plane::ExactMatrix given{number(0), number(1), number(2), number(3)};
  plane::Real scale = 1;
  job.image.matrix =
      plane::Matrix{given.a.nearest(), given.b.nearest(), given.c.nearest(), given.d.nearest()};
  const bool is_moderate = plane::largest_stretch(job.image.matrix) <= plane::kMaxStretch;
  if (!is_moderate || !has_unit_determinant(given))
    job.image.matrix = plane::rounded(given, &scale, what);
  job.turn.scale = plane::decimal_of(scale);
}

void set_rotation(RenderJob& job, TurnText text, TurnText what) {
  base::parse_real(text, what);
  job.turn.rotate = base::trim(text);
}

/// "F" or "F@DEG".
void set_stretch(RenderJob& job, TurnText text, TurnText what) {
  const std::size_t mark = std::min(text.find('@'), text.size());
  const TurnText factor = text.substr(0, mark);
  if (base::parse_real(factor, what) <= 0) {
    throw base::usage_error("{}: '{}' is not above 0", what, factor);
  }
  job.turn.stretch = base::trim(factor);
  job.turn.stretch_at = "0";
  if (mark == text.size()) return;
  base::parse_real(text.substr(mark + 1), what);
  job.turn.stretch_at = base::trim(text.substr(mark + 1));
}

std::string matrix_bits(double value) {
  return number_identity(value, base::normalized_decimal(fmt::format("{}", value)));
}

std::string matrix_text(const RenderJob& job) {
  return job.image.matrix.is_identity() ? "" : plane::text_of(job.image.matrix);
}

std::string matrix_identity(const RenderJob& job) {
  const plane::Matrix& m = job.image.matrix;
  if (m.is_identity()) return "";
  return fmt::format("matrix={},{},{},{}", matrix_bits(m.a), matrix_bits(m.b), matrix_bits(m.c),
                     matrix_bits(m.d));
}

std::string no_text(const RenderJob&) {
  return "";
}

}  // namespace

std::vector<Option<RenderJob>> turn_options() {
  std::vector<Option<RenderJob>> options;
  options.push_back({"matrix", "A,B,C,D",
                     "a pixel u right of the centre and v above it is the point centre + step "
                     "(A u + B v, C u + D v); a scale goes into the width",
                     Scope::image, Kind::list, set_matrix, matrix_text, matrix_identity,
                     "1,0,0,1"});
  options.push_back({"rotate", "DEG",
                     "turn the picture: its right points DEG degrees anticlockwise in the plane",
                     Scope::image, Kind::number, set_rotation, no_text});
  options.push_back({"stretch", "F[@DEG]",
                     "show F times as much of the plane along DEG [0] as without, and 1 / F across",
                     Scope::image, Kind::text, set_stretch, no_text});
  Option<RenderJob> mirror = toggle<RenderJob>(
      {"mirror", "", "show the picture upside down, as its mirror image", Scope::image},
      &RenderJob::mirror);
  mirror.get = no_text;
  options.push_back(std::move(mirror));
  return options;
}

}  // namespace tessera::job
