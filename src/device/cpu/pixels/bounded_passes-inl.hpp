// The passes over the orbits in f64 that stay within R. Each pass compacts their list, and moves
// those that leave to another.
#if defined(TESSERA_DEVICE_CPU_PIXELS_BOUNDED_PASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_BOUNDED_PASSES_INL
#undef TESSERA_DEVICE_CPU_PIXELS_BOUNDED_PASSES_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_BOUNDED_PASSES_INL
#endif

#include <algorithm>
#include <bit>

#include "device/cpu/pixels/bounded_group-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

struct BoundedPass {
  /// Count of every z in the list when the pass starts, from the n of its origin on.
  std::uint64_t n;
  std::uint64_t steps;  ///< of the pass
  bool joins;           ///< the bounds had another scale before
  double last;          ///< the last n that is tested
};

/// Advances one group by a pass. Returns the steps of each of its pixels.
template <class Formula, std::size_t kVectors, bool kAgain>
HWY_NOINLINE std::uint64_t advance_bounded(const ExactLimits& limits, const BoundedPass& pass,
                                           std::size_t first, std::size_t& kept,
                                           ExactWorkspace& exact) {
  BoundedGroup<Formula, kVectors, kAgain> group;
  group.load(exact.active, first);
  const Real last = ts_real(pass.last);
  std::uint64_t done = 0;
  if (pass.n < kExactBlock) {
    group.first_block(limits, pass.steps);
    done = pass.steps;
    group.collect(limits, first, pass.n, 1, last, exact);
  } else {
    const QuickBound& quick = limits.quick[kernels::ts_quick_of(pass.n)];
    pass.joins ? group.join(quick) : group.scale(quick.scale);
    do {
      const std::uint64_t steps = std::min<std::uint64_t>(kExactBlock, pass.steps - done);
      group.block(quick, steps);
      group.collect(limits, first, pass.n + done, quick.unscaled, last, exact);
      group.drop_returned(exact.active, first, quick.unscaled);
      done += steps;
    } while (done < pass.steps && group.any_alive());
    group.scale(quick.unscaled);
  }
  kept = group.keep(exact.active, first, kept);
  return done;
}

template <class Formula, bool kAgain>
HWY_INLINE std::uint64_t run_bounded_pass(const ExactLimits& limits, const BoundedPass& pass,
                                          Workspace& work, ExactWorkspace& exact) {
  const std::size_t size = exact.active.size;
  std::uint64_t executed = 0;
  std::size_t kept = 0;
  for (std::size_t first = 0; first < size;) {
    if (pass.steps > kStepsPerQuestion && work.is_unwanted()) break;
    const std::size_t left = size - first;
    const bool many = left > kLanes;
    const std::size_t vectors = many ? kBoundedVectors : 1;
    const std::uint64_t steps =
        many ? advance_bounded<Formula, kBoundedVectors, kAgain>(limits, pass, first, kept, exact)
             : advance_bounded<Formula, 1, kAgain>(limits, pass, first, kept, exact);
    executed += steps * std::min(left, vectors * kLanes);
    first += vectors * kLanes;
  }
  exact.active.size = kept;
  return executed;
}

/// Runs all passes from n to `end`. All pixels have the count N before, which those that stay keep.
/// `last`: the last n that is tested. Returns the executed orbit steps.
template <class Formula, bool kAgain>
HWY_NOINLINE std::uint64_t bounded_passes(const ExactLimits& limits, std::uint64_t n,
                                          std::uint64_t end, std::uint64_t last, Workspace& work,
                                          ExactWorkspace& exact) {
  static_assert(kExactBlock == kBlockSteps);
  BoundedList& list = exact.active;
  std::uint64_t executed = 0;
  std::uint64_t next_save = kExactBlock;
  std::uint64_t requested = kExactBlock;
  std::size_t joined = n < kExactBlock ? 0 : kernels::ts_quick_of(kExactBlock - 1);
  while (n < end && list.size > 0) {
    const std::size_t before = list.size;
    const std::size_t quick = kernels::ts_quick_of(n);
    // Up to where the next bounds begin.
    const std::uint64_t octave = (std::bit_ceil(n + 1) - n + kExactBlock - 1) / kExactBlock;
    std::uint64_t steps = n < kExactBlock ? kExactBlock : std::min(requested, octave * kExactBlock);
    steps = std::min(steps, end - n);
    if (work.unwanted) steps = std::min(steps, kMaxInterruptibleSteps);
    const BoundedPass pass{n, steps, n >= kExactBlock && quick != joined,
                           static_cast<double>(last)};
    executed += run_bounded_pass<Formula, kAgain>(limits, pass, work, exact);
    joined = n < kExactBlock ? kernels::ts_quick_of(kExactBlock - 1) : quick;
    n += steps;
    if (n >= next_save) {  // Brent (1980)
      std::copy_n(list.x.data(), list.size, list.saved_x.data());
      std::copy_n(list.y.data(), list.size, list.saved_y.data());
      std::copy_n(list.bound.data(), list.size, list.saved_bound.data());
      next_save = n + n / 2;
    }
    requested = next_steps(requested, n, before, list.size);
  }
  list.size = 0;
  return executed;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
