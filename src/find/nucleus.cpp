#include "find/nucleus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "find/approach.hpp"
#include "find/enclosure.hpp"
#include "find/periods.hpp"
#include "find/ship_axis.hpp"

namespace tessera::find {
namespace {

/// Of the error of Newton's method to the size of the copy.
constexpr double kBitsBelowSize = 20;
/// Of the radius of a proof to that size, in this order.
constexpr std::array kBitsOfProof = {16.0, 28.0};
constexpr double kBitsBelowPlace = 4;

struct NucleusProof {
  std::optional<Root> root;
  bool folded = false;
  bool on_axis = false;           ///< the root is real
  std::int64_t lower_period = 0;  ///< that it may have instead; 0 = none
  Shape shape;
  std::optional<bool> cardioid;
};

/// The same for the ship, and a disc around a point of the real axis: one nucleus of the Mandelbrot
/// set is one of the ship on the axis, and there is none elsewhere.
NucleusProof prove_on_axis(const BigComplex& c, std::int64_t period, const ScaledReal& radius,
                           const Power& ship) {
  const std::vector<std::int64_t> divisors = largest_divisors(period);
  NucleusProof proof{.folded = true};
  Enclosure all(c, radius, {kernels::TS_FOLD_NONE, ship.degree});
  Derivatives derivatives(ship);
  BelowAxis below;
  bool minimal = true;
  for (std::int64_t n = 1; n <= period; ++n) {
    derivatives.step(all.leading());
    if (n > 1) below.step(all);
    all.step();
    minimal = minimal && (!std::ranges::binary_search(divisors, n) || all.excludes_zero());
  }
  proof.shape = derivatives.shape();
  if (!minimal || !below.excludes_zero()) return proof;
  proof.on_axis = true;
  proof.root =
      contracted(radius, magnitude(all.leading()), all.rounding(), all.slope(), all.slope_error());
  return proof;
}

/// Of one nucleus within the radius of c, whose least period it is.
NucleusProof prove(const BigComplex& c, std::int64_t period, const ScaledReal& radius,
                   const Power& power) {
  const std::vector<std::int64_t> divisors = largest_divisors(period);
  NucleusProof proof;
  Enclosure all(c, radius, power);
  Body body;
  const bool has_body = power.fold == kernels::TS_FOLD_NONE && power.degree == 2;
  for (std::int64_t n = 1; n <= period; ++n) {
    if (has_body && n > 1) body.step(all.leading());
    all.step();
    if (proof.lower_period == 0 && std::ranges::binary_search(divisors, n) &&
        !all.excludes_zero()) {
      proof.lower_period = n;
    }
  }
  proof.folded = all.meets_fold();
  proof.shape = all.derivatives().shape();
  if (has_body) proof.cardioid = body.is_cardioid();
  if (proof.lower_period == 0) {
    proof.root = contracted(radius, magnitude(all.leading()), all.rounding(), all.slope(),
                            all.slope_error());
  }
  return proof;
}

class NucleusFinder {
 public:
  explicit NucleusFinder(const Neighbourhood& place) : place_(place), power_(place.power()) {}

  std::variant<Nucleus, Nothing> find() {
    if (place_.formula.fold() == kernels::TS_FOLD_ABSOLUTE && lies_above()) {
      nothing_.radius = place_.radius;
      nothing_.impossible = true;
      return nothing_;
    }
    const auto found = first_certified<Nucleus, Candidates>(
        place_, nothing_,
        [&](const BigComplex& c, const Sighting& sighting, const ScaledReal& radius) {
          return certified(c, sighting, radius);
        });
    if (found) return *found;
    return nothing_;
  }

 private:
  std::optional<Nucleus> certified(const BigComplex& c, const Sighting& sighting,
                                   const ScaledReal& radius) {
    const Aim aim{ScaledReal(kReach) * radius, [&](double log2_size) {
                    return std::min(log2_size - kBitsBelowSize,
                                    log2_of_places(places_of(log2_size)) - kBitsBelowPlace);
                  }};
    auto at = approach(c, sighting, power_, aim);
    NucleusProof proof;
    while (at) {
      proof = proof_of(*at);
      if (proof.lower_period == 0) break;
      at = approach(at->c, sighted(at->c, proof.lower_period, power_), power_, aim);
    }
    if (!at) return std::nullopt;
    if (!proof.root) {
      if (proof.folded) ++nothing_.folded;
      return std::nullopt;
    }
    if (place_.radius < magnitude(leading(difference(at->c, c)))) {
      ++nothing_.outside;
      return std::nullopt;
    }
    const std::int64_t places = places_of(log2_of(at->last.size));
    const bool real =
        proof.on_axis || (power_.fold != kernels::TS_FOLD_ABSOLUTE && is_real(at->c, *proof.root));
    return Nucleus{point_of(at->c, *proof.root, places, real), at->last.period, proof.shape,
                   proof.cardioid};
  }

  bool lies_above() const {
    const auto bits = std::max<std::int64_t>(-place_.radius.e, 0) + kMoreBits;
    return lies_above_axis(point(place_.re, place_.im, bits), place_.radius);
  }

  std::int64_t places_of(double log2_size) const {
    return std::max(place_.places, places_below(std::min(log2_size, log2_of(place_.radius))));
  }

  /// Makes c a number of as many bits as the proof needs.
  NucleusProof proof_of(Approached& at) const {
    const std::int64_t period = at.last.period;
    const double log2_size = log2_of(at.last.size);
    const double least = std::max(-log2_size, -log2_of_places(places_of(log2_size)));
    at.c = with_bits(at.c,
                     static_cast<std::int64_t>(std::max(least, 0.0)) + kMoreBits + bits_of(period));
    NucleusProof proof;
    for (const double below : kBitsOfProof) {
      proof = prove(at.c, period, power_of_two(log2_size - below), power_);
      if (proof.root) return proof;
    }
    if (power_.fold == kernels::TS_FOLD_ABSOLUTE && is_at_axis(at.c, log2_size)) {
      mpfr_set_zero(at.c.im.get(), 1);
      return prove_on_axis(at.c, period, power_of_two(log2_size - kBitsOfProof.front()), power_);
    }
    return proof;
  }

  static bool is_at_axis(const BigComplex& c, double log2_size) {
    const ScaledReal height = c.im.scaled();
    return height.is_zero() || log2_of({std::abs(height.m), height.e}) < log2_size - kBitsBelowSize;
  }

  const Neighbourhood& place_;
  Power power_;
  Nothing nothing_;
};

}  // namespace

std::variant<Nucleus, Nothing> find_nucleus(const Neighbourhood& place) {
  return NucleusFinder(place).find();
}

}  // namespace tessera::find
