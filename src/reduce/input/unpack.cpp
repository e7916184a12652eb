#include "reduce/input/unpack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/vector_clones.hpp"
#include "statistics/half.hpp"

namespace tessera::reduce {
namespace {

/// In the first-level cache, with their values.
// crossed by: RoundsTwiceInBlocksOfAnySize
constexpr std::size_t kBlock = 1024;

/// Tags the bits of an f16.
struct Half {
  std::uint16_t bits;
};

template <class T>
using WordOf = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The value of an element for comparisons and arithmetic.
template <class S>
auto number_of(S x) {
  if constexpr (std::is_same_v<S, Half>) {
    return statistics::widen_half(x.bits);
  } else {
    return x;
  }
}

template <class T>
constexpr bool kFloating = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

/// Unpacks elements that are seen as S to values of type V. Loops over blocks, one for each step,
/// so that the compiler can use vectors.
template <class S, class V>
class Unpacker {
  using Number = decltype(number_of(S()));
  using Word = WordOf<V>;

 public:
  explicit Unpacker(const ElementRule& rule) : rule_(rule) {
    if (rule.markers) {
      fill_ = static_cast<Word>(rule.markers->fill);
      range_ = static_cast<Word>(rule.markers->range);
    } else if constexpr (kFloating<V>) {
      fill_ = range_ = nan_;
    }
  }

  TESSERA_WITH_AND_WITHOUT_AVX2 void run(std::span<const std::byte> stored,
                                         std::span<std::byte> values) {
    const std::size_t all = stored.size() / sizeof(S);
    for (std::size_t first = 0; first < all; first += kBlock) {
      count_ = std::min(kBlock, all - first);
      std::array<S, kBlock> elements;
      std::memcpy(elements.data(), stored.data() + first * sizeof(S), count_ * sizeof(S));
      for (std::size_t i = 0; i < count_; ++i) numbers_[i] = number_of(elements[i]);
      convert(elements);
      if (rule_.may_miss()) mark();
      std::memcpy(values.data() + first * sizeof(V), words_.data(), count_ * sizeof(V));
    }
  }

 private:
  void convert(const std::array<S, kBlock>& elements) {
    if constexpr (std::is_same_v<S, V>) {
      if (!rule_.scale && !rule_.offset) {
        std::memcpy(words_.data(), elements.data(), count_ * sizeof(V));
        return;
      }
    }
    if constexpr (std::is_floating_point_v<V>) {
      std::array<V, kBlock> values;
      for (std::size_t i = 0; i < count_; ++i) values[i] = static_cast<V>(numbers_[i]);
      if (rule_.to_bool) {
        for (V& value : values) value = value != 0 ? V{1} : V{0};
      }
      if (rule_.scale) {
        const V scale = static_cast<V>(*rule_.scale);
        for (std::size_t i = 0; i < count_; ++i) values[i] *= scale;
      }
      if (rule_.offset) {
        const V offset = static_cast<V>(*rule_.offset);
        for (std::size_t i = 0; i < count_; ++i) values[i] += offset;
      }
      std::memcpy(words_.data(), values.data(), count_ * sizeof(V));
    } else if constexpr (sizeof(S) == sizeof(V)) {
      std::memcpy(words_.data(), elements.data(), count_ * sizeof(V));
      if (!rule_.to_bool) return;
      for (std::size_t i = 0; i < count_; ++i) words_[i] = words_[i] != 0 ? 1 : 0;
    }
  }

  /// _FillValue counts before valid_range.
  void mark() {
    if constexpr (kFloating<V>) {
      if (rule_.markers) {
        for (std::size_t i = 0; i < count_; ++i) {
          words_[i] = words_[i] == fill_ || words_[i] == range_ ? nan_ : words_[i];
        }
      }
    }
    if (rule_.range) mark_range();
    if constexpr (kFloating<S>) {
      for (const double missing : rule_.missing_reals) mark_equal(static_cast<Number>(missing));
      if (!rule_.nan_is_missing) return;
      for (std::size_t i = 0; i < count_; ++i) {
        words_[i] = numbers_[i] != numbers_[i] ? fill_ : words_[i];
      }
    } else {
      for (const std::int64_t missing : rule_.missing_integers) {
        mark_equal(static_cast<Number>(missing));
      }
    }
  }

  void mark_equal(Number missing) {
    for (std::size_t i = 0; i < count_; ++i) {
      words_[i] = numbers_[i] == missing ? fill_ : words_[i];
    }
  }

  void mark_range() {
    if constexpr (kFloating<S>) {
      const auto [least, greatest] = std::pair{rule_.range->least, rule_.range->greatest};
      mark_outside<double>(least, greatest);
    } else {
      mark_outside<Number>(static_cast<Number>(rule_.range->min_integer),
                           static_cast<Number>(rule_.range->greatest_integer));
    }
  }

  template <class T>
  void mark_outside(T least, T greatest) {
    for (std::size_t i = 0; i < count_; ++i) {
      const T x = numbers_[i];
      words_[i] = x < least || x > greatest ? range_ : words_[i];
    }
  }

  static constexpr Word quiet_nan() {
    if constexpr (std::is_same_v<V, Half>) {
      return 0x7e00;
    } else if constexpr (std::is_floating_point_v<V>) {
      return std::bit_cast<Word>(std::numeric_limits<V>::quiet_NaN());
    } else {
      return 0;
    }
  }

  const ElementRule& rule_;
  const Word nan_ = quiet_nan();
  Word fill_ = 0, range_ = 0;
  std::size_t count_ = 0;
  std::array<Number, kBlock> numbers_{};
  std::array<Word, kBlock> words_{};
};

/// visit(S()), with Half for f16.
template <class Visit>
void with_seen_type(base::ElementType type, const Visit& visit) {
  if (type == base::ElementType::f16) return visit(Half{});
  base::with_element_type(type, [&](auto of) {
    // Those of f16 have gone the other way.
    visit(of);
  });
}

}  // namespace

void unpack(const ElementRule& rule, std::span<const std::byte> stored,
            std::span<std::byte> values) {
  with_seen_type(rule.seen, [&]<class S>(S) {
    if (rule.value == base::ElementType::f64) return Unpacker<S, double>(rule).run(stored, values);
    if (rule.value == base::ElementType::f32) return Unpacker<S, float>(rule).run(stored, values);
    if constexpr (std::is_same_v<S, Half>) {
      Unpacker<S, Half>(rule).run(stored, values);
    } else if (rule.to_bool) {
      Unpacker<S, WordOf<S>>(rule).run(stored, values);
    } else {
      Unpacker<S, S>(rule).run(stored, values);
    }
  });
}

}  // namespace tessera::reduce
