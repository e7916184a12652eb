// Reductions over some axes: matrices of the piece, as they lie or in another shape, through the
// sums and passes of columns.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "device/axis_views.hpp"
#include "device/cpu/column_passes.hpp"
#include "device/cpu/column_sums.hpp"
#include "device/cpu/cpu.hpp"
#include "device/each_element.hpp"
#include "device/half.hpp"

namespace tessera::device::cpu {

namespace {

/// The set of that name, or the one that runs everywhere.
template <class Set>
Set find_set(const std::vector<Set>& sets, std::string_view name) {
  const auto set = std::ranges::find(sets, name, &Set::name);
  return set != sets.end() ? *set : sets.back();
}

/// Rows or columns of an output's elements, of which there are few outputs, are taken for so many
/// outputs, which are put together afterwards.
constexpr std::int64_t kFewVirtual = 32;

/// Fewer outputs than vectors are wide.
constexpr std::int64_t kNarrow = 16;
/// Elements of an output in a row that are worth it.
constexpr std::int64_t kLongRow = 2048;

class CpuAxisReducer : public AxisReducer {
 public:
  CpuAxisReducer(AxisGoal goal, const ColumnSumSet& sums, ColumnPassSet passes)
      : goal_(std::move(goal)), kernels_(sums.f64, sums.f32), passes_(std::move(passes)) {
    const ReductionSpec& spec = goal_.spec;
    const bool floating = base::is_floating(spec.type);
    if (floating && spec.sum) sums_.push_back({Terms::values});
    if (floating && spec.absolute) sums_.push_back({Terms::magnitudes});
    if (floating && spec.squares) sums_.push_back({Terms::squares});
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i].real = ColumnSums(sums_[i].terms, i == 0 ? &specials_ : nullptr);
      sums_[i].part = ColumnSums(sums_[i].terms, i == 0 ? &part_specials_ : nullptr);
    }
    // The sums find out themselves what is not finite.
    counts_specials_ = floating && sums_.empty();
    passing_ = !floating || counts_specials_ || spec.extremes || spec.places || spec.nonzero;
  }

  void begin(std::int64_t outputs) override {
    outputs_ = outputs;
    specials_.clear();
    for (Sums& sums : sums_) sums.real.begin(outputs);
    order_.begin(goal_.spec, counts_specials_, static_cast<std::size_t>(outputs));
    if (goal_.bins) {
      histogram_.assign(static_cast<std::size_t>(outputs) * goal_.bins->count(), 0);
    }
  }

  void add(std::span<const std::byte> elements, const plan::AxisPiece& piece) override {
    if (goal_.spec.type == base::ElementType::f16) {
      widened_.resize(elements.size() / 2);
      for (std::size_t i = 0; i < widened_.size(); ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, elements.data() + 2 * i, 2);
        widened_[i] = widen_half(half);
      }
      return add_elements(widened_.data(), piece);
    }
    with_element_type(goal_.spec.type, [&]<class T>(T) {
      add_elements(reinterpret_cast<const T*>(elements.data()), piece);
    });
  }

  bool answer(job::Operation operation, std::int64_t elements_each,
              std::span<std::byte> to) const override {
    const bool sum = operation == job::Operation::sum && base::is_floating(goal_.spec.type);
    const bool mean = operation == job::Operation::mean && base::is_floating(goal_.spec.type);
    if (!(sum || mean) || elements_each == 0 || !specials_.none()) return false;
    const ColumnSums& sums = sums_.front().real;
    const auto divisor = mean ? static_cast<std::uint64_t>(elements_each) : std::uint64_t{1};
    for (std::int64_t o = 0; o < outputs_; ++o) {
      double value = 0;
      if (!sums.round_quotient(o, divisor, value)) return false;
      std::memcpy(to.data() + static_cast<std::size_t>(o) * sizeof value, &value, sizeof value);
    }
    return true;
  }

  SpecialCounts specials() const override {
    const auto total = [](const std::vector<std::int64_t>& counts) {
      std::int64_t sum = 0;
      for (const std::int64_t count : counts) sum += count;
      return sum;
    };
    if (counts_specials_) {
      return {total(order_.nans), total(order_.positive_infinities),
              total(order_.negative_infinities)};
    }
    return {total(specials_.nans), total(specials_.positive_infinities),
            total(specials_.negative_infinities)};
  }

  void finish(std::int64_t elements_each, AxisPartials& to) override {
    to.reset(goal_, outputs_);
    to.elements = elements_each;
    for (Sums& sums : sums_) {
      if (elements_each == 0) break;
      if (sums.terms == Terms::values) sums.real.give(elements_each, specials_, to.sum);
      if (sums.terms == Terms::magnitudes) sums.real.give(elements_each, specials_, to.absolute);
      if (sums.terms == Terms::squares) sums.real.give(elements_each, specials_, to.squares);
    }
    order_.fold();
    const ColumnSpecials ordered{order_.nans, order_.positive_infinities,
                                 order_.negative_infinities};
    const ColumnSpecials& counted = counts_specials_ ? ordered : specials_;
    to.nans = counted.nans;
    to.positive_infinities = counted.positive_infinities;
    to.negative_infinities = counted.negative_infinities;
    to.least = order_.least;
    to.greatest = order_.greatest;
    to.nonzero = order_.nonzero;
    to.first_nan = order_.first_nan;
    to.integers = order_.integers;
    to.histogram = histogram_;
    for (std::size_t o = 0; o < to.at_least.size(); ++o) {
      to.at_least[o] = {order_.at_least[o], order_.least_index[o]};
      to.at_greatest[o] = {order_.at_greatest[o], order_.greatest_index[o]};
    }
  }

 private:
  struct Sums {
    Terms terms = Terms::values;
    ColumnSums real;
    ColumnSums part;  ///< of virtual outputs
  };

  template <class T>
  void add_elements(const T* elements, const plan::AxisPiece& piece) {
    for_each_view(piece, [&](const AxisView& view) {
      const T* const x = elements + view.offset;
      if constexpr (std::is_floating_point_v<T>) {
        for (Sums& sums : sums_) add_sums(x, view, sums);
      }
      if (passing_) add_passes(x, view);
      if (goal_.bins) count(x, view);
    });
  }

  template <class T>
  void add_sums(const T* x, const AxisView& view, Sums& sums) {
    const auto number = static_cast<std::size_t>(sums.terms);
    const auto& kernels = std::get<ColumnKernels<T>>(kernels_);
    const Matrix<T> whole{x, view.rows, view.columns, view.columns};
    if (view.by_rows && (view.columns >= kLongRow || view.rows < kNarrow / 2)) {
      for (std::int64_t r = 0; r < view.rows; ++r) {
        add_long<T>({x + r * view.columns, view.columns, 1, 1}, view.first_output + r, sums);
      }
    } else if (!view.by_rows && view.columns < kNarrow && view.rows >= 2 * kFewVirtual) {
      add_long(whole, view.first_output, sums);
    } else {
      (view.by_rows ? kernels.rows : kernels.columns)[number](whole, sums.real, view.first_output);
    }
  }

  /// A matrix of few columns and many rows: some rows in a row as one row of more outputs.
  template <class T>
  void add_long(const Matrix<T>& m, std::int64_t first, Sums& sums) {
    const auto add =
        std::get<ColumnKernels<T>>(kernels_).columns[static_cast<std::size_t>(sums.terms)];
    const std::int64_t together =
        std::max<std::int64_t>(1, (kFewVirtual + m.columns - 1) / m.columns);
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

  void fold_specials(std::int64_t output, std::size_t first, std::size_t step) {
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

  /// Besides -0.0 and NaN.
  template <class T>
  static bool has_other_term(const Matrix<T>& m, std::int64_t column) {
    for (std::int64_t r = 0; r < m.rows; ++r) {
      const T x = m.x[r * m.stride + column];
      if (x == x && (x != 0 || !std::signbit(x))) return true;
    }
    return false;
  }

  template <class T>
  void add_passes(const T* x, const AxisView& view) {
    const Matrix<T> whole{x, view.rows, view.columns, view.columns};
    if (view.by_rows) {
      if (view.columns >= kLongRow / 2 || view.rows < kNarrow / 2) {
        for (std::int64_t r = 0; r < view.rows; ++r) pass_long(x, view, r);
      } else {
        pass_turned(x, view);
      }
      return;
    }
    pass(whole, {view.first_index, view.row_step, view.column_step}, order_,
         static_cast<std::size_t>(view.first_output));
  }

  template <class T>
  void pass(const Matrix<T>& m, const MatrixIndex& index, ColumnOrder& to, std::size_t first) {
    std::get<PassColumns<T>>(passes_.pass)(goal_.spec, m, index, to, first);
  }

  /// One row, as many rows of virtual outputs.
  template <class T>
  void pass_long(const T* x, const AxisView& view, std::int64_t row) {
    constexpr std::int64_t kOutputs = 64;
    x += row * view.columns;
    const auto output = static_cast<std::size_t>(view.first_output + row);
    const std::int64_t step = view.column_step;
    const std::int64_t rows = view.columns / kOutputs;
    if (rows > 0) {
      part_order_.begin(goal_.spec, counts_specials_, kOutputs);
      pass<T>({x, rows, kOutputs, kOutputs}, {view.first_index, kOutputs * step, step}, part_order_,
              0);
      part_order_.fold();
      for (std::size_t c = 0; c < kOutputs; ++c) order_.merge(output, part_order_, c);
    }
    const std::int64_t done = rows * kOutputs;
    if (done == view.columns) return;
    pass<T>({x + done, view.columns - done, 1, 1}, {view.first_index + done * step, step, 0},
            order_, output);
  }

  /// Many short rows, some of them at a time turned into columns.
  template <class T>
  void pass_turned(const T* x, const AxisView& view) {
    constexpr std::int64_t kSide = 64;
    auto& turned = std::get<std::vector<T>>(turned_);
    turned.resize(static_cast<std::size_t>(kSide * kSide));
    for (std::int64_t r = 0; r < view.rows; r += kSide) {
      const std::int64_t outputs = std::min(kSide, view.rows - r);
      for (std::int64_t c = 0; c < view.columns; c += kSide) {
        const std::int64_t terms = std::min(kSide, view.columns - c);
        for (std::int64_t o = 0; o < outputs; ++o) {
          const T* const from = x + (r + o) * view.columns + c;
          for (std::int64_t i = 0; i < terms; ++i) {
            turned[static_cast<std::size_t>(i * kSide + o)] = from[i];
          }
        }
        pass<T>({turned.data(), terms, outputs, kSide},
                {view.first_index + c * view.column_step, view.column_step, 0}, order_,
                static_cast<std::size_t>(view.first_output + r));
      }
    }
  }

  template <class T>
  void count(const T* x, const AxisView& view) {
    const std::size_t bins = goal_.bins->count();
    for (std::int64_t r = 0; r < view.rows; ++r) {
      for (std::int64_t c = 0; c < view.columns; ++c) {
        const std::size_t bin = goal_.bins->guess(static_cast<double>(x[r * view.columns + c]));
        if (bin == HistogramBins::kOutside) continue;
        const auto output = static_cast<std::size_t>(view.first_output + (view.by_rows ? r : c));
        ++histogram_[output * bins + bin];
      }
    }
  }

  AxisGoal goal_;
  std::tuple<ColumnKernels<double>, ColumnKernels<float>> kernels_;
  ColumnPassSet passes_;
  bool counts_specials_ = false;
  bool passing_ = false;
  std::int64_t outputs_ = 0;
  std::vector<Sums> sums_;
  ColumnSpecials specials_;
  ColumnSpecials part_specials_;
  ColumnOrder order_;
  ColumnOrder part_order_;
  std::vector<std::int64_t> histogram_;
  std::vector<float> widened_;
  std::tuple<std::vector<std::int8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
             std::vector<std::int64_t>, std::vector<std::uint8_t>, std::vector<std::uint16_t>,
             std::vector<std::uint32_t>, std::vector<std::uint64_t>, std::vector<float>,
             std::vector<double>>
      turned_;
};

}  // namespace

std::unique_ptr<AxisReducer> make_axis_reducer(const AxisGoal& goal, std::string_view set_name) {
  return std::make_unique<CpuAxisReducer>(goal, find_set(column_sum_sets(), set_name),
                                          find_set(column_pass_sets(), set_name));
}

}  // namespace tessera::device::cpu
