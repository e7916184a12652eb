// Sums of the columns of a matrix, or of its rows, in the code of one instruction set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/cpu/columns/windowed_columns.hpp"

namespace tessera::device::cpu {

/// rows x columns elements; one of a row follows the other, rows begin `stride` elements apart.
template <class T>
struct Matrix {
  const T* x = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;
};

/// Column c to output first + c.
template <class T>
using AddColumns = void (*)(const Matrix<T>&, WindowedColumns& to, std::int64_t first);

/// Elements that are to be added to an output, by another way than that of rows.
template <class T>
struct RefusedRow {
  const T* x = nullptr;
  std::int64_t count = 0;
  std::int64_t output = 0;
};

/// Row r to output first + r, but for parts of long rows that are better added up as columns: those
/// it appends to `refused`.
template <class T>
using AddRows = void (*)(const Matrix<T>&, WindowedColumns& to, std::int64_t first,
                         std::vector<RefusedRow<T>>& refused);

template <class T>
struct ColumnKernels {
  AddColumns<T> columns[3];  ///< by Terms
  AddRows<T> rows[3];
};

/// Variances, or their roots, of n terms each, of which `rest` = n - ddof > 0.
struct Deviation {
  double n = 1;
  double rest = 1;
  bool root = false;
};

/// Answers about all outputs, each rounded once; outputs for which that takes longer arithmetic are
/// appended to `again`. What is not finite is not looked at.
struct ColumnRounding {
  void (*quotients)(const WindowedColumns& sums, std::uint64_t n, double* to,
                    std::vector<std::int64_t>& again);
  void (*roots)(const WindowedColumns& squares, double* to, std::vector<std::int64_t>& again);
  void (*deviations)(const WindowedColumns& sums, const WindowedColumns& squares,
                     const Deviation& asked, double* to, std::vector<std::int64_t>& again);
};

struct WindowedColumnKernels {
  std::string name;  ///< "avx2": what follows "cpu:"
  ColumnKernels<double> f64;
  ColumnKernels<float> f32;
  ColumnRounding rounding;
};

/// Those of this build that this machine can run, best first; the last one runs everywhere.
std::vector<WindowedColumnKernels> column_sum_sets();

/// The set of one of Highway's targets; each has a source of its own, so that they are compiled
/// side by side.
template <std::int64_t kTarget>
WindowedColumnKernels column_sum_set();

}  // namespace tessera::device::cpu
