// Sum and sum of squares of the same numbers; each number is loaded once.
#if defined(TESSERA_DEVICE_CPU_SUMS_MOMENTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_MOMENTS_INL
#undef TESSERA_DEVICE_CPU_SUMS_MOMENTS_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_MOMENTS_INL
#endif

#include "device/cpu/passes/array_extremes.hpp"
#include "device/cpu/sums/blocks-inl.hpp"
#include "device/cpu/sums/integers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

template <class T>
class MomentSummer {
 public:
  using Terms = Numbers<T, false>;
  using Squares = Products<T, true>;

  MomentSummer(std::span<const T> x, Superaccumulator& sum, SquareAccumulator& sum_of_squares,
               Guesses& guesses)
      : x_(x.data()),
        terms_(x.data()),
        squares_(x.data(), x.data(), kWindowTerms),
        sum_(sum),
        sum_of_squares_(sum_of_squares),
        integers_(guesses.integers),
        term_blocks_(terms_, sum, &guesses.terms),
        square_blocks_(squares_, sum_of_squares, &guesses.products) {}

  /// Most terms of a call of add().
  static constexpr std::size_t kTerms = kIntegerBytes / sizeof(T);

  /// If `extremes` is not null, updates it with the block's extremes if that is free. Returns
  /// whether it did.
  bool add(Block block, Extremes<T>* extremes) {
    const bool all = extremes != nullptr ? add_integers<true>(block, extremes)
                                         : add_integers<false>(block, extremes);
    if (!sum_.zero_is_positive()) mark_zero(terms_, block, sum_);
    if (!sum_of_squares_.zero_is_positive()) mark_zero(squares_, block, sum_of_squares_);
    return all;
  }

 private:
  /// Terms of a block in windows. A sum alone waits for memory, squares alone wait for arithmetic:
  /// while a block is squared, the next one is fetched.
  // crossed by: of_blocks_of_sums
  static constexpr std::size_t kWindowTerms = 12288 / sizeof(T);
  static_assert(kWindowTerms <= kBlockTerms && kWindowTerms % kGroupTerms == 0);
  static constexpr std::size_t kFewest = Terms::kFewestWindows;
  /// Number of vectors in flight, such that the sums of that many windows fit into the registers.
  static constexpr std::size_t chains(std::size_t windows) {
    return HWY_TARGET > HWY_AVX3 ? 1 : windows <= 3 ? 4 : 2;
  }

  template <bool kExtremes>
  bool add_integers(Block block, Extremes<T>* extremes) {
    const Block first{block.first, std::min(block.first + kWindowTerms, block.end)};
    const Method terms = term_blocks_.prepare(first);
    if (terms.windows > 0 && terms.unusual == Unusual::refused && integers_.allows()) {
      // Windows tolerate terms slightly larger than they were chosen for, integers do not.
      if (add_integer_moments<T, kExtremes>(x_, block, terms.top + 1, sum_, sum_of_squares_,
                                            extremes)) {
        integers_.succeeded();
        term_blocks_.finish(block);
        return true;
      }
      integers_.failed();
      term_blocks_.review_next();
    }
    bool all = true;
    for (std::size_t at = block.first; at < block.end; at += kWindowTerms) {
      all &= add_windows<kExtremes>({at, std::min(at + kWindowTerms, block.end)}, extremes);
    }
    return all;
  }

  template <bool kExtremes>
  bool add_windows(Block block, Extremes<T>* extremes) {
    const Method terms = term_blocks_.prepare(block);
    const Method squares = square_blocks_.prepare(block);
    if (add_both<kExtremes>(terms, squares, block, extremes)) {
      term_blocks_.finish(block);
      square_blocks_.finish(block);
      return true;
    }
    term_blocks_.add(block);
    square_blocks_.add(block);
    return false;
  }

  template <bool kExtremes>
  bool add_both(const Method& terms, const Method& squares, Block block, Extremes<T>* extremes) {
    if (terms.windows == 0 || squares.windows == 0 || terms.unusual == Unusual::nans ||
        squares.unusual == Unusual::nans) {
      return false;
    }
    if (terms.windows <= kFewest && squares.windows <= 2) {
      return add_by<kExtremes, kFewest, 2>(terms, squares, block, extremes);
    }
    if (terms.windows <= 2 && squares.windows <= 3)
      return add_by<kExtremes, 2, 3>(terms, squares, block, extremes);
    return false;
  }

  template <bool kExtremes, std::size_t kTermWindows, std::size_t kSquareWindows>
  bool add_by(const Method& terms, const Method& squares, Block block, Extremes<T>* extremes) {
    if (terms.unusual == Unusual::refused && squares.unusual == Unusual::refused) {
      return windows<kExtremes, kTermWindows, kSquareWindows, Unusual::refused>(
          terms.top, squares.top, block, extremes);
    }
    return windows<kExtremes, kTermWindows, kSquareWindows, Unusual::outliers>(
        terms.top, squares.top, block, extremes);
  }

  /// As sum_windows, for the numbers and their squares.
  template <bool kExtremes, std::size_t kTermWindows, std::size_t kSquareWindows, Unusual kUnusual>
  HWY_NOINLINE bool windows(int top, int square_top, Block block, Extremes<T>* extremes) {
    constexpr std::size_t kChains = chains(kTermWindows + Squares::kStreams * kSquareWindows);
    using OfTerms = Windows<Terms, kTermWindows, kChains>;
    using OfSquares = Windows<Squares, kSquareWindows, kChains>;
    if (kUnusual != Unusual::refused) {
      square_top = std::min(kHighestTop, std::max(square_top, 2 * OfTerms::limit(top) + 1));
    }
    OfTerms terms(OfTerms::first_window(top));
    OfSquares squares(OfSquares::first_window(square_top));
    const int limit_exponent = std::min(OfTerms::limit(top), OfSquares::limit(square_top) >> 1);
    const Real limit = hn::Set(Reals(), power_of_two(limit_exponent));
    // If a square is at least this large, the windows hold all bits of it and of its number.
    const int whole_exponent = std::clamp(
        std::max(OfSquares::lowest_whole(square_top), 2 * OfTerms::lowest_whole(top)), -959, 1023);
    const Real whole = hn::Set(Reals(), power_of_two(whole_exponent));
    const Real tiny = hn::Set(Reals(), kSmallestSafeProduct);
    Findings found;
    Real least, greatest;
    if constexpr (kExtremes) {
      least = hn::Set(Reals(), extremes->least);
      greatest = hn::Set(Reals(), extremes->greatest);
    }
    for (std::size_t i = block.first; i < block.end; i += kChains * kLanes) {
      found.begin_group();
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
        const std::size_t at = i + c * kLanes;
        terms_.prefetch(at);
        Real x = terms_.high(at);
        if constexpr (kExtremes) {
          least = hn::Min(least, x);
          greatest = hn::Max(greatest, x);
        }
        if constexpr (kUnusual != Unusual::refused) {
          const Real kept = hn::IfThenElseZero(regular_factor(x, limit), x);
          found.compare(x, kept, found.left);
          x = kept;
        }
        Real products[Squares::kStreams];
        products[0] = hn::Mul(x, x);
        if constexpr (Squares::kStreams == 2) products[1] = hn::MulSub(x, x, products[0]);
        found.smallest = hn::Min(products[0], found.smallest);
        take_terms<kUnusual, false>(&x, c, terms, found);
        take_terms<kUnusual, false>(products, c, squares, found);
      });
      if (HWY_LIKELY(found.group_is_done(whole))) continue;
      bool lost = false;
      each<kChains>([&](auto c) TESSERA_INLINE_LAMBDA {
        const std::size_t at = i + c * kLanes;
        term_blocks_.residuals().push_nonzero(terms.left(0, c));
        each<Squares::kStreams>([&](auto s) TESSERA_INLINE_LAMBDA {
          square_blocks_.residuals().push_nonzero(squares.left(s, c));
        });
        const Real x = terms_.high(at);
        if constexpr (kUnusual != Unusual::refused) {
          add_unusual(at, hn::Not(regular_factor(x, limit)));
        } else if constexpr (Squares::kCanUnderflow) {
          const Mask small = hn::And(hn::Lt(hn::Mul(x, x), tiny), hn::Ne(x, hn::Zero(Reals())));
          lost |= !hn::AllFalse(Reals(), small);
        }
      });
      if (lost) return false;
    }
    if (!stayed_in_binade(found.moved)) return false;
    if constexpr (kExtremes) {
      extremes->least = static_cast<T>(hn::GetLane(hn::MinOfLanes(Reals(), least)));
      extremes->greatest = static_cast<T>(hn::GetLane(hn::MaxOfLanes(Reals(), greatest)));
    }
    terms.give(OfTerms::first_window(top), sum_);
    squares.give(OfSquares::first_window(square_top), sum_of_squares_);
    return true;
  }

  /// Numbers that the windows can hold, together with their squares.
  static HWY_INLINE Mask regular_factor(Real x, Real limit) {
    const Real size = hn::Abs(x);
    const Mask below = hn::Lt(size, limit);
    if constexpr (!Squares::kCanUnderflow) return below;
    return hn::And(below, hn::Ge(size, hn::Set(Reals(), kSmallestSafeFactor)));
  }

  HWY_NOINLINE void add_unusual(std::size_t at, Mask unusual) {
    alignas(8) std::uint8_t bits[8] = {};
    hn::StoreMaskBits(Reals(), unusual, bits);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if ((bits[lane / 8] >> (lane % 8) & 1) == 0) continue;
      if (terms_.is_zero(at + lane)) continue;
      terms_.add_one(at + lane, sum_);
      squares_.add_one(at + lane, sum_of_squares_);
    }
  }

  const T* x_;
  const Terms terms_;
  const Squares squares_;
  Superaccumulator& sum_;
  SquareAccumulator& sum_of_squares_;
  Backoff& integers_;
  BlockSummer<Terms> term_blocks_;
  BlockSummer<Squares> square_blocks_;
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
