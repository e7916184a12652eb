// Decimals that are moved by halves, quarters and so on of others, without rounding.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::deep {

/// unit * factor / 2^halvings as a normalized decimal. A negative number of halvings doubles.
std::string scaled_exactly(const std::string& unit, std::int64_t factor, int halvings);

/// start + unit * steps / 2^halvings as a normalized decimal.
std::string moved_exactly(const std::string& start, const std::string& unit, std::int64_t steps,
                          int halvings);

/// A factor, and how often it is taken.
struct Stride {
  double factor = 1;
  std::int64_t steps = 0;
};
/// start + unit * (the sum of factors times steps) / 2^halvings: without rounding if the factors
/// are whole numbers, otherwise to 10^-24 of unit / 2^halvings.
std::string moved_along(const std::string& start, const std::string& unit, const Stride& one,
                        const Stride& other, int halvings);

/// A decimal without an exponent, rounded to `places` digits behind the point.
std::string rounded(const std::string& decimal, std::int64_t places);

/// log2 of a decimal above 0, to 10^-9.
double log2_of(const std::string& decimal);

}  // namespace tessera::deep
