// An array summed block by block, each as its terms need it.
#if defined(TESSERA_DEVICE_CPU_EXACT_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_EXACT_BLOCKS_INL
#undef TESSERA_DEVICE_CPU_EXACT_BLOCKS_INL
#else
#define TESSERA_DEVICE_CPU_EXACT_BLOCKS_INL
#endif

#include <memory>

#include "device/cpu/exact_survey-inl.hpp"
#include "device/cpu/exponent_table-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// The terms of [at, end) as integers, for the table. Irregular ones are added by themselves.
template <class Source>
HWY_NOINLINE void add_to_table(const Source& source, std::size_t at, std::size_t end,
                               ExponentTable& table, typename Source::Sum& to) {
  constexpr std::size_t kTerms = ExponentTable::kTermsPerFold;
  // The table's additions follow the vectors at a distance, so that stores have arrived.
  constexpr std::size_t kDistance = 4 * kLanes;
  HWY_ALIGN std::int64_t significands[kTerms], fields[kTerms];
  const Real infinity = hn::Set(Reals(), std::numeric_limits<double>::infinity());
  const auto fraction_mask = hn::Set(SignedBits(), (std::int64_t{1} << 52) - 1);
  std::size_t count = 0, added = 0;
  Real smallest = infinity, largest = hn::Zero(Reals());
  for (std::size_t i = at; i < end; i += kLanes) {
    source.prefetch(i);
    const Real high = source.high(i);
    const Mask keep = regular<Source>(high, infinity);
    if (!hn::AllTrue(Reals(), keep)) {
      count_nans(source, i, to);
      add_irregular(source, i, infinity, to);
    }
    each<Source::kStreams>([&](auto s) TESSERA_INLINE_LAMBDA {
      const Real term = hn::IfThenElseZero(keep, s == 0 ? high : source.low(i, high));
      const Real size = hn::Abs(term);
      smallest = hn::Min(smallest, size);
      largest = hn::Max(largest, size);
      const auto bits = hn::BitCast(SignedBits(), size);
      const auto field = hn::ShiftRight<52>(bits);
      const auto normal = hn::Ne(field, hn::Zero(SignedBits()));
      const auto implicit =
          hn::IfThenElseZero(normal, hn::Set(SignedBits(), std::int64_t{1} << 52));
      const auto magnitude = hn::Or(hn::And(bits, fraction_mask), implicit);
      const auto sign = hn::BroadcastSignBit(hn::BitCast(SignedBits(), term));
      hn::Store(hn::Sub(hn::Xor(magnitude, sign), sign), SignedBits(), significands + count);
      hn::Store(field, SignedBits(), fields + count);
      count += kLanes;
      if (count > kDistance) {
        table.add(significands + added, fields + added);
        added += kLanes;
      }
    });
  }
  for (; added < count; added += kLanes) {
    table.add(significands + added, fields + added);
  }
  const auto field_of = [](double x) { return std::bit_cast<std::uint64_t>(x) >> 52; };
  table.fold(field_of(hn::GetLane(hn::MinOfLanes(Reals(), smallest))),
             field_of(hn::GetLane(hn::MaxOfLanes(Reals(), largest))));
}

template <class Source>
class BlockSummer {
 public:
  using Sum = typename Source::Sum;

  /// `guess` may be null.
  BlockSummer(const Source& source, Sum& to, Guess* guess)
      : source_(source), to_(to), guess_(guess) {
    if (guess != nullptr) now_ = *guess;
  }
  ~BlockSummer() {
    if (guess_ != nullptr) *guess_ = now_;
    if (table_ != nullptr) table_->give(to_);
  }
  BlockSummer(const BlockSummer&) = delete;
  BlockSummer& operator=(const BlockSummer&) = delete;

  void add(Block block) {
    if (!add_by(prepare(block), block)) {
      review(block);
      // Errors of products that underflow are not seen in a survey.
      if (!add_by(now_.method, block)) add_by({2, Strays::nans, now_.method.top}, block);
    }
    finish(block);
  }

  /// For whoever adds a block in another way, by this method: before and after it. What the windows
  /// leave goes to the spill.
  const Method& prepare(Block block) {
    if (now_.blocks_to_review == 0) review(block);
    spill_.size = 0;
    return now_.method;
  }
  Spill& spill() { return spill_; }
  void finish(Block block) {
    // The cheapest method needs no review: it stays until a block refuses it.
    if (now_.method.strays != Strays::refused || now_.method.windows != Source::kFewestWindows) {
      --now_.blocks_to_review;
    }
    for (std::size_t i = 0; i < spill_.size; ++i) to_.add(spill_.terms[i]);
    const bool many = spill_.size > (block.end - block.first) / 32;
    spill_.size = 0;
    if (many) now_.blocks_to_review = 0;
    if (!to_.zero_is_positive()) mark_zero(block);
  }

 private:
  static constexpr int kBlocksPerReview = 64;

  void review(Block block) {
    now_.method = choose_method(source_, block);
    now_.blocks_to_review = kBlocksPerReview;
  }

  bool add_by(const Method& method, Block block) {
    spill_.size = 0;
    constexpr std::size_t kFewest = Source::kFewestWindows;
    if (method.windows == kFewest) return add_by_windows<kFewest>(method, block);
    switch (method.windows) {
      case 0:
        return add_by_table(block);
      case 2:
        return add_by_windows<2>(method, block);
      case 3:
        return windows<3, Strays::refused>(method, block);
      case 4:
        return add_by_windows<4>(method, block);
      default:
        return windows<6, Strays::refused>(method, block);
    }
  }

  template <std::size_t kWindows>
  bool add_by_windows(const Method& method, Block block) {
    switch (method.strays) {
      case Strays::refused:
        return windows<kWindows, Strays::refused>(method, block);
      case Strays::outliers:
        return windows<kWindows, Strays::outliers>(method, block);
      default:
        return windows<kWindows, Strays::nans>(method, block);
    }
  }

  template <std::size_t kWindows, Strays kStrays>
  bool windows(const Method& method, Block block) {
    return sum_windows<Source, kWindows, kStrays>(source_, block, method.top, spill_, to_);
  }

  bool add_by_table(Block block) {
    if (table_ == nullptr) table_ = std::make_unique<ExponentTable>();
    constexpr std::size_t kStep = ExponentTable::kTermsPerFold / Source::kStreams;
    static_assert(kStep % kLanes == 0);
    for (std::size_t at = block.first; at < block.end; at += kStep) {
      add_to_table(source_, at, std::min(at + kStep, block.end), *table_, to_);
    }
    return true;
  }

  /// A sum of zeros takes its sign from them: was there anything but -0.0?
  void mark_zero(Block block) {
    for (std::size_t i = block.first; i < block.end && !to_.zero_is_positive(); ++i) {
      if (source_.is_negative_zero(i)) {
        to_.add_negative_zero();
      } else {
        to_.add_scaled(0, 0);
      }
    }
  }

  const Source& source_;
  Sum& to_;
  Guess* guess_;
  Guess now_;
  std::unique_ptr<ExponentTable> table_;
  Spill spill_;
};

/// All terms: whole groups by vectors, what is left one by one. Calls after(block) while a block is
/// still in the cache.
template <class Source, class After>
void add_terms(const Source& source, std::size_t count, typename Source::Sum& to, Guess* guess,
               const After& after) {
  const std::size_t whole = count - count % kGroupTerms;
  if (whole > 0) {
    BlockSummer<Source> summer(source, to, guess);
    for (std::size_t at = 0; at < whole; at += kBlockTerms) {
      const Block block{at, std::min(at + kBlockTerms, whole)};
      summer.add(block);
      after(block);
    }
  }
  for (std::size_t i = whole; i < count; ++i) source.add_one(i, to);
  after(Block{whole, count});
}

template <class Source>
void add_terms(const Source& source, std::size_t count, typename Source::Sum& to, Guess* guess) {
  add_terms(source, count, to, guess, [](Block) {});
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
