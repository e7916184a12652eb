#include "device/axis_reducer.hpp"

#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "base/element.hpp"
#include "device/reference/reference.hpp"
#include "device/reference/scalar_reduction.hpp"
#include "statistics/half.hpp"

namespace tessera::device::reference {

namespace {

/// A partial result of its own for every output.
class ReferenceAxisReducer : public AxisReducer {
 public:
  explicit ReferenceAxisReducer(statistics::OutputSpec output_spec)
      : output_spec_(std::move(output_spec)),
        scalar_(output_spec_.spec),
        bins_(output_spec_.bins ? output_spec_.bins->count() : 0) {}

  void begin(std::int64_t outputs) override {
    partials_.assign(static_cast<std::size_t>(outputs), {});
    histogram_.assign(partials_.size() * bins_, 0);
  }

  void add(const statistics::Elements& given, const plan::AxisPiece& piece) override {
    const std::span<const std::byte> elements = given.bytes();
    if (output_spec_.spec.type == base::ElementType::f16) {
      return each<std::uint16_t>(elements, piece, statistics::widen_half);
    }
    base::with_element_type(output_spec_.spec.type, [&]<class T>(T) { each<T>(elements, piece); });
  }

  statistics::SpecialCounts specials() const override {
    statistics::SpecialCounts all;
    for (const statistics::Partial& one : partials_) {
      all += {one.nans, one.positive_infinities, one.negative_infinities};
    }
    return all;
  }

  void finish(std::int64_t elements_each, statistics::OutputPartials& to) override {
    to.reset(output_spec_, static_cast<std::int64_t>(partials_.size()));
    to.elements = elements_each;
    for (std::size_t o = 0; o < partials_.size(); ++o) {
      to.put(output_spec_, static_cast<std::int64_t>(o), partials_[o]);
    }
    to.histogram = histogram_;
  }

 private:
  template <class T, class Widen = std::identity>
  void each(std::span<const std::byte> elements, const plan::AxisPiece& piece, Widen widen = {}) {
    const std::size_t count = elements.size() / sizeof(T);
    for (std::size_t i = 0; i < count; ++i) {
      T element;
      std::memcpy(&element, elements.data() + i * sizeof(T), sizeof(T));
      auto rest = static_cast<std::int64_t>(i);
      std::int64_t output = 0;
      std::int64_t place = piece.first_index;
      for (auto level = piece.levels.rbegin(); level != piece.levels.rend(); ++level) {
        output += rest % level->extent * level->output_step;
        place += rest % level->extent * level->index_step;
        rest /= level->extent;
      }
      add_element(widen(element), static_cast<std::size_t>(output), place);
    }
  }

  template <class T>
  void add_element(T x, std::size_t output, std::int64_t place) {
    const auto index = [place] { return place; };
    if constexpr (std::is_floating_point_v<T>) {
      scalar_.add_real(static_cast<double>(x), index, partials_[output]);
    } else {
      scalar_.add_integer(x, index, partials_[output]);
    }
    if (bins_ == 0) return;
    const std::size_t bin = output_spec_.bins->find(static_cast<double>(x));
    if (bin != statistics::HistogramBins::kOutside) ++histogram_[output * bins_ + bin];
  }

  statistics::OutputSpec output_spec_;
  ScalarReduction scalar_;
  std::size_t bins_;
  std::vector<statistics::Partial> partials_;
  std::vector<std::int64_t> histogram_;
};

}  // namespace

std::unique_ptr<AxisReducer> make_axis_reducer(const statistics::OutputSpec& output_spec) {
  return std::make_unique<ReferenceAxisReducer>(output_spec);
}

}  // namespace tessera::device::reference
