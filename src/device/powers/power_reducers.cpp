#include "device/powers/power_reducers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/element.hpp"
#include "device/groups/found_groups.hpp"
#include "device/powers/pair_reducers.hpp"
#include "statistics/half.hpp"
#include "statistics/matrix_views.hpp"
#include "statistics/power_bins.hpp"

namespace tessera::device {

namespace {

using statistics::Elements;

/// Everything of a reducer that no power concerns. The elements have to be in memory.
template <class Base>
class Wrapped : public Base {
 public:
  explicit Wrapped(std::unique_ptr<Base> inner) : inner_(std::move(inner)) {}

  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes) override {
    return inner_->make_host_buffer(bytes);
  }
  std::size_t batch_bytes() const override { return inner_->batch_bytes(); }
  std::uint64_t peak_memory_bytes() override { return inner_->peak_memory_bytes(); }
  bool restart() override { return inner_->restart(); }

 protected:
  Base& inner() { return *inner_; }
  const Base& inner() const { return *inner_; }

 private:
  std::unique_ptr<Base> inner_;
};

/// Calls work(numbers) with elements of a type; f16 become f32 in `widened`.
template <class Work>
void with_numbers(std::span<const std::byte> elements, base::ElementType type,
                  std::vector<float>& widened, const Work& work) {
  if (type == base::ElementType::f16) {
    widened.resize(elements.size() / 2);
    for (std::size_t i = 0; i < widened.size(); ++i) {
      std::uint16_t half;
      std::memcpy(&half, elements.data() + 2 * i, 2);
      widened[i] = statistics::widen_half(half);
    }
    return work(std::span<const float>(widened));
  }
  base::with_element_type(type, [&]<class T>(T) {
    work(std::span(reinterpret_cast<const T*>(elements.data()), elements.size() / sizeof(T)));
  });
}

template <class T>
bool is_finite(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(x);
  return true;
}

template <class T>
kernels::ExactTerm term_of(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return kernels::exact_term(static_cast<double>(x));
  } else {
    return kernels::exact_term(x);
  }
}

class PowerReducer : public Wrapped<Reducer> {
 public:
  PowerReducer(std::unique_ptr<Reducer> inner, const statistics::ReductionSpec& spec)
      : Wrapped(std::move(inner)), spec_(spec) {}

  void reduce(const Elements& elements, const statistics::Indexing& indexing,
              statistics::Partial& partial) override {
    inner().reduce(elements, indexing, partial);
    add_powers(elements, partial);
  }
  void add_pairs(const Elements& x, const Elements& y, const statistics::ReductionSpec& spec,
                 statistics::PairSums& sums) override {
    inner().add_pairs(x, y, spec, sums);
  }
  void reduce_pairs(const Elements& x, const Elements& y, const statistics::Indexing& indexing,
                    const statistics::ReductionSpec& spec, statistics::Partial& partial) override {
    inner().reduce_pairs(x, y, indexing, spec, partial);
    add_powers(x, partial);
  }
  void count(const Elements& elements, const statistics::HistogramBins& bins,
             std::span<std::int64_t> counts) override {
    inner().count(elements, bins, counts);
  }
  void tally(const Elements& elements, const statistics::Indexing& indexing,
             const statistics::KeyRequest& request, statistics::KeyTally& tally) override {
    inner().tally(elements, indexing, request, tally);
  }

 private:
  void add_powers(const Elements& elements, statistics::Partial& partial) {
    with_numbers(elements.bytes(), spec_.type, widened_, [&](const auto& numbers) {
      if (spec_.cubes) cubes_.add(numbers, partial.cubes);
      if (spec_.fourths) fourths_.add(numbers, partial.fourths);
    });
  }

  statistics::ReductionSpec spec_;
  statistics::PowerBins<3> cubes_;
  statistics::PowerBins<4> fourths_;
  std::vector<float> widened_;
};

class PowerAxisReducer : public Wrapped<AxisReducer> {
 public:
  PowerAxisReducer(std::unique_ptr<AxisReducer> inner, const statistics::OutputSpec& output_spec)
      : Wrapped(std::move(inner)), spec_(output_spec.spec) {}

  bool keep_elements(std::int64_t outputs, std::int64_t elements_each,
                     const statistics::OrderPasses& passes) override {
    return inner().keep_elements(outputs, elements_each, passes);
  }
  void begin(std::int64_t outputs) override {
    inner().begin(outputs);
    uncarried_ = 0;
    for_each_power([&](auto& sums) { sums.reset(outputs); });
  }
  void add(const Elements& elements, const plan::AxisPiece& piece) override {
    inner().add(elements, piece);
    with_numbers(elements.bytes(), spec_.type, widened_, [&](const auto& numbers) {
      statistics::for_each_view(piece, [&](const statistics::MatrixView& view) {
        carry_before(view.by_rows ? view.columns : view.rows);
        for_each_power([&](auto& sums) { add_view(numbers.data() + view.offset, view, sums); });
      });
    });
  }
  void wait() override { inner().wait(); }
  void end() override { inner().end(); }
  statistics::SpecialCounts specials() const override { return inner().specials(); }
  bool answer(job::Operation operation, const statistics::AnswerParameters& parameters,
              std::span<std::byte> to) override {
    return inner().answer(operation, parameters, to);
  }
  void find_order(const statistics::OrderPasses& passes, const VisitFindings& visit) override {
    inner().find_order(passes, visit);
  }
  void finish(std::int64_t elements_each, statistics::OutputPartials& to) override {
    inner().finish(elements_each, to);
    for_each_power([](auto& sums) { sums.carry(); });
    statistics::OutputPartials::for_each_power([&](const auto& column) {
      if (column.requested(spec_)) to.*column.all = std::move(powers_.*column.all);
    });
  }

 private:
  template <class Visit>
  void for_each_power(const Visit& visit) {
    statistics::OutputPartials::for_each_power([&](const auto& column) {
      if (column.requested(spec_)) visit(powers_.*column.all);
    });
  }

  /// LimbColumns have room for 2^30 additions, and a term is up to four.
  void carry_before(std::int64_t terms) {
    uncarried_ += terms;
    if (uncarried_ <= std::int64_t{1} << 27) return;
    uncarried_ = terms;
    for_each_power([](auto& sums) { sums.carry(); });
  }

  template <class T, class Sum>
  void add_view(const T* x, const statistics::MatrixView& view,
                statistics::LimbColumns<Sum>& sums) {
    constexpr std::int64_t kLongRow = 256;  // emptying bins takes as long as so many terms
    for (std::int64_t r = 0; r < view.rows; ++r, x += view.columns) {
      if (view.by_rows && view.columns >= kLongRow) {
        Sum sum;
        bins_of(sum).add(std::span(x, static_cast<std::size_t>(view.columns)), sum);
        sums.add(view.first_output + r, sum);
        continue;
      }
      for (std::int64_t c = 0; c < view.columns; ++c) {
        if (!is_finite(x[c])) continue;
        sums.add_power(view.first_output + (view.by_rows ? r : c), term_of(x[c]));
      }
    }
  }

  statistics::PowerBins<3>& bins_of(const kernels::CubeAccumulator&) { return cubes_; }
  statistics::PowerBins<4>& bins_of(const kernels::FourthPowerAccumulator&) { return fourths_; }

  statistics::ReductionSpec spec_;
  std::int64_t uncarried_ = 0;
  statistics::OutputPartials powers_;
  statistics::PowerBins<3> cubes_;
  statistics::PowerBins<4> fourths_;
  std::vector<float> widened_;
};

class PowerGroupReducer : public Wrapped<GroupReducer> {
 public:
  PowerGroupReducer(std::unique_ptr<GroupReducer> inner, const statistics::GroupSpec& group_spec)
      : Wrapped(std::move(inner)), group_spec_(group_spec), found_(powers_of(group_spec.spec)) {}

  void begin(const GroupScope& scope) override {
    inner().begin(scope);
    found_.begin(scope);
  }
  std::size_t add(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
                  std::span<const std::int64_t> places) override {
    const std::size_t bytes = base::element_bytes(group_spec_.spec.type);
    std::size_t added = 0;
    while (added < keys.size() && !found_.is_full()) {
      const std::size_t count = std::min(FoundGroups::kMaxKeys, keys.size() - added);
      const auto some = elements.subspan(added * bytes, count * bytes);
      const std::size_t now = inner().add(keys.subspan(added, count), some,
                                          places.empty() ? places : places.subspan(added, count));
      with_numbers(some, group_spec_.spec.type, widened_, [&](const auto& numbers) {
        add_block(keys.subspan(added, now), numbers.data());
      });
      added += now;
      if (now < count) break;
    }
    return added;
  }
  statistics::GroupPartials finish() override {
    statistics::GroupPartials powers = found_.finish();
    std::ranges::fill(powers.elements, 0);  // are counted by the device
    return statistics::merged(group_spec_.spec, inner().finish(), powers);
  }

  bool begin_tally(const statistics::GroupRequest& request) override {
    return inner().begin_tally(request);
  }
  void tally(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
             std::span<const std::int64_t> places, statistics::GroupTally& tally) override {
    inner().tally(keys, elements, places, tally);
  }
  void end_tally(statistics::GroupTally& tally) override { inner().end_tally(tally); }

 private:
  static statistics::ReductionSpec powers_of(const statistics::ReductionSpec& spec) {
    return {.type = spec.type, .cubes = spec.cubes, .fourths = spec.fourths};
  }

  template <class T>
  void add_block(std::span<const statistics::GroupKey> keys, const T* x) {
    const std::size_t kept = found_.choose(keys, chosen_.data(), groups_.data());
    statistics::GroupPartials& all = found_.partials();
    for (std::size_t i = 0; i < kept; ++i) ++all.elements[groups_[i]];
    const statistics::SumWindow window = group_spec_.window_of_terms();
    all.for_each_power([&](const auto& column) {
      if (!column.requested(group_spec_.spec)) return;
      for (std::size_t i = 0; i < kept; ++i) {
        T element;  // may be unaligned
        std::memcpy(&element, x + chosen_[i], sizeof element);
        if (is_finite(element)) (all.*column.all).add_power(groups_[i], term_of(element), window);
      }
    });
  }

  statistics::GroupSpec group_spec_;
  FoundGroups found_;
  std::array<std::uint16_t, FoundGroups::kMaxKeys> chosen_{};
  std::array<std::uint32_t, FoundGroups::kMaxKeys> groups_{};
  std::vector<float> widened_;
};

}  // namespace

std::unique_ptr<Reducer> open_reducer(const Device& device, const statistics::ReductionSpec& spec) {
  if (spec.pairing != job::Pairing::none) return make_pair_reducer(spec);
  auto reducer = device.open_reducer(spec.without_powers());
  if (!reducer || !spec.has_powers()) return reducer;
  return std::make_unique<PowerReducer>(std::move(reducer), spec);
}

std::unique_ptr<AxisReducer> open_axis_reducer(const Device& device,
                                               const statistics::OutputSpec& output_spec) {
  if (output_spec.spec.pairing != job::Pairing::none) return make_pair_axis_reducer(output_spec);
  auto reducer = device.open_axis_reducer({output_spec.spec.without_powers(), output_spec.bins});
  if (!reducer || !output_spec.spec.has_powers()) return reducer;
  return std::make_unique<PowerAxisReducer>(std::move(reducer), output_spec);
}

std::unique_ptr<GroupReducer> open_group_reducer(const Device& device,
                                                 const statistics::GroupSpec& group_spec) {
  if (group_spec.spec.pairing != job::Pairing::none) return make_pair_group_reducer(group_spec);
  auto reducer = device.open_group_reducer({group_spec.spec.without_powers(), group_spec.window});
  if (!reducer || !group_spec.spec.has_powers()) return reducer;
  return std::make_unique<PowerGroupReducer>(std::move(reducer), group_spec);
}

}  // namespace tessera::device
