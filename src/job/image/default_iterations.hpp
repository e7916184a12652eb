// The number of iterations where neither an option nor a view gives one: more at greater depth.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::job {

/// Iterations of a width of 1 or more, and more of them for each halving below.
inline constexpr std::uint64_t kFirstIterations = 1000;
inline constexpr std::uint64_t kIterationsOfHalving = 250;

/// 1000 and 250 more for each of `halvings`; no more than 1e9.
std::uint64_t default_iterations(double halvings);

/// The same for a width that parse_width() takes.
std::uint64_t default_iterations_of(std::string_view width);

/// log10 of a width that parse_width() takes, also of one below the range of f64.
double log10_of_width(std::string_view width);

}  // namespace tessera::job
