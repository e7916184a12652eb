// Functions that sum the columns or the rows of a matrix, for each instruction set.
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu/columns/windowed_columns.hpp"

namespace tessera::device::cpu {

/// rows x columns elements; the elements of a row are contiguous, rows begin `stride` elements
/// apart.
template <class T>
struct Matrix {
  const T* x = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;
};

template <class T>
using AddMatrix = void (*)(const Matrix<T>&, WindowedColumns& to, std::int64_t first);

template <class T>
struct ColumnKernels {
  AddMatrix<T> columns[3];  ///< add column c to output first + c; indexed by Terms
  AddMatrix<T> rows[3];     ///< add row r to output first + r
};

/// A variance, or its root, of n terms, with rest = n - ddof > 0.
struct Deviation {
  double n = 1;
  double rest = 1;
  bool root = false;
};

/// Computes the answers of all outputs, each rounded once. Outputs that need longer arithmetic are
/// appended to `again`. NaN and infinities are ignored.
struct ColumnRounding {
  void (*quotients)(const WindowedColumns& sums, std::uint64_t n, double* to,
                    std::vector<std::int64_t>& again);
  void (*roots)(const WindowedColumns& squares, double* to, std::vector<std::int64_t>& again);
  void (*deviations)(const WindowedColumns& sums, const WindowedColumns& squares,
                     const Deviation& asked, double* to, std::vector<std::int64_t>& again);
};

struct WindowedColumnKernels {
  ColumnKernels<double> f64;
  ColumnKernels<float> f32;
  ColumnRounding rounding;
};

/// The set of one of Highway's targets; each has a source of its own, so that they are compiled
/// side by side.
template <std::int64_t kTarget>
WindowedColumnKernels column_sum_set();

}  // namespace tessera::device::cpu
