// Sums by exponent, for terms that windows are too narrow for: significands of one exponent are
// added as integers. Source: the large superaccumulator of R. M. Neal, arXiv 1505.05571, with
// signed entries.
#if defined(TESSERA_DEVICE_CPU_EXPONENT_TABLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_EXPONENT_TABLE_INL
#undef TESSERA_DEVICE_CPU_EXPONENT_TABLE_INL
#else
#define TESSERA_DEVICE_CPU_EXPONENT_TABLE_INL
#endif

#include <cstdint>

#include "device/cpu/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

using SignedBits = hn::RebindToSigned<Reals>;

class ExponentTable {
 public:
  /// That many significands of 53 bits fit into an entry between two calls of fold.
  static constexpr std::size_t kTermsPerFold = 1008;

  /// Adds a vector of significands, each to the entry of its exponent field.
  HWY_INLINE void add(const std::int64_t* significands, const std::int64_t* fields) {
    each<kLanes>([&](auto i) TESSERA_INLINE_LAMBDA {
      low_[static_cast<std::size_t>(fields[i])] += significands[i];
    });
  }

  /// To be called at least every kTermsPerFold terms, with the lowest and highest fields of these.
  HWY_INLINE void fold(std::size_t lowest, std::size_t highest) {
    const SignedBits d;
    const auto low_half = hn::Set(d, 0xffffffff);
    for (std::size_t i = lowest / kLanes * kLanes; i <= highest; i += kLanes) {
      const auto low = hn::Load(d, low_ + i);
      hn::Store(hn::Add(hn::Load(d, high_ + i), hn::ShiftRight<32>(low)), d, high_ + i);
      hn::Store(hn::And(low, low_half), d, low_ + i);
    }
  }

  template <class Sum>
  void give(Sum& to) const {
    for (std::size_t field = 0; field < kFields; ++field) {
      if (high_[field] != 0) to.add_scaled(high_[field], exponent_of(field) + 32);
      if (low_[field] != 0) to.add_scaled(low_[field], exponent_of(field));
    }
  }

 private:
  static constexpr std::size_t kFields = 2048;

  /// Of the last bit of an f64 with this exponent field.
  static int exponent_of(std::size_t field) {
    return field == 0 ? -1074 : static_cast<int>(field) - 1075;
  }

  alignas(64) std::int64_t low_[kFields] = {};
  alignas(64) std::int64_t high_[kFields] = {};
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
