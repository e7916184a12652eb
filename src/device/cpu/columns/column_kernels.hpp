// Functions that sum the columns or the rows of a matrix, for each instruction set.
#pragma once

#include <cstdint>
#include <string>
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

/// Adds column c to output first + c.
template <class T>
using AddColumns = void (*)(const Matrix<T>&, WindowedColumns& to, std::int64_t first);

/// Elements of a row that the caller must add to `output` in another way.
template <class T>
struct RefusedRow {
  const T* x = nullptr;
  std::int64_t count = 0;
  std::int64_t output = 0;
};

/// Adds row r to output first + r. Parts of long rows that are better summed as columns are
/// appended to `refused`.
template <class T>
using AddRows = void (*)(const Matrix<T>&, WindowedColumns& to, std::int64_t first,
                         std::vector<RefusedRow<T>>& refused);

template <class T>
struct ColumnKernels {
  AddColumns<T> columns[3];  ///< indexed by Terms
  AddRows<T> rows[3];
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
  std::string name;  ///< "avx2": the part after "cpu:" in a device name
  ColumnKernels<double> f64;
  ColumnKernels<float> f32;
  ColumnRounding rounding;
};

/// The instruction sets of this build that this machine supports, best first. The last one runs
/// everywhere.
std::vector<WindowedColumnKernels> column_sum_sets();

}  // namespace tessera::device::cpu
