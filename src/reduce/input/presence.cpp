#include "reduce/input/presence.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/vector_clones.hpp"

namespace tessera::reduce {
namespace {

// crossed by: KeepsPlacesAroundTheBitsOfAWord
constexpr std::size_t kWordBits = 64;

/// work(an unsigned integer of the element's size).
template <class Work>
decltype(auto) with_word(base::ElementType type, const Work& work) {
  switch (base::element_bytes(type)) {
    case 1:
      return work(std::uint8_t{});
    case 2:
      return work(std::uint16_t{});
    case 4:
      return work(std::uint32_t{});
    default:
      return work(std::uint64_t{});
  }
}

template <class Word>
Word word_at(std::span<const std::byte> elements, std::size_t i) {
  Word word;
  std::memcpy(&word, elements.data() + i * sizeof(Word), sizeof(Word));
  return word;
}

/// How many are the markers for _FillValue and for valid_range.
struct Counted {
  std::int64_t fill = 0, range = 0;
};

template <class Word>
TESSERA_WITH_AND_WITHOUT_AVX2 Counted count_words(std::span<const std::byte> elements,
                                                  const base::MissingMarkers& markers) {
  const auto fill = static_cast<Word>(markers.fill);
  const auto range = static_cast<Word>(markers.range);
  Counted counted;
  const std::size_t all = elements.size() / sizeof(Word);
  for (std::size_t i = 0; i < all; ++i) {
    const Word word = word_at<Word>(elements, i);
    counted.fill += word == fill ? 1 : 0;
    counted.range += word == range ? 1 : 0;
  }
  return counted;
}

}  // namespace

statistics::MissingCounts count_missing(std::span<const std::byte> elements, base::ElementType type,
                                        const base::MissingMarkers& markers) {
  return with_word(type, [&]<class Word>(Word) {
    const Counted counted = count_words<Word>(elements, markers);
    return statistics::MissingCounts::of(counted.fill, counted.range, markers);
  });
}

void Presence::begin(std::size_t elements) {
  elements_ = present_ = elements;
  bits_.assign((elements + kWordBits - 1) / kWordBits, ~std::uint64_t{0});
  if (elements % kWordBits != 0) bits_.back() >>= kWordBits - elements % kWordBits;
}

statistics::MissingCounts Presence::leave_out(std::span<const std::byte> elements,
                                              base::ElementType type,
                                              const base::MissingMarkers& markers) {
  if (count_missing(elements, type, markers).total() == 0) return {};
  Counted counted;
  with_word(type, [&]<class Word>(Word) {
    const auto fill = static_cast<Word>(markers.fill);
    const auto range = static_cast<Word>(markers.range);
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      const std::size_t first = w * kWordBits;
      const std::size_t end = std::min(first + kWordBits, elements_);
      std::uint64_t fills = 0, ranges = 0;
      for (std::size_t i = first; i < end; ++i) {
        const Word word = word_at<Word>(elements, i);
        fills |= std::uint64_t{word == fill} << (i - first);
        ranges |= std::uint64_t{word == range} << (i - first);
      }
      counted.fill += std::popcount(fills & bits_[w]);
      counted.range += std::popcount(ranges & bits_[w]);
      bits_[w] &= ~(fills | ranges);
    }
  });
  const auto counts = statistics::MissingCounts::of(counted.fill, counted.range, markers);
  present_ -= static_cast<std::size_t>(counts.total());
  return counts;
}

std::span<const std::byte> Presence::take(std::span<const std::byte> elements,
                                          base::ElementType type, std::span<std::byte> to) const {
  if (all()) return elements;
  return with_word(type, [&]<class Word>(Word) -> std::span<const std::byte> {
    std::byte* next = to.data();
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      const std::byte* const from = elements.data() + w * kWordBits * sizeof(Word);
      for (std::uint64_t rest = bits_[w]; rest != 0; rest &= rest - 1) {
        std::memmove(next, from + static_cast<std::size_t>(std::countr_zero(rest)) * sizeof(Word),
                     sizeof(Word));
        next += sizeof(Word);
      }
    }
    return to.first(present_ * sizeof(Word));
  });
}

void Presence::settle() {
  before_.clear();
  if (all()) return;
  std::int64_t before = 0;
  for (const std::uint64_t word : bits_) {
    before_.push_back(before);
    before += std::popcount(word);
  }
}

std::int64_t Presence::place(std::int64_t present) const {
  if (all()) return present;
  const auto word = std::ranges::upper_bound(before_, present) - before_.begin() - 1;
  std::uint64_t rest = bits_[static_cast<std::size_t>(word)];
  for (std::int64_t skip = present - before_[static_cast<std::size_t>(word)]; skip > 0; --skip) {
    rest &= rest - 1;
  }
  return word * static_cast<std::int64_t>(kWordBits) + std::countr_zero(rest);
}

std::span<const std::byte> PresentElements::take(std::span<const std::byte> elements) {
  presence_.begin(elements.size() / base::element_bytes(type_));
  missing_ = presence_.leave_out(elements, type_, markers_);
  presence_.settle();
  if (presence_.all()) return elements;
  if (copy_.size() < elements.size()) copy_.resize(elements.size());
  return presence_.take(elements, type_, copy_);
}

PresentPairs::Pair PresentPairs::take(std::span<const std::byte> x, std::span<const std::byte> y) {
  presence_.begin(x.size() / base::element_bytes(x_.type));
  if (x_.markers) presence_.leave_out(x, x_.type, *x_.markers);
  if (y_.markers) presence_.leave_out(y, y_.type, *y_.markers);
  if (presence_.all()) return {x, y};
  if (x_copy_.size() < x.size()) x_copy_.resize(x.size());
  if (y_copy_.size() < y.size()) y_copy_.resize(y.size());
  return {presence_.take(x, x_.type, x_copy_), presence_.take(y, y_.type, y_copy_)};
}

}  // namespace tessera::reduce
