// Loops as somebody writes them by hand: vectors in four chains, in the numbers' own type. Exact
// sums and expressions are measured against these, on one core.
#pragma once

#include <cstddef>

namespace tessera::bench {

/// Each `count` is a multiple of four vectors.
template <class T>
struct PlainLoops {
  double (*sum)(const T* x, std::size_t count);
  /// The sum and the sum of squares, added up so that neither is left out.
  double (*moments)(const T* x, std::size_t count);
  double (*dot)(const T* x, const T* y, std::size_t count);
  /// The sums of columns: a multiple of two vectors of them, and of eight rows.
  void (*column_sums)(const T* x, std::size_t rows, std::size_t columns, T* sums);
  double (*sum_of_products)(const T* a, const T* b, std::size_t count);  ///< sum of a*b + 1
  double (*largest_root)(const T* u, const T* v, std::size_t count);     ///< max of sqrt(u*u + v*v)
  double (*largest)(const T* x, std::size_t count);
};

/// Those of the best instruction set. `T`: double or float.
template <class T>
const PlainLoops<T>& plain_loops();

}  // namespace tessera::bench
