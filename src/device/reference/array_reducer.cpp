#include <cstring>
#include <functional>
#include <type_traits>

#include "device/reference/reference.hpp"
#include "device/reference/scalar_reduction.hpp"
#include "statistics/each_element.hpp"
#include "statistics/half.hpp"

namespace tessera::device::reference {

namespace {

class ArrayReducer : public Reducer {
 public:
  explicit ArrayReducer(const statistics::ReductionSpec& spec) : spec_(spec), scalar_(spec) {}

  void reduce(const statistics::Elements& given, const statistics::Indexing& indexing,
              statistics::Partial& partial) override {
    const std::span<const std::byte> elements = given.bytes();
    if (spec_.type == base::ElementType::f16) {
      return each<std::uint16_t>(elements, indexing, partial, statistics::widen_half);
    }
    base::with_element_type(spec_.type, [&]<class T>(T) { each<T>(elements, indexing, partial); });
  }
  void count(const statistics::Elements& elements, const statistics::HistogramBins& bins,
             std::span<std::int64_t> counts) override {
    statistics::for_each_real(elements.bytes(), spec_.type, [&](double x) {
      const std::size_t bin = bins.find(x);
      if (bin != statistics::HistogramBins::kOutside) ++counts[bin];
    });
  }
  void tally(const statistics::Elements& elements, const statistics::Indexing& indexing,
             const statistics::KeyRequest& request, statistics::KeyTally& tally) override {
    const statistics::NumberKeys numbers = statistics::number_keys(spec_.type);
    std::int64_t i = 0;
    statistics::for_each_key(elements.bytes(), spec_.type, [&](statistics::ElementKey key) {
      const bool number = numbers.contain(key);
      if (number) tally.add(key, request);
      if (request.top > 0 && (number || request.top_nans)) {
        const auto order =
            number ? statistics::unsigned_zero_key(key, spec_.type) : statistics::TopElement::kNan;
        tally.top.add({order, indexing.of(i), key});
      }
      ++i;
    });
    tally.bound(request.max_keys);
  }

 private:
  template <class T, class Widen = std::identity>
  void each(std::span<const std::byte> elements, const statistics::Indexing& indexing,
            statistics::Partial& partial, Widen widen = {}) const {
    const auto count = static_cast<std::int64_t>(elements.size() / sizeof(T));
    for (std::int64_t i = 0; i < count; ++i) {
      T element;
      std::memcpy(&element, elements.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
      const auto index = [&] { return indexing.of(i); };
      const auto x = widen(element);
      if constexpr (std::is_floating_point_v<decltype(x)>) {
        scalar_.add_real(static_cast<double>(x), index, partial);
      } else {
        scalar_.add_integer(x, index, partial);
      }
    }
  }

  statistics::ReductionSpec spec_;
  ScalarReduction scalar_;
};

}  // namespace

std::unique_ptr<Reducer> make_reducer(const statistics::ReductionSpec& spec) {
  return std::make_unique<ArrayReducer>(spec);
}

}  // namespace tessera::device::reference
