#include "device/powers/pair_reducers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/groups/found_groups.hpp"
#include "statistics/matrix_views.hpp"
#include "statistics/number_pairs.hpp"

namespace tessera::device {
namespace {

using statistics::Elements;
using statistics::Partial;

double number_at(const std::byte* at) {
  double number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// Pairs one by one: adds those that are there to a store of sums and counts.
template <class Store>
void add_pair(double x, double y, const statistics::ReductionSpec& spec, Store& to) {
  if (statistics::is_no_pair(x)) return to.count_missing();
  to.count_element();
  if (std::isnan(x) || std::isnan(y)) return to.count_nan();
  if (std::isfinite(x) && std::isfinite(y)) {
    return statistics::add_finite_pair(
        x, y, spec, [&](auto member, const auto& term) { to.add(member, term); });
  }
  to.count_infinite(statistics::infinite_product(x, y));
  // A weight counts, whatever it is the weight of.
  if (spec.pairing == job::Pairing::weighted && spec.sum) {
    to.add(&Partial::sum, statistics::exact_product<1>(std::array{kernels::exact_term(y)}));
  }
}

/// All into one Partial.
struct PartialStore {
  Partial& all;

  void count_missing() const { ++all.missing.fill; }
  void count_element() const { ++all.elements; }
  void count_nan() const { ++all.nans; }
  void count_infinite(const statistics::InfiniteProduct& product) const {
    all.positive_infinities += product.positive ? 1 : 0;
    all.negative_infinities += product.negative ? 1 : 0;
  }
  template <class Sum, std::size_t kWords>
  void add(Sum Partial::*member, const statistics::WordTerm<kWords>& term) const {
    (all.*member).add_words(term.words, term.exponent, term.negative);
  }
};

class PairReducer : public Reducer {
 public:
  explicit PairReducer(const statistics::ReductionSpec& spec) : spec_(spec) {}

  void reduce(const Elements& elements, const statistics::Indexing& /*indexing*/,
              Partial& partial) override {
    PartialStore store{partial};
    const std::span<const std::byte> bytes = elements.bytes();
    for (std::size_t i = 0; i < bytes.size(); i += 2 * sizeof(double)) {
      add_pair(number_at(&bytes[i]), number_at(&bytes[i + sizeof(double)]), spec_, store);
    }
  }
  void count(const Elements&, const statistics::HistogramBins&, std::span<std::int64_t>) override {
    throw std::logic_error("a histogram of pairs");
  }
  void tally(const Elements&, const statistics::Indexing&, const statistics::KeyRequest&,
             statistics::KeyTally&) override {
    throw std::logic_error("keys of pairs");
  }

 private:
  statistics::ReductionSpec spec_;
};

/// Into one of the outputs of a tile.
class OutputStore {
 public:
  void begin(const statistics::OutputSpec& output_spec, std::int64_t outputs) {
    all_.reset(output_spec, outputs);
    specials_ = {};
    uncarried_ = 0;
  }
  /// Before so many pairs of any output. LimbColumns have room for 2^30 additions, and a term is up
  /// to four.
  void carry_before(std::int64_t pairs) {
    uncarried_ += pairs;
    if (uncarried_ <= std::int64_t{1} << 27) return;
    uncarried_ = pairs;
    carry();
  }
  void set_output(std::int64_t output) { output_ = output; }
  const statistics::SpecialCounts& specials() const { return specials_; }
  void finish(std::int64_t pairs_each, statistics::OutputPartials& to) {
    carry();
    all_.elements = pairs_each;
    to = std::move(all_);
  }

  void count_missing() {
    ++specials_.missing.fill;
    count(all_.missing);
  }
  void count_element() {}
  void count_nan() {
    ++specials_.nans;
    count(all_.nans);
  }
  void count_infinite(const statistics::InfiniteProduct& product) {
    if (product.positive) count(all_.positive_infinities);
    if (product.negative) count(all_.negative_infinities);
    specials_.positive_infinities += product.positive ? 1 : 0;
    specials_.negative_infinities += product.negative ? 1 : 0;
  }
  template <class Sum, std::size_t kWords>
  void add(Sum Partial::*member, const statistics::WordTerm<kWords>& term) {
    statistics::LimbColumns<Sum>& sums = column(member);
    for (std::size_t i = 0; i < kWords; ++i) {
      sums.add_magnitude(output_, term.words[i], term.exponent + 64 * static_cast<int>(i),
                         term.negative);
    }
  }

 private:
  void count(std::vector<std::int64_t>& column) const {
    column.resize(static_cast<std::size_t>(all_.outputs));
    ++column[static_cast<std::size_t>(output_)];
  }
  void carry() {
    all_.for_each_sum([&](const auto& column) { (all_.*column.all).carry(); });
  }
  auto& column(kernels::SquareAccumulator Partial::*) { return all_.squares; }
  auto& column(kernels::CubeAccumulator Partial::*) { return all_.cubes; }
  auto& column(kernels::FourthPowerAccumulator Partial::*) { return all_.fourths; }
  auto& column(kernels::Superaccumulator Partial::*member) {
    return member == &Partial::sum ? all_.sum : all_.absolute;
  }

  statistics::OutputPartials all_;
  statistics::SpecialCounts specials_;
  std::int64_t output_ = 0;
  std::int64_t uncarried_ = 0;
};

class PairAxisReducer : public AxisReducer {
 public:
  explicit PairAxisReducer(const statistics::OutputSpec& output_spec) : output_spec_(output_spec) {}

  void begin(std::int64_t outputs) override { store_.begin(output_spec_, outputs); }
  void add(const Elements& elements, const plan::AxisPiece& piece) override {
    const std::byte* const bytes = elements.bytes().data();
    statistics::for_each_view(piece, [&](const statistics::MatrixView& view) {
      store_.carry_before(view.columns);
      for (std::int64_t r = 0; r < view.rows; ++r) {
        store_.set_output(view.first_output + r);
        const std::byte* const row = bytes + (view.offset + r * view.columns) * kBytes;
        for (std::int64_t c = 0; c < view.columns; c += 2) {
          add_pair(number_at(row + c * kBytes), number_at(row + (c + 1) * kBytes),
                   output_spec_.spec, store_);
        }
      }
    });
  }
  statistics::SpecialCounts specials() const override { return store_.specials(); }
  void finish(std::int64_t elements_each, statistics::OutputPartials& to) override {
    store_.finish(elements_each / 2, to);
  }

 private:
  static constexpr std::ptrdiff_t kBytes = sizeof(double);

  statistics::OutputSpec output_spec_;
  OutputStore store_;
};

/// Into one of the groups.
struct GroupStore {
  statistics::GroupPartials& all;
  const statistics::SumWindow& window;
  std::size_t group = 0;

  void count_missing() const {}
  void count_element() const { ++all.elements[group]; }
  void count_nan() const { all.count(all.nans, group); }
  void count_infinite(const statistics::InfiniteProduct& product) const {
    if (product.positive) all.count(all.positive_infinities, group);
    if (product.negative) all.count(all.negative_infinities, group);
  }
  template <class Sum, std::size_t kWords>
  void add(Sum Partial::*member, const statistics::WordTerm<kWords>& term) const {
    column(member).add_words_of(group, term.words, term.exponent, term.negative, window);
  }

 private:
  auto& column(kernels::SquareAccumulator Partial::*) const { return all.squares; }
  auto& column(kernels::CubeAccumulator Partial::*) const { return all.cubes; }
  auto& column(kernels::FourthPowerAccumulator Partial::*) const { return all.fourths; }
  auto& column(kernels::Superaccumulator Partial::*member) const {
    return member == &Partial::sum ? all.sum : all.absolute;
  }
};

class PairGroupReducer : public GroupReducer {
 public:
  explicit PairGroupReducer(const statistics::GroupSpec& group_spec)
      : group_spec_(group_spec), found_(group_spec.spec) {}

  void begin(const GroupScope& scope) override { found_.begin(scope); }
  std::size_t add(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
                  std::span<const std::int64_t> /*places*/) override {
    std::size_t added = 0;
    while (added < keys.size() && !found_.is_full()) {
      const std::size_t count = std::min(2 * FoundGroups::kMaxKeys, keys.size() - added);
      add_block(keys.subspan(added, count), elements.data() + added * sizeof(double));
      added += count;
    }
    return added;
  }
  statistics::GroupPartials finish() override { return found_.finish(); }

 private:
  void add_block(std::span<const statistics::GroupKey> keys, const std::byte* numbers) {
    const std::size_t pairs = keys.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) keys_[i] = keys[2 * i];
    const std::size_t kept =
        found_.choose(std::span(keys_).first(pairs), chosen_.data(), groups_.data());
    GroupStore store{found_.partials(), group_spec_.window};
    for (std::size_t i = 0; i < kept; ++i) {
      store.group = groups_[i];
      const std::byte* const pair = numbers + 2 * sizeof(double) * chosen_[i];
      add_pair(number_at(pair), number_at(pair + sizeof(double)), group_spec_.spec, store);
    }
  }

  statistics::GroupSpec group_spec_;
  FoundGroups found_;
  std::array<statistics::GroupKey, FoundGroups::kMaxKeys> keys_{};
  std::array<std::uint16_t, FoundGroups::kMaxKeys> chosen_{};
  std::array<std::uint32_t, FoundGroups::kMaxKeys> groups_{};
};

}  // namespace

std::unique_ptr<Reducer> make_pair_reducer(const statistics::ReductionSpec& spec) {
  return std::make_unique<PairReducer>(spec);
}

std::unique_ptr<AxisReducer> make_pair_axis_reducer(const statistics::OutputSpec& output_spec) {
  return std::make_unique<PairAxisReducer>(output_spec);
}

std::unique_ptr<GroupReducer> make_pair_group_reducer(const statistics::GroupSpec& group_spec) {
  return std::make_unique<PairGroupReducer>(group_spec);
}

}  // namespace tessera::device
