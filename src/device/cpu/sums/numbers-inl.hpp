// Sums numbers by plain additions if these are exact, otherwise block by block with the method that
// is needed.
#if defined(TESSERA_DEVICE_CPU_SUMS_NUMBERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_NUMBERS_INL
#undef TESSERA_DEVICE_CPU_SUMS_NUMBERS_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_NUMBERS_INL
#endif

#include "device/cpu/sums/blocks-inl.hpp"
#include "device/cpu/sums/plain-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Tries plain additions first; otherwise uses windows or the exponent table.
template <class Source>
class NumberSummer {
 public:
  NumberSummer(const Source& source, Superaccumulator& to, Guesses& guesses)
      : guesses_(guesses),
        to_(to),
        plain_(source, guesses.plain),
        blocks_(source, to, &guesses.terms) {}
  ~NumberSummer() { add_deferred(); }
  NumberSummer(const NumberSummer&) = delete;
  NumberSummer& operator=(const NumberSummer&) = delete;

  static constexpr std::size_t kTerms = kPlainStretch;

  /// Adds a block of at most kTerms terms.
  void add(Block block) {
    if (plain_.rests(block.end - block.first)) {
      return each_block<kBlockTerms>(block, [&](Block one) { blocks_.add(one); });
    }
    make_room(block);
    if (plain_.add(block, deferred_)) return;
    each_block<kPlainTerms<Source>>(block, [&](Block one) {
      make_room(one);
      if (!plain_.add_again(one, deferred_)) blocks_.add(one);
    });
  }

 private:
  template <std::size_t kMax, class F>
  static void each_block(Block all, const F& f) {
    for (std::size_t at = all.first; at < all.end; at += kMax) {
      f(Block{at, std::min(at + kMax, all.end)});
    }
  }

  void make_room(Block block) {
    if (deferred_.size + max_deferred(block) > Deferred::kTerms) add_deferred();
  }

  HWY_NOINLINE void add_deferred() {
    while (deferred_.size % kGroupTerms != 0) deferred_.terms[deferred_.size++] = 0;
    if (deferred_.size == 0) return;
    const Numbers<double, false> terms(deferred_.terms);
    BlockSummer<Numbers<double, false>>(terms, to_, &guesses_.deferred).add({0, deferred_.size});
    deferred_.size = 0;
  }

  Guesses& guesses_;
  Superaccumulator& to_;
  PlainSummer<Source> plain_;
  BlockSummer<Source> blocks_;
  Deferred deferred_;
};

template <class Source, class After>
void add_numbers(const Source& source, std::size_t count, Superaccumulator& to, Guesses* guesses,
                 const After& after) {
  Guesses own;
  NumberSummer<Source> summer(source, to, guesses != nullptr ? *guesses : own);
  add_blocks(source, count, to, summer, after);
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
