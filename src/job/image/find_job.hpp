// A job of `tessera find`, which looks for a nucleus or a Misiurewicz point.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/geometry.hpp"
#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

/// Where a picture is on the way to a minibrot: its width is a mean of both widths.
struct Stop {
  std::string_view name;
  double part;                 ///< of the way, in powers
  std::int64_t of_iterations;  ///< of a period
};

/// A pixel of a picture.
struct Pixel {
  std::int64_t x = 0, y = 0;
};

struct FindJob : RunSpec {
  std::string re, im;          ///< of --near; "" = not given
  std::string view, from;      ///< instead of it
  std::optional<Pixel> pixel;  ///< of the picture of `from`
  std::string width;           ///< of the neighbourhood; "" = that of the place
  std::string formula;         ///< "" = that of the place
  bool misiurewicz = false;
  std::int64_t max_period = 10'000'000;
  std::int64_t places = 0;  ///< decimal places of the result, at least
  std::string to = "mini";
  bool film = false;  ///< of a zoom to it, from the whole set on
  std::optional<base::ImageSize> size_px;
};

std::span<const Option<FindJob>> find_options();

/// Checks combinations of options.
FindJob make_find_job(std::span<const Given> given);

/// Of FindJob::to.
const Stop& stop_of(const FindJob& job);

}  // namespace tessera::job
