// Reductions block by block. Each requested quantity is a vectorized pass over a block that is in
// the cache.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/element.hpp"
#include "device/cpu/cpu.hpp"
#include "device/cpu/cpu_target.hpp"
#include "device/cpu/passes/array_extremes.hpp"
#include "device/cpu/passes/array_passes.hpp"
#include "device/cpu/passes/array_places.hpp"
#include "device/cpu/passes/bin_counter.hpp"
#include "device/cpu/passes/key_tallier.hpp"
#include "device/cpu/sums/exact_sum.hpp"
#include "device/cpu/sums/pair_products.hpp"
#include "device/kernel_fault.hpp"

namespace tessera::device::cpu {

namespace {

class ArrayReducer : public Reducer {
 public:
  ArrayReducer(const statistics::ReductionSpec& spec, const CpuTarget& target)
      : spec_(spec),
        sums_(target.sums.f64, target.sums.f32),
        extremes_(target.extremes),
        passes_(target.passes),
        pairs_(target.sums.f64.dot, target.sums.f32.dot),
        bins_(target.bins),
        keys_(target.keys) {}

  void reduce(const statistics::Elements& given, const statistics::Indexing& indexing,
              statistics::Partial& partial) override {
    const std::span<const std::byte> elements = given.bytes();
    fail_if_ordered("device.kernel.cpu");
    if (spec_.type == base::ElementType::f16) {
      return each_widened(elements, [&](std::span<const float> some, std::size_t first) {
        block(some, first, indexing, partial);
      });
    }
    base::with_element_type(spec_.type,
                            [&]<class T>(T) { blocks<T>(elements, indexing, partial); });
  }
  void add_pairs(const statistics::Elements& x, const statistics::Elements& y,
                 const statistics::ReductionSpec& spec, statistics::PairSums& sums) override {
    pairs_.add(x.bytes(), y.bytes(), spec, sums);
  }
  void count(const statistics::Elements& given, const statistics::HistogramBins& bins,
             std::span<std::int64_t> counts) override {
    const std::span<const std::byte> elements = given.bytes();
    if (spec_.type == base::ElementType::f16) {
      return each_widened(elements, [&](std::span<const float> some, std::size_t) {
        bins_.count(some, bins, counts);
      });
    }
    base::with_element_type(spec_.type, [&]<class T>(T) {
      bins_.count(
          std::span(reinterpret_cast<const T*>(elements.data()), elements.size() / sizeof(T)), bins,
          counts);
    });
  }
  void tally(const statistics::Elements& given, const statistics::Indexing& indexing,
             const statistics::KeyRequest& request, statistics::KeyTally& tally) override {
    keys_.tally(given.bytes(), spec_.type, extremes_, indexing, request, tally);
  }

 private:
  // crossed by: integers_of_16_bits, integers_of_32_bits, of_blocks_of_passes
  static constexpr std::size_t kLongBlockBytes = std::size_t{1} << 20;

  template <class T>
  void blocks(std::span<const std::byte> elements, const statistics::Indexing& indexing,
              statistics::Partial& partial) {
    const std::span values(reinterpret_cast<const T*>(elements.data()),
                           elements.size() / sizeof(T));
    // Sums have a cost per block, since they inspect its first elements. Blocks are long unless
    // other passes need the block in the cache.
    const bool sums_alone = !(spec_.extremes || spec_.places || spec_.nonzero);
    const std::size_t most = sums_alone ? kLongBlockBytes / sizeof(T) : kBlock;
    for (std::size_t first = 0; first < values.size(); first += most) {
      block(values.subspan(first, std::min(most, values.size() - first)), first, indexing, partial);
    }
  }

  /// Calls work(block, index of its first element) for blocks of f16, converted to f32.
  template <class Work>
  void each_widened(std::span<const std::byte> elements, const Work& work) {
    const std::size_t count = elements.size() / 2;
    for (std::size_t first = 0; first < count; first += kBlock) {
      widened_.resize(std::min(kBlock, count - first));
      passes_.widen(elements.data() + 2 * first, widened_);
      work(std::span<const float>(widened_), first);
    }
  }

  template <class T>
  void block(std::span<const T> values, std::size_t first, const statistics::Indexing& indexing,
             statistics::Partial& partial) {
    partial.elements += static_cast<std::int64_t>(values.size());
    std::span<const T> numbers = values;  // without NaN
    std::optional<Extremes<T>> found;     // of the numbers
    if constexpr (std::is_floating_point_v<T>) {
      numbers = add_reals(values, first, indexing, partial, found);
    } else {
      const auto& passes = std::get<IntegerPasses<T>>(passes_.integers);
      if (spec_.sum) partial.integers.sum += passes.sum(values);
      if (spec_.absolute) partial.integers.absolute += passes.absolute(values);
      if (spec_.squares) passes.add_squares(values, partial.integers);
    }
    const std::span<const T> counted = spec_.skip_nan ? numbers : values;
    if (spec_.nonzero) partial.nonzero += passes_of<T>().count_nonzero(counted);
    if (spec_.product) multiply(counted, partial.product);
    if (numbers.empty() || !(spec_.extremes || spec_.places)) return;
    if (!found) found = std::get<FindExtremes<T>>(extremes_.find)(numbers);
    if (spec_.places) offer_places(*found, values, first, indexing, partial);
    if (spec_.extremes) {
      if constexpr (std::is_floating_point_v<T>) {
        sign_zeros(*found, numbers, passes_of<T>().has_zero);
      }
      partial.least = std::min(partial.least, real_key_of(found->least));
      partial.greatest = std::max(partial.greatest, real_key_of(found->greatest));
    }
  }

  template <class T>
  const auto& passes_of() const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::get<RealPasses<T>>(passes_.reals);
    } else {
      return std::get<IntegerPasses<T>>(passes_.integers);
    }
  }

  template <class T>
  static void multiply(std::span<const T> values, kernels::Product& to) {
    const kernels::LogTable& table = kernels::LogTable::get();
    kernels::Product product = to;  // a local copy stays in registers
    for (const T x : values) product.add(static_cast<double>(x), table);
    to = product;
  }

  /// Counts NaN and infinities; returns the values without NaN.
  template <class T>
  std::span<const T> remove_nans(std::span<const T> values, std::size_t first,
                                 const statistics::Indexing& indexing,
                                 statistics::Partial& partial) {
    auto& kept = std::get<std::vector<T>>(kept_);
    const Infinities found = passes_of<T>().keep_numbers(values, kept);
    partial.positive_infinities += found.positive;
    partial.negative_infinities += found.negative;
    const auto nans = static_cast<std::int64_t>(values.size() - kept.size());
    partial.nans += nans;
    had_nans_ = nans > 0;
    if (nans == 0) return values;
    if (spec_.places) {
      const auto is_nan = [](T x) { return std::isnan(x); };
      partial.first_nan = std::min(partial.first_nan, index_of<T>(is_nan, values, first, indexing));
    }
    return kept;
  }

  /// Counts NaN and infinities, and adds to the sums. Returns the values without NaN. Sets `found`
  /// to their extremes if the sums compute them anyway.
  template <class T>
  std::span<const T> add_reals(std::span<const T> values, std::size_t first,
                               const statistics::Indexing& indexing, statistics::Partial& partial,
                               std::optional<Extremes<T>>& found) {
    const bool summed = spec_.sum || spec_.absolute || spec_.squares;
    if (!summed) {
      const bool finite = std::get<AreFinite<T>>(extremes_.finite)(values);
      return finite ? values : remove_nans(values, first, indexing, partial);
    }
    if (had_nans_) return add_without_nans(values, first, indexing, partial, found);
    // The sums detect NaN and infinities without an extra pass. If they find NaN that must be
    // skipped, the sums are restored and computed again.
    const RealSums before{partial.sum, partial.absolute, partial.squares};
    if ((spec_.extremes || spec_.places) && spec_.sum) found = {values[0], values[0]};
    add_terms(values, partial, found ? &*found : nullptr);
    if (specials_of(partial) == specials_of(before)) return values;
    const auto numbers = remove_nans(values, first, indexing, partial);
    if (numbers.size() < values.size()) found.reset();
    if (spec_.skip_nan && numbers.size() < values.size()) {
      partial.sum = before.sum;
      partial.absolute = before.absolute;
      partial.squares = before.squares;
      add_terms<T>(numbers, partial, nullptr);
    }
    return numbers;
  }

  /// Same as add_reals(), for blocks that probably have NaN: removes them first.
  template <class T>
  std::span<const T> add_without_nans(std::span<const T> values, std::size_t first,
                                      const statistics::Indexing& indexing,
                                      statistics::Partial& partial,
                                      std::optional<Extremes<T>>& found) {
    const auto numbers = remove_nans(values, first, indexing, partial);
    if (!numbers.empty()) {
      if ((spec_.extremes || spec_.places) && spec_.sum) found = {numbers[0], numbers[0]};
      add_terms(numbers, partial, found ? &*found : nullptr);
    }
    if (!spec_.skip_nan) {
      const auto nans = static_cast<std::int64_t>(values.size() - numbers.size());
      if (spec_.sum) partial.sum.add_nans(nans);
      if (spec_.absolute) partial.absolute.add_nans(nans);
      if (spec_.squares) partial.squares.add_nans(nans);
    }
    return numbers;
  }

  struct RealSums {
    kernels::Superaccumulator sum;
    kernels::Superaccumulator absolute;
    kernels::SquareAccumulator squares;
  };

  /// Number of NaN and infinities in the sums.
  template <class Sums>
  std::int64_t specials_of(const Sums& sums) const {
    const auto specials = [](const auto& sum) {
      return sum.nans() + sum.positive_infinities() + sum.negative_infinities();
    };
    if (spec_.sum) return specials(sums.sum);
    return spec_.absolute ? specials(sums.absolute) : specials(sums.squares);
  }

  template <class T>
  void add_terms(std::span<const T> terms, statistics::Partial& partial, Extremes<T>* extremes) {
    const Alongside<T> alongside{.extremes = extremes, .guesses = &guesses_};
    const ExactSumKernels<T>& exact = std::get<ExactSumKernels<T>>(sums_);
    if (spec_.sum && spec_.squares) {
      exact.moments(terms, partial.sum, partial.squares, alongside);
    } else if (spec_.sum) {
      exact.sum(terms, partial.sum, alongside);
    } else if (spec_.squares) {
      exact.dot(terms, terms, partial.squares, alongside);
    }
    if (spec_.absolute)
      exact.absolute_sum(terms, partial.absolute, {.guesses = &absolute_guesses_});
  }

  statistics::ReductionSpec spec_;
  std::tuple<ExactSumKernels<double>, ExactSumKernels<float>> sums_;
  Guesses guesses_, absolute_guesses_;
  ExtremesSet extremes_;
  PassSet passes_;
  PairProducts pairs_;
  BinCounter bins_;
  KeyTallier keys_;
  bool had_nans_ = false;  ///< in the last block that was searched for NaN
  std::vector<float> widened_;
  std::tuple<std::vector<double>, std::vector<float>> kept_;
};

}  // namespace

std::unique_ptr<Reducer> make_reducer(const statistics::ReductionSpec& spec,
                                      const CpuTarget& target) {
  return std::make_unique<ArrayReducer>(spec, target);
}

}  // namespace tessera::device::cpu
