// Power, energy and the like of a GPU or of the cores, as the hardware reports them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

namespace tessera::base {

inline constexpr double kNotTold = std::numeric_limits<double>::quiet_NaN();

enum class Measure { power, temperature, clock, utilization, memory };

/// The name of each Measure, with its unit, in reports and traces.
inline constexpr std::array<std::string_view, 5> kMeasures = {
    "power_w", "temperature_c", "clock_hz", "utilization_ratio", "memory_bytes"};

/// A number for each Measure, in its unit; kNotTold where the hardware does not tell it.
using Measures = std::array<double, kMeasures.size()>;

struct Reading {
  double energy_j = kNotTold;  ///< since some time before; only differences mean something
  Measures now = {kNotTold, kNotTold, kNotTold, kNotTold, kNotTold};

  double& operator[](Measure measure) { return now[static_cast<std::size_t>(measure)]; }
  double operator[](Measure measure) const { return now[static_cast<std::size_t>(measure)]; }
};

inline bool is_told(double value) {
  return !std::isnan(value);
}

class Meter {
 public:
  virtual ~Meter() = default;
  /// One thread at a time; may block. Does not throw: what cannot be read is not told.
  virtual Reading read() = 0;
  /// From any thread: a read() that waits returns, and later ones tell nothing.
  virtual void end() {}
};

}  // namespace tessera::base
