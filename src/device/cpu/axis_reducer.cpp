// Reductions along axes: the piece is viewed as matrices, reshaped or transposed where needed, and
// these are reduced by the sums and passes over columns.
#include <algorithm>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/element.hpp"
#include "device/cpu/columns/axis_sums.hpp"
#include "device/cpu/columns/column_passes.hpp"
#include "device/cpu/columns/order_answers.hpp"
#include "device/cpu/cpu.hpp"
#include "device/cpu/cpu_target.hpp"
#include "device/cpu/passes/array_passes.hpp"
#include "statistics/matrix_views.hpp"
#include "statistics/operations.hpp"

namespace tessera::device::cpu {

namespace {

/// Matrices with fewer outputs are too narrow for vectors across outputs.
// crossed by: of_outputs_and_their_elements, integers_along_axes
constexpr std::int64_t kNarrow = 16;
/// Rows from about this length on are reduced one at a time.
// crossed by: of_outputs_and_their_elements, integers_along_axes
constexpr std::int64_t kLongRow = 2048;

class CpuAxisReducer : public AxisReducer {
 public:
  CpuAxisReducer(statistics::OutputSpec output_spec, const CpuTarget& target)
      : output_spec_(std::move(output_spec)),
        passes_(target.column_passes),
        widen_(target.passes.widen),
        sums_(output_spec_.spec, target.columns) {
    const statistics::ReductionSpec& spec = output_spec_.spec;
    const bool floating = base::is_floating(spec.type);
    // The sums count NaN and infinities themselves.
    counts_specials_ = floating && !sums_.any();
    passing_ = !floating || counts_specials_ || spec.extremes || spec.places || spec.nonzero;
  }

  void begin(std::int64_t outputs) override {
    outputs_ = outputs;
    sums_.begin(outputs);
    order_.begin(output_spec_.spec, counts_specials_, static_cast<std::size_t>(outputs));
    if (output_spec_.bins) {
      histogram_.assign(static_cast<std::size_t>(outputs) * output_spec_.bins->count(), 0);
    }
  }

  void add(const statistics::Elements& given, const plan::AxisPiece& piece) override {
    const std::span<const std::byte> elements = given.bytes();
    if (output_spec_.spec.type == base::ElementType::f16) {
      widened_.resize(elements.size() / 2);
      widen_(elements.data(), widened_);
      return add_elements(widened_.data(), piece);
    }
    base::with_element_type(output_spec_.spec.type, [&]<class T>(T) {
      add_elements(reinterpret_cast<const T*>(elements.data()), piece);
    });
  }

  bool answer(job::Operation operation, const statistics::AnswerParameters& parameters,
              std::span<std::byte> to) override {
    if (parameters.elements_each == 0) return false;
    if (statistics::meaning_of(operation).type == statistics::ResultType::bins) {
      std::ranges::copy(std::as_bytes(std::span(histogram_)), to.begin());
      return true;
    }
    const OrderedOutputs ordered{order_, counted().nans, output_spec_.spec.type,
                                 output_spec_.spec.skip_nan, parameters.elements_each};
    if (write_order(operation, ordered, to)) return true;
    reals_.resize(static_cast<std::size_t>(outputs_));
    again_.clear();
    if (!sums_.answer(operation, parameters, reals_, again_)) return false;
    for (std::int64_t o = 0; o < outputs_; ++o) {
      if (counted_of(o) > 0) again_.push_back(o);
    }
    for (const std::int64_t o : again_) {
      reals_[static_cast<std::size_t>(o)] = answer_slowly(operation, parameters, o);
    }
    std::ranges::copy(std::as_bytes(std::span(reals_)), to.begin());
    return true;
  }

  statistics::SpecialCounts specials() const override {
    const auto total = [](std::span<const std::int64_t> counts) {
      std::int64_t sum = 0;
      for (const std::int64_t count : counts) sum += count;
      return sum;
    };
    const Counted all = counted();
    return {total(all.nans), total(all.positive_infinities), total(all.negative_infinities)};
  }

  void finish(std::int64_t elements_each, statistics::OutputPartials& to) override {
    to.reset(output_spec_, outputs_);
    to.elements = elements_each;
    if (elements_each > 0) sums_.give(elements_each, to);
    order_.fold();
    const Counted all = counted();
    to.nans.assign(all.nans.begin(), all.nans.end());
    to.positive_infinities.assign(all.positive_infinities.begin(), all.positive_infinities.end());
    to.negative_infinities.assign(all.negative_infinities.begin(), all.negative_infinities.end());
    to.least = order_.least;
    to.greatest = order_.greatest;
    to.nonzero = order_.nonzero;
    to.first_nan = order_.first_nan;
    to.integers = order_.integers;
    to.histogram = histogram_;
    for (std::size_t o = 0; o < to.at_least.size(); ++o) {
      to.at_least[o] = {order_.at_least[o], order_.min_index[o]};
      to.at_greatest[o] = {order_.at_greatest[o], order_.greatest_index[o]};
    }
  }

 private:
  /// Counts for each output, or empty.
  struct Counted {
    std::span<const std::int64_t> nans, positive_infinities, negative_infinities;
  };
  Counted counted() const {
    if (counts_specials_) {
      return {order_.nans, order_.positive_infinities, order_.negative_infinities};
    }
    const ColumnSpecials& specials = sums_.specials();
    return {specials.nans, specials.positive_infinities, specials.negative_infinities};
  }
  /// Number of NaN and infinities of an output.
  std::int64_t counted_of(std::int64_t output) const {
    const Counted all = counted();
    const auto o = static_cast<std::size_t>(output);
    if (all.nans.empty()) return 0;
    return all.nans[o] + all.positive_infinities[o] + all.negative_infinities[o];
  }

  /// Computes the value of one output through a Partial.
  double answer_slowly(job::Operation operation, const statistics::AnswerParameters& parameters,
                       std::int64_t output) const {
    const Counted all = counted();
    const auto o = static_cast<std::size_t>(output);
    statistics::Partial one;
    one.elements = parameters.elements_each;
    if (!all.nans.empty()) {
      one.nans = all.nans[o];
      one.positive_infinities = all.positive_infinities[o];
      one.negative_infinities = all.negative_infinities[o];
    }
    if (one.nans < one.elements) sums_.describe(output, one);
    statistics::add_specials(output_spec_.spec, one);
    return statistics::answer(operation, one, output_spec_.spec, parameters.ddof)
        .front()
        .real.value();
  }

  template <class T>
  void add_elements(const T* elements, const plan::AxisPiece& piece) {
    statistics::for_each_view(piece, [&](const statistics::MatrixView& view) {
      const T* const x = elements + view.offset;
      if constexpr (std::is_floating_point_v<T>) {
        sums_.add(x, view);
      }
      if (passing_) add_passes(x, view);
      if (output_spec_.bins) count(x, view);
    });
  }

  template <class T>
  void add_passes(const T* x, const statistics::MatrixView& view) {
    const Matrix<T> whole{x, view.rows, view.columns, view.columns};
    if (view.by_rows) {
      if (view.columns >= kLongRow / 2 || view.rows < kNarrow / 2) {
        for (std::int64_t r = 0; r < view.rows; ++r) pass_long(x, view, r);
      } else {
        pass_transposed(x, view);
      }
      return;
    }
    pass(whole, {view.first_index, view.row_step, view.column_step}, order_,
         static_cast<std::size_t>(view.first_output));
  }

  template <class T>
  void pass(const Matrix<T>& m, const MatrixIndex& index, ColumnOrder& to, std::size_t first) {
    std::get<PassColumns<T>>(passes_.pass)(output_spec_.spec, m, index, to, first);
  }

  /// Passes one row as a matrix whose columns are virtual outputs, then merges these.
  template <class T>
  void pass_long(const T* x, const statistics::MatrixView& view, std::int64_t row) {
    // crossed by: of_outputs_and_their_elements, integers_along_axes
    constexpr std::int64_t kOutputs = 64;
    x += row * view.columns;
    const auto output = static_cast<std::size_t>(view.first_output + row);
    const std::int64_t step = view.column_step;
    const std::int64_t rows = view.columns / kOutputs;
    if (rows > 0) {
      part_order_.begin(output_spec_.spec, counts_specials_, kOutputs);
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

  /// Transposes blocks of short rows and passes them as columns.
  template <class T>
  void pass_transposed(const T* x, const statistics::MatrixView& view) {
    // crossed by: of_outputs_and_their_elements, integers_along_axes
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
  void count(const T* x, const statistics::MatrixView& view) {
    const std::size_t bins = output_spec_.bins->count();
    for (std::int64_t r = 0; r < view.rows; ++r) {
      for (std::int64_t c = 0; c < view.columns; ++c) {
        const std::size_t bin =
            output_spec_.bins->guess(static_cast<double>(x[r * view.columns + c]));
        if (bin == statistics::HistogramBins::kOutside) continue;
        const auto output = static_cast<std::size_t>(view.first_output + (view.by_rows ? r : c));
        ++histogram_[output * bins + bin];
      }
    }
  }

  statistics::OutputSpec output_spec_;
  ColumnPassSet passes_;
  WidenHalves widen_;
  AxisSums sums_;
  bool counts_specials_ = false;
  bool passing_ = false;
  std::int64_t outputs_ = 0;
  ColumnOrder order_;
  ColumnOrder part_order_;
  std::vector<std::int64_t> histogram_;
  std::vector<float> widened_;
  std::vector<double> reals_;
  std::vector<std::int64_t> again_;  ///< outputs whose values are computed one by one
  std::tuple<std::vector<std::int8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
             std::vector<std::int64_t>, std::vector<std::uint8_t>, std::vector<std::uint16_t>,
             std::vector<std::uint32_t>, std::vector<std::uint64_t>, std::vector<float>,
             std::vector<double>>
      turned_;
};

}  // namespace

std::unique_ptr<AxisReducer> make_axis_reducer(const statistics::OutputSpec& output_spec,
                                               const CpuTarget& target) {
  return std::make_unique<CpuAxisReducer>(output_spec, target);
}

}  // namespace tessera::device::cpu
