// The parts of opening a device and the time of each, for reports. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace tessera::device {

enum class OpeningPart : std::uint8_t { process, driver, list, context, kernels, memory };
/// Also keys of the JSON report, with "_s" behind them.
inline constexpr std::array<std::string_view, 6> kOpeningParts = {"process", "driver",  "list",
                                                                  "context", "kernels", "memory"};

/// Times are those of base::Clock, which all processes of a machine share.
struct OpeningSpan {
  OpeningPart part = OpeningPart::process;
  base::Clock::time_point start;
  base::Clock::time_point end;
};

using Opening = std::vector<OpeningSpan>;

/// Returns work() and adds its time to `opening`; also of work that throws.
template <class Work>
auto timed(Opening& opening, OpeningPart part, const Work& work) {
  struct Note {
    Opening& opening;
    OpeningPart part;
    base::Clock::time_point start = base::Clock::now();
    ~Note() { opening.push_back({part, start, base::Clock::now()}); }
  } note{opening, part};
  return work();
}

}  // namespace tessera::device
