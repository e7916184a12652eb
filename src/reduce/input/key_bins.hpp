// Reads the bins of --bins.
#pragma once

#include <string>

#include "statistics/histogram.hpp"

namespace tessera::reduce {

/// Parses "LO,HI,N" or "edges=E,E,...", or reads the edges from a .npy file or a text file of
/// numbers. Throws a usage error if they are not at least two numbers that grow, and a missing
/// error if there is no file.
statistics::HistogramBins parse_bins(const std::string& text);

}  // namespace tessera::reduce
