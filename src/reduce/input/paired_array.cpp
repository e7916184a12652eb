#include "reduce/input/paired_array.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/idle_objects.hpp"
#include "base/text.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/piece_reader.hpp"
#include "statistics/half.hpp"
#include "statistics/number_pairs.hpp"
#include "statistics/order/weighted_passes.hpp"
#include "store/arrays/dimension.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::reduce {
namespace {

using store::ArrayInfo;

/// A second array up to this size is read once.
// crossed by: test_weights_that_are_held_and_that_are_not
constexpr std::int64_t kMaxSecondBytes = std::int64_t{16} << 20;

/// Where an element of a box is, for messages.
std::string place_text(const plan::Box& box, std::size_t element) {
  return fmt::format("[{}]", fmt::join(box.place_of(static_cast<std::int64_t>(element)), ", "));
}

double not_there() {
  return std::bit_cast<double>(statistics::kNoPair);
}

template <class T>
std::uint64_t bits_of(T x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

template <class T>
double exact_number(T x, const ArrayInfo& array, const plan::Box& box, std::size_t element) {
  constexpr auto kLimit = std::int64_t{1} << 53;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    const bool fits = x <= static_cast<T>(kLimit) &&
                      (std::is_unsigned_v<T> || static_cast<std::int64_t>(x) >= -kLimit);
    if (!fits) {
      throw base::run_error("{}: {} at {} is beyond 2^53, the largest number of pairs", array.name,
                            x, place_text(box, element));
    }
  }
  return static_cast<double>(x);
}

/// Elements as f64; statistics::kNoPair for missing ones, one NaN for all others.
void to_numbers(std::span<const std::byte> elements, const ArrayInfo& array, const plan::Box& box,
                std::span<double> numbers) {
  base::with_element_type(array.type, [&]<class T>(T) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      T element;
      std::memcpy(&element, elements.data() + i * sizeof(T), sizeof(T));
      const bool is_missing = array.missing && (bits_of(element) == array.missing->fill ||
                                                bits_of(element) == array.missing->range);
      double number = 0;
      if (is_missing) {
        number = not_there();
      } else if (array.type == base::ElementType::f16) {
        number = statistics::widen_half(static_cast<std::uint16_t>(element));
      } else {
        number = exact_number(element, array, box, i);
      }
      if (!is_missing && number != number) number = std::numeric_limits<double>::quiet_NaN();
      numbers[i] = number;
    }
  });
}

/// Whether y is weights, and what they may be.
struct Weights {
  bool are = false;
  double least = -std::numeric_limits<double>::infinity();
};

class PairedArray : public store::ArraySource {
 public:
  PairedArray(std::unique_ptr<store::ArraySource> x, std::unique_ptr<store::ArraySource> y,
              std::vector<std::size_t> places, const Weights& weights, std::int64_t piece_bytes)
      : ArraySource(x->info()),
        x_(std::move(x)),
        y_(std::move(y)),
        places_(std::move(places)),
        weights_(weights) {
    info_.type = base::ElementType::f64;
    info_.is_boolean = false;
    info_.shape.push_back(2);
    info_.missing.reset();
    info_.refers_elsewhere |= y_->info().refers_elsewhere;
    std::ranges::copy(y_->info().notes, std::back_inserter(info_.notes));
    plan::Shape piece = PairedArray::chunk_shape();
    if (piece.empty()) {
      const std::int64_t numbers = std::max<std::int64_t>(2, piece_bytes / std::int64_t{8});
      piece = plan::box_of_rows(info_.shape, numbers);
    }
    pieces_ = plan::ArrayPieces::boxes(info_.shape, std::move(piece));
    hold();
  }

  const store::ArraySource& shown() const override { return *x_; }
  plan::Shape chunk_shape() const override {
    plan::Shape chunk = x_->chunk_shape();
    if (!chunk.empty()) chunk.push_back(2);
    return chunk;
  }
  std::optional<store::ArrayPart> part_at(std::int64_t row) const override {
    return x_->part_at(row);
  }
  std::uint64_t read_bytes_each() const override {
    return x_->read_bytes_each() + (held_.empty() ? y_->read_bytes_each() : 0);
  }
  std::uint64_t read_memory_bytes() const override {
    const std::uint64_t piece = 4 * sizeof(double) * std::uint64_t(pieces_.max_elements());
    return piece + PieceReader::memory_bytes(*x_) + PieceReader::memory_bytes(*y_);
  }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    const plan::Box pairs{{box.origin.begin(), box.origin.end() - 1},
                          {box.extent.begin(), box.extent.end() - 1}};
    readers_.lend([&](Reader& reader) {
      read_numbers(*x_, pairs, reader.x, reader, reader.x_numbers);
      read_second(pairs, reader);
      const std::int64_t first = box.origin.back(), count = box.extent.back();
      for (std::size_t i = 0; i < reader.x_numbers.size(); ++i) {
        const std::array<double, 2> pair = pair_of(reader.x_numbers[i], reader.y_numbers[i]);
        const auto bytes = static_cast<std::size_t>(count) * sizeof(double);
        std::memcpy(elements.data() + i * bytes, pair.data() + first, bytes);
      }
    });
  }

 private:
  /// The reader of a thread.
  struct Reader {
    Reader(const store::ArraySource& x_source, const store::ArraySource& y_source)
        : x(x_source, 0), y(y_source, 0) {}
    PieceReader x, y;
    base::Bytes bytes;
    std::vector<double> x_numbers, y_own, y_numbers;
  };

  static std::array<double, 2> pair_of(double x, double y) {
    if (statistics::is_no_pair(x) || statistics::is_no_pair(y)) return {not_there(), not_there()};
    return {x, y};
  }

  static void read_numbers(const store::ArraySource& source, const plan::Box& box,
                           PieceReader& pieces, Reader& reader, std::vector<double>& numbers) {
    const auto count = static_cast<std::size_t>(box.elements());
    reader.bytes.resize(count * base::element_bytes(source.info().type));
    reduce::read_box(source, box, pieces, reader.bytes);
    pieces.release();
    numbers.resize(count);
    to_numbers(reader.bytes, source.info(), box, numbers);
  }

  void check_weights(const std::vector<double>& weights, const plan::Box& box) const {
    if (!weights_.are) return;
    const auto bad = std::ranges::find_if(weights, [this](double weight) {
      return !std::isfinite(weight) || weight < weights_.least;
    });
    if (bad == weights.end()) return;
    const auto element = static_cast<std::size_t>(bad - weights.begin());
    throw base::usage_error("--weights {}: the weight at {} is {}; weights {} {}", y_->info().name,
                            place_text(box, element),
                            statistics::is_no_pair(*bad) ? "missing" : fmt::format("{}", *bad),
                            std::isfinite(*bad) ? "of quantiles are" : "are",
                            std::isfinite(*bad) ? "not negative" : "finite numbers");
  }

  plan::Box whole_second() const {
    return {plan::Shape(y_->info().shape.size()), y_->info().shape};
  }
  void hold() {
    if (plan::element_count(y_->info().shape) * std::int64_t{8} > kMaxSecondBytes) return;
    Reader reader(*x_, *y_);
    read_numbers(*y_, whole_second(), reader.y, reader, held_);
    check_weights(held_, whole_second());
  }

  /// Repeats the part of y that the box needs.
  void read_second(const plan::Box& pairs, Reader& reader) const {
    plan::Box own = whole_second();
    const double* from = held_.data();
    plan::Shape own_strides = store::packed_strides(y_->info().shape, sizeof(double));
    for (std::size_t d = 0; d < places_.size(); ++d) {
      if (own.extent[d] == 1) continue;
      own.origin[d] = pairs.origin[places_[d]];
      own.extent[d] = pairs.extent[places_[d]];
    }
    if (held_.empty()) {
      read_numbers(*y_, own, reader.y, reader, reader.y_own);
      check_weights(reader.y_own, own);
      from = reader.y_own.data();
      own_strides = store::packed_strides(own.extent, sizeof(double));
    } else {
      from += store::distance(plan::Shape(own.origin.size()), own.origin, own_strides) /
              std::int64_t{sizeof(double)};
    }
    plan::Shape strides(pairs.extent.size(), 0);
    for (std::size_t d = 0; d < places_.size(); ++d) {
      if (y_->info().shape[d] > 1) strides[places_[d]] = own_strides[d];
    }
    reader.y_numbers.resize(reader.x_numbers.size());
    store::copy_box(reinterpret_cast<const std::byte*>(from), strides,
                    reinterpret_cast<std::byte*>(reader.y_numbers.data()),
                    store::packed_strides(pairs.extent, sizeof(double)), pairs.extent,
                    sizeof(double));
  }

  std::unique_ptr<store::ArraySource> x_, y_;
  std::vector<std::size_t> places_;  ///< of the dimensions of y in those of x
  Weights weights_;
  std::vector<double> held_;  ///< all of y, if it is small
  mutable base::IdleObjects<Reader> readers_{[this] { return std::make_unique<Reader>(*x_, *y_); }};
};

bool has_names(const store::ArraySource& array) {
  const std::vector<std::string> names = array.dimension_names();
  return !names.empty() && std::ranges::none_of(names, &std::string::empty);
}

/// How to say where the only dimension of `own` lies; "" if that is not clear.
std::string advice_for(const store::ArraySource& x, const store::ArraySource& own) {
  const job::Shape& shape = x.info().shape;
  const job::Shape& one = own.info().shape;
  if (one.size() != 1 || std::ranges::count(shape, one.front()) != 1) return "";
  const auto place =
      static_cast<std::size_t>(std::ranges::find(shape, one.front()) - shape.begin());
  if (has_names(x)) return fmt::format("; write {}=INPUT", x.dimension_names()[place]);
  return fmt::format(
      "; with names of dimensions (--dims) it can be said where it lies, as lat=INPUT");
}

/// Whether its dimensions are other ones than those of `x`, though they may be as long.
bool lies_elsewhere(const store::ArraySource& x, const store::ArraySource& own) {
  const std::vector<std::string> names = x.dimension_names();
  return own.info().shape.size() < x.info().shape.size() && says_where(x) && says_where(own) &&
         std::ranges::any_of(own.dimension_names(), [&](const std::string& name) {
           return std::ranges::find(names, name) == names.end();
         });
}

}  // namespace

bool says_where(const store::ArraySource& array) {
  return has_names(array) && std::ranges::none_of(array.dimension_names(), store::is_made_up);
}

std::vector<std::size_t> places_in(const store::ArraySource& x, const store::ArraySource& own,
                                   const Misfit& misfit) {
  const job::Shape& shape = own.info().shape;
  const job::Shape& all = x.info().shape;
  const std::vector<std::string> names = x.dimension_names(), own_names = own.dimension_names();
  const auto is_known = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const bool are_known =
      has_names(own) && own_names != names && std::ranges::all_of(own_names, is_known);
  std::vector<std::size_t> places(shape.size());
  if (are_known || misfit.by_names || lies_elsewhere(x, own)) {
    for (std::size_t d = 0; d < places.size(); ++d) {
      places[d] = job::dimension_named(own_names[d], names,
                                       fmt::format("{}: {}", misfit.what, x.info().name));
    }
  } else if (shape.size() <= all.size()) {
    std::iota(places.begin(), places.end(), all.size() - shape.size());
  }
  bool fits = shape.size() <= all.size();
  for (std::size_t d = 0; fits && d < places.size(); ++d) {
    fits = shape[d] == 1 || shape[d] == all[places[d]];
  }
  if (fits) return places;
  throw base::usage_error("{}: is {}, and {} is {}{}", misfit.what, job::format_shape(shape),
                          x.info().name, job::format_shape(all),
                          misfit.advice == nullptr ? "" : misfit.advice(x, own));
}

std::unique_ptr<store::ArraySource> open_pairs(const job::ReduceJob& job,
                                               std::unique_ptr<store::ArraySource> x,
                                               std::int64_t piece_bytes) {
  const bool weighted = job.weights.has_value();
  const job::ArrayInput input = weighted ? job::weights_input(job) : job::with_input(job);
  const std::string what = fmt::format("{} {}", weighted ? "--weights" : "--with", input.text);
  auto y = open_input(std::span(&input, 1), piece_bytes, MissingAs::no_element);
  if (!weighted && y->info().shape != x->info().shape) {
    throw base::usage_error("{}: is {}, and {} is {}", what, job::format_shape(y->info().shape),
                            x->info().name, job::format_shape(x->info().shape));
  }
  std::vector<std::size_t> places = places_in(
      *x, *y, {what, weighted ? &advice_for : nullptr, !input.dimensions.empty() && weighted});
  Weights weights{weighted};
  if (statistics::WeightedPasses::requested(job)) weights.least = 0;
  return std::make_unique<PairedArray>(std::move(x), std::move(y), std::move(places), weights,
                                       piece_bytes);
}

}  // namespace tessera::reduce
