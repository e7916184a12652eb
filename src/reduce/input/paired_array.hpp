// Two arrays as one of pairs: x and y of each element one behind the other, as f64.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// How an array that does not fit is refused.
struct Misfit {
  std::string what;  ///< begins the message
  /// What to do, behind the message; "" = nothing.
  std::string (*advice)(const store::ArraySource& x, const store::ArraySource& own) = nullptr;
  bool by_names = false;  ///< its dimensions must be those of x with their names
};

/// Whether its dimensions have names, and not those that are made up where there are none.
bool says_where(const store::ArraySource& array);

/// For each dimension of `own`, that of `x` in which it lies: the one of its name if all have one
/// in `x`, otherwise the last ones, as NumPy broadcasts. Throws a usage error if the shapes do not
/// fit.
std::vector<std::size_t> places_in(const store::ArraySource& x, const store::ArraySource& own,
                                   const Misfit& misfit);

/// The array that a job with pairs reduces (job::pairing_of()): of the shape of `x` and a last
/// dimension of 2. y is --with or --weights, repeated to the shape of x. Pairs of which an element
/// is missing are statistics::kNoPair. Reading throws base::Error for integers that f64 cannot
/// hold, and for weights that are missing, not finite, or, of quantiles, negative.
std::unique_ptr<store::ArraySource> open_pairs(const job::ReduceJob& job,
                                               std::unique_ptr<store::ArraySource> x,
                                               std::int64_t piece_bytes);

}  // namespace tessera::reduce
