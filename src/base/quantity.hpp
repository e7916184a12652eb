// Parses whole numbers and times as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::base {

/// A whole number in [low, high]: "10000", "1e4", "1.5e6", "10k"; k, M and G are powers of 1000.
/// Throws a usage error that starts with `what` otherwise.
std::int64_t parse_count(std::string_view text, std::string_view what, std::int64_t low,
                         std::int64_t high);

/// Seconds: "90", "1.5", or numbers with units d, h, m (or min) and s: "1h30m", "2 min". Throws a
/// usage error that starts with `what` for anything else and below 0.
double parse_duration(std::string_view text, std::string_view what);

}  // namespace tessera::base
