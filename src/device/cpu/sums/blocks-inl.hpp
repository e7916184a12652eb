// Sums an array block by block, each block with the method that its terms need.
#if defined(TESSERA_DEVICE_CPU_SUMS_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_BLOCKS_INL
#undef TESSERA_DEVICE_CPU_SUMS_BLOCKS_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_BLOCKS_INL
#endif

#include <memory>

#include "device/cpu/sums/survey-inl.hpp"
#include "device/cpu/sums/table_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

template <class Source>
class BlockSummer {
 public:
  using Sum = typename Source::Sum;
  static constexpr std::size_t kTerms = kBlockTerms;

  /// `guess` may be null.
  BlockSummer(const Source& source, Sum& to, Guess* guess)
      : source_(source), to_(to), guess_(guess) {
    if (guess != nullptr) now_ = *guess;
  }
  ~BlockSummer() {
    if (guess_ != nullptr) *guess_ = now_;
    if (table_ != nullptr) table_->table.give(to_);
  }
  BlockSummer(const BlockSummer&) = delete;
  BlockSummer& operator=(const BlockSummer&) = delete;

  void add(Block block) {
    if (!add_by(prepare(block), block)) {
      review(block);
      // The survey does not see products whose errors underflow.
      if (!add_by(now_.method, block)) add_by({2, Unusual::nans, now_.method.top}, block);
    }
    finish(block);
  }

  /// prepare() and finish() enclose a block that the caller adds itself with the returned method;
  /// what its windows leave goes to residuals().
  const Method& prepare(Block block) {
    if (now_.blocks_to_review == 0) review(block);
    residuals_.size = 0;
    return now_.method;
  }
  Residuals& residuals() { return residuals_; }
  void review_next() { now_.blocks_to_review = 0; }
  void finish(Block block) {
    // The cheapest method needs no review: it is kept until it refuses a block.
    if (now_.method.unusual != Unusual::refused || now_.method.windows != Source::kFewestWindows) {
      --now_.blocks_to_review;
    }
    for (std::size_t i = 0; i < residuals_.size; ++i) to_.add(residuals_.terms[i]);
    const bool many = residuals_.size > (block.end - block.first) / 32;
    residuals_.size = 0;
    if (many) now_.blocks_to_review = 0;
  }

 private:
  // crossed by: IsTheSameWithEveryInstructionSetWhateverFollowsWhat
  static constexpr int kBlocksPerReview = 64;
  /// After a review that found no windows for the block, the next review comes later.
  // crossed by: IsTheSameWithEveryInstructionSetWhateverFollowsWhat
  static constexpr int kBlocksInTable = 256;

  void review(Block block) {
    now_.method = choose_method(source_, block);
    now_.blocks_to_review = now_.method.windows == 0 ? kBlocksInTable : kBlocksPerReview;
  }

  bool add_by(const Method& method, Block block) {
    residuals_.size = 0;
    constexpr std::size_t kFewest = Source::kFewestWindows;
    if (method.windows == kFewest) return add_by_windows<kFewest>(method, block);
    switch (method.windows) {
      case 0:
        return add_by_table(block);
      case 2:
        return add_by_windows<2>(method, block);
      case 3:
        return windows<3, Unusual::refused>(method, block);
      case 4:
        return add_by_windows<4>(method, block);
      default:
        return windows<6, Unusual::refused>(method, block);
    }
  }

  template <std::size_t kWindows>
  bool add_by_windows(const Method& method, Block block) {
    switch (method.unusual) {
      case Unusual::refused:
        return windows<kWindows, Unusual::refused>(method, block);
      case Unusual::outliers:
        return windows<kWindows, Unusual::outliers>(method, block);
      default:
        return windows<kWindows, Unusual::nans>(method, block);
    }
  }

  template <std::size_t kWindows, Unusual kUnusual>
  bool windows(const Method& method, Block block) {
    return sum_windows<Source, kWindows, kUnusual>(source_, block, method.top, residuals_, to_);
  }

  bool add_by_table(Block block) {
    if (table_ == nullptr) table_ = std::make_unique<TableSums<Source>>();
    table_->add(source_, block, to_);
    return true;
  }

  const Source& source_;
  Sum& to_;
  Guess* guess_;
  Guess now_;
  std::unique_ptr<TableSums<Source>> table_;
  Residuals residuals_;
};

/// Records in `to` whether there was a term other than -0.0, which determines the sign of a zero
/// sum.
template <class Source>
void mark_zero(const Source& source, Block block, typename Source::Sum& to) {
  for (std::size_t i = block.first; i < block.end && !to.zero_is_positive(); ++i) {
    if (source.is_negative_zero(i)) {
      to.add_negative_zero();
    } else {
      to.add_scaled(0, 0);
    }
  }
}

/// Passes all terms to a summer in blocks of whole groups and adds the remaining ones individually.
/// Calls after(block) while the block is still in the cache.
template <class Source, class Summer, class After>
void add_blocks(const Source& source, std::size_t count, typename Source::Sum& to, Summer& summer,
                const After& after) {
  constexpr std::size_t kTerms = Summer::kTerms;
  const std::size_t whole = count - count % kGroupTerms;
  for (std::size_t at = 0; at < whole; at += kTerms) {
    const Block block{at, std::min(at + kTerms, whole)};
    summer.add(block);
    if (!to.zero_is_positive()) mark_zero(source, block, to);
    after(block);
  }
  for (std::size_t i = whole; i < count; ++i) source.add_one(i, to);
  after(Block{whole, count});
}

template <class Source>
void add_products(const Source& source, std::size_t count, SquareAccumulator& to, Guess* guess) {
  BlockSummer<Source> summer(source, to, guess);
  add_blocks(source, count, to, summer, [](Block) {});
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
