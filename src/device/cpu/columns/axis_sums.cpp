#include "device/cpu/columns/axis_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::device::cpu {

namespace {

/// If there are few columns, several consecutive rows are treated as one row of about as many
/// virtual outputs as have this many bytes. They are merged afterwards.
// crossed by: of_outputs_and_their_elements, of_few_rows_and_of_many, of_rows_that_are_long
constexpr std::int64_t kVirtualBytes = 256;
/// Fewer columns than this do not fill the vectors.
// crossed by: of_outputs_and_their_elements, of_few_rows_and_of_many, of_rows_that_are_long
constexpr std::int64_t kFewOutputs = 16;

/// Rows are summed this many at a time. What is left of them is summed as columns of virtual
/// outputs if it has at least kWorthFolding elements in a row.
// crossed by: of_outputs_and_their_elements, of_few_rows_and_of_many, of_rows_that_are_long
constexpr std::int64_t kRowsTogether = 8;
constexpr std::int64_t kWorthFolding = 512;

/// Whether there is a term other than -0.0 and NaN.
template <class T>
bool has_other_term(const Matrix<T>& m, std::int64_t column) {
  for (std::int64_t r = 0; r < m.rows; ++r) {
    const T x = m.x[r * m.stride + column];
    if (x == x && (x != 0 || !std::signbit(x))) return true;
  }
  return false;
}

}  // namespace

AxisSums::AxisSums(const statistics::ReductionSpec& spec, const WindowedColumnKernels& set)
    : kernels_(set.f64, set.f32), rounding_(set.rounding) {
  if (!base::is_floating(spec.type)) return;
  if (spec.sum) sums_.push_back({Terms::values});
  if (spec.absolute) sums_.push_back({Terms::magnitudes});
  if (spec.squares) sums_.push_back({Terms::squares});
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i].real = WindowedColumns(sums_[i].terms, i == 0 ? &specials_ : nullptr);
    sums_[i].part = WindowedColumns(sums_[i].terms, i == 0 ? &part_specials_ : nullptr);
  }
}

void AxisSums::begin(std::int64_t outputs) {
  outputs_ = outputs;
  specials_.clear();
  for (Sums& sums : sums_) sums.real.begin(outputs);
}

void AxisSums::add(const float* x, const statistics::MatrixView& view) {
  for (Sums& sums : sums_) add_to(sums, x, view);
}

void AxisSums::add(const double* x, const statistics::MatrixView& view) {
  for (Sums& sums : sums_) add_to(sums, x, view);
}

template <class T>
void AxisSums::add_to(Sums& sums, const T* x, const statistics::MatrixView& view) {
  const auto number = static_cast<std::size_t>(sums.terms);
  const auto& kernels = std::get<ColumnKernels<T>>(kernels_);
  const Matrix<T> whole{x, view.rows, view.columns, view.columns};
  if (view.by_rows) {
    const std::int64_t left = view.columns < kWorthFolding ? 0 : view.rows % kRowsTogether;
    const std::int64_t done = view.rows - left;
    kernels.rows[number]({x, done, view.columns, view.columns}, sums.real, view.first_output);
    for (std::int64_t r = done; r < view.rows; ++r) {
      add_long<T>(sums, {x + r * view.columns, view.columns, 1, 1}, view.first_output + r);
    }
  } else if (view.columns < kFewOutputs && view.rows >= 64) {
    add_long(sums, whole, view.first_output);
  } else {
    kernels.columns[number](whole, sums.real, view.first_output);
  }
}

/// Adds a matrix of few columns and many rows: several consecutive rows form one row of virtual
/// outputs.
template <class T>
void AxisSums::add_long(Sums& sums, const Matrix<T>& m, std::int64_t first) {
  const auto add =
      std::get<ColumnKernels<T>>(kernels_).columns[static_cast<std::size_t>(sums.terms)];
  // crossed by: of_outputs_and_their_elements, of_few_rows_and_of_many, of_rows_that_are_long
  constexpr std::int64_t kVirtual = kVirtualBytes / sizeof(T);
  const std::int64_t together = std::max<std::int64_t>(1, (kVirtual + m.columns - 1) / m.columns);
  const std::int64_t outputs = together * m.columns;
  const std::int64_t rows = m.rows / together;
  sums.part.begin_virtual(outputs, sums.real, first);
  part_specials_.clear();
  if (rows > 0) add({m.x, rows, outputs, outputs}, sums.part, 0);
  for (std::int64_t c = 0; c < m.columns; ++c) {
    const auto column = static_cast<std::size_t>(c);
    sums.real.fold(first + c, sums.part, column, static_cast<std::size_t>(m.columns));
    fold_specials(first + c, column, static_cast<std::size_t>(m.columns));
    if (has_other_term(m, c)) sums.real.mark_other(first + c);
  }
  const std::int64_t done = rows * together;
  if (done < m.rows) {
    add({m.x + done * m.stride, m.rows - done, m.columns, m.stride}, sums.real, first);
  }
}

void AxisSums::fold_specials(std::int64_t output, std::size_t first, std::size_t step) {
  if (part_specials_.none()) return;
  specials_.make_room(static_cast<std::size_t>(outputs_));
  for (auto member : {&ColumnSpecials::nans, &ColumnSpecials::positive_infinities,
                      &ColumnSpecials::negative_infinities}) {
    const std::vector<std::int64_t>& from = part_specials_.*member;
    for (std::size_t c = first; c < from.size(); c += step) {
      (specials_.*member)[static_cast<std::size_t>(output)] += from[c];
    }
  }
}

const WindowedColumns* AxisSums::sums_of(Terms terms) const {
  const auto sums = std::ranges::find(sums_, terms, &Sums::terms);
  return sums == sums_.end() ? nullptr : &sums->real;
}

bool AxisSums::answer(job::Operation operation, const statistics::AnswerParameters& parameters,
                      std::span<double> to, std::vector<std::int64_t>& again) const {
  using enum job::Operation;
  const auto n = static_cast<std::uint64_t>(parameters.elements_each);
  const std::int64_t rest = parameters.elements_each - parameters.ddof;
  const WindowedColumns* const values = sums_of(Terms::values);
  const WindowedColumns* const magnitudes = sums_of(Terms::magnitudes);
  const WindowedColumns* const squares = sums_of(Terms::squares);
  if ((operation == sum || operation == mean) && values != nullptr) {
    rounding_.quotients(*values, operation == mean ? n : 1, to.data(), again);
    return true;
  }
  if (operation == norm1 && magnitudes != nullptr) {
    rounding_.quotients(*magnitudes, 1, to.data(), again);
    return true;
  }
  if (operation == norm2 && squares != nullptr) {
    rounding_.roots(*squares, to.data(), again);
    return true;
  }
  if ((operation == var || operation == std) && values != nullptr && squares != nullptr) {
    if (rest <= 0) {
      std::ranges::fill(to, std::numeric_limits<double>::quiet_NaN());
      return true;
    }
    const Deviation asked{static_cast<double>(n), static_cast<double>(rest), operation == std};
    rounding_.deviations(*values, *squares, asked, to.data(), again);
    return true;
  }
  return false;
}

void AxisSums::describe(std::int64_t output, statistics::Partial& to) const {
  for (const Sums& sums : sums_) {
    if (sums.terms == Terms::values) sums.real.add_to(to.sum, output);
    if (sums.terms == Terms::magnitudes) sums.real.add_to(to.absolute, output);
    if (sums.terms == Terms::squares) sums.real.add_to(to.squares, output);
  }
}

void AxisSums::give(std::int64_t elements_each, statistics::OutputPartials& to) {
  for (Sums& sums : sums_) {
    if (sums.terms == Terms::values) sums.real.give(elements_each, specials_, to.sum);
    if (sums.terms == Terms::magnitudes) sums.real.give(elements_each, specials_, to.absolute);
    if (sums.terms == Terms::squares) sums.real.give(elements_each, specials_, to.squares);
  }
}

}  // namespace tessera::device::cpu
