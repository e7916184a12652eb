#include "find/misiurewicz.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "find/big_linear.hpp"
#include "find/enclosure.hpp"
#include "find/orbit_pass.hpp"
#include "find/periods.hpp"

namespace tessera::find {
namespace {

/// False candidates never converge.
constexpr int kMostTrySteps = 16;
/// Steps of orbits, and passes over one, that all tries may take.
constexpr std::int64_t kMostWork = 4'000'000;
constexpr std::int64_t kFewestPasses = 48;
/// z_p = -z_0 = 0 is a nucleus.
constexpr std::int64_t kLeastPreperiod = 2;
/// Below the distance in which the orbits of two parameters part.
constexpr std::array kBitsOfMisiurewicz = {14.0, 22.0, 30.0};
/// A difference of f64 below it is taken of all bits.
constexpr double kClose = 0x1p-30;
struct Kind {
  std::int64_t preperiod = 0, period = 0;

  std::int64_t end() const { return preperiod + period; }
};

/// The last points of an orbit and their derivatives, by their number.
template <class T>
class Ring {
 public:
  explicit Ring(const T& value) : values_(kLongestCycle + 1, value) {}
  T& operator[](std::int64_t n) {
    return values_[static_cast<std::size_t>(n % (kLongestCycle + 1))];
  }

 private:
  std::vector<T> values_;
};

Complex minus(const Complex& a, const Complex& b) {
  return a + negative(b);
}

/// F = z_(k + p) - z_k, divided by z_(i + p) - z_i for all smaller i, which are 0 where a cycle of
/// the same period begins earlier.
class Divided {
 public:
  /// How far a root is by Newton's method, for this F.
  Complex step(const Complex& value, const Complex& slope) const {
    if (is_zero(value)) return {};
    return quotient(unit(), minus(quotient(slope, value), others_));
  }
  /// F is one of the divisors from now on.
  void divide_by(const Complex& value, const Complex& slope) {
    if (!is_zero(value)) others_ = others_ + quotient(slope, value);
  }

 private:
  Complex others_;  ///< the sum of slope / value of the divisors
};

/// Cycles that begin at a point within r, by one step of Newton's method, in the order of their
/// ends.
class Cycles {
 public:
  Cycles(const BigComplex& c, const ScaledReal& radius, const Power& power, std::int64_t most)
      : pass_(c, power),
        derivatives_(power),
        points_(zero(c.re.bits())),
        leading_(Complex{}),
        slopes_(Complex{}),
        radius_(radius),
        most_(most) {}

  /// Beside discs, most are false.
  static int most_tries(const Power&) { return 256; }

  std::optional<Kind> next() {
    while (true) {
      while (period_ < std::min(kLongestCycle, pass_.n())) {
        ++period_;
        if (!is_near(pass_.n() - period_)) continue;
        last_ = std::min(last_, kLatest * pass_.n() + kLongestCycle * kLatest);
        return Kind{pass_.n() - period_, period_};
      }
      if (has_ended() || pass_.n() >= most_) return std::nullopt;
      step();
    }
  }
  bool has_ended() const { return pass_.has_ended() || pass_.n() >= last_; }

 private:
  /// Cycles that begin so much later than the first one are those of other points.
  static constexpr std::int64_t kLatest = 3;

  void step() {
    derivatives_.step(pass_.leading());
    pass_.step();
    points_[pass_.n()] = pass_.z();
    leading_[pass_.n()] = pass_.leading();
    slopes_[pass_.n()] = derivatives_.of_c().alpha;
    period_ = 0;
  }

  bool is_near(std::int64_t k) {
    const Complex value = from(k);
    const Complex slope = minus(slopes_[pass_.n()], slopes_[k]);
    Divided& divided = divided_[static_cast<std::size_t>(period_ - 1)];
    const Complex step = divided.step(value, slope);
    divided.divide_by(value, slope);
    return k >= kLeastPreperiod && magnitude(value) < radius_ * magnitude(slope) &&
           magnitude(step) < radius_;
  }

  /// z_n - z_k
  Complex from(std::int64_t k) {
    const Complex rough = minus(leading_[pass_.n()], leading_[k]);
    if (ScaledReal(kClose) < magnitude(rough)) return rough;
    return find::leading(difference(pass_.z(), points_[k]));
  }

  OrbitPass pass_;
  Derivatives derivatives_;
  Ring<BigComplex> points_;
  Ring<Complex> leading_, slopes_;
  ScaledReal radius_;
  std::int64_t most_;
  std::int64_t last_ = std::numeric_limits<std::int64_t>::max() / kLatest;
  std::int64_t period_ = 0;
  std::array<Divided, kLongestCycle> divided_;
};

/// A pass over the orbit of c.
class DividedPass {
 public:
  DividedPass(const BigComplex& c, const Kind& kind, const Power& power)
      : points_(zero(c.re.bits())), slopes_(zero(c.re.bits())) {
    OrbitPass pass(c, power);
    BigLinear slope(c.re.bits());
    for (std::int64_t n = 1; n <= kind.end(); ++n) {
      slope.step(pass.z(), power, false);
      pass.step();
      points_[n] = pass.z();
      slopes_[n] = slope.alpha();
      if (n >= kind.period) add(n, kind);
    }
  }

  /// How far the root is.
  const Complex& step() const { return step_; }
  const Complex& slope() const { return slope_; }

 private:
  void add(std::int64_t n, const Kind& kind) {
    const std::int64_t i = n - kind.period;
    const Complex value = leading(difference(points_[n], points_[i]));
    slope_ = leading(difference(slopes_[n], slopes_[i]));
    if (i == kind.preperiod) step_ = divided_.step(value, slope_);
    divided_.divide_by(value, slope_);
  }

  Ring<BigComplex> points_, slopes_;
  Divided divided_;
  Complex step_, slope_;
};

struct MisiurewiczProof {
  std::optional<Root> root;
  Complex multiplier = unit();  ///< of the cycle
};

/// What an enclosure knew of a point.
struct Known {
  BigComplex z;
  ScaledReal disc, rounding, slope_error;
  Linear slope;
};

Known known_of(const Enclosure& all) {
  return {all.z(), all.disc(), all.rounding(), all.slope_error(), all.slope()};
}

/// Whether no parameter has both points equal.
bool are_apart(const Enclosure& all, const Known& other) {
  const ScaledReal distance = magnitude(leading(difference(all.z(), other.z)));
  return upwards(all.disc() + other.disc) < downwards(distance);
}

/// Of one point within the radius of c of this kind and no simpler one.
MisiurewiczProof prove(const BigComplex& c, const Kind& kind, const ScaledReal& radius,
                       const Power& power) {
  const std::vector<std::int64_t> divisors = largest_divisors(kind.period);
  MisiurewiczProof proof;
  std::optional<Known> before;
  std::optional<Known> first;
  bool simplest = true;
  Enclosure all(c, radius, power);
  for (std::int64_t n = 1; n <= kind.end(); ++n) {
    if (n > kind.preperiod) {
      proof.multiplier = slope_at(all.leading(), power).factor * proof.multiplier;
    }
    all.step();
    if (n == kind.preperiod - 1) before = known_of(all);
    if (n == kind.preperiod) first = known_of(all);
    if (n > kind.preperiod && std::ranges::binary_search(divisors, n - kind.preperiod)) {
      simplest = simplest && are_apart(all, *first);
    }
    if (n == kind.end() - 1) {
      simplest = simplest && (before ? are_apart(all, *before) : all.excludes_zero());
    }
  }
  if (!simplest) return proof;
  const Linear slope{minus(all.slope().alpha, first->slope.alpha), {}};
  const ScaledReal norms = all.slope().norm() + first->slope.norm();
  const ScaledReal value = magnitude(leading(difference(all.z(), first->z)));
  const ScaledReal rounded =
      all.rounding() + first->rounding + value * ScaledReal(1.0, -c.re.bits());
  proof.root =
      contracted(radius, value, upwards(rounded), slope,
                 upwards(all.slope_error() + first->slope_error + norms * ScaledReal(0x1p-50)));
  return proof;
}

class MisiurewiczFinder {
 public:
  explicit MisiurewiczFinder(const Neighbourhood& place) : place_(place), power_(place.power()) {}

  std::variant<Misiurewicz, Nothing> find() {
    const auto found = first_certified<Misiurewicz, Cycles>(
        place_, nothing_, [&](const BigComplex& c, const Kind& kind, const ScaledReal& radius) {
          return certified(c, kind, radius);
        });
    if (found) return *found;
    return nothing_;
  }

 private:
  /// Newton's method, with twice the bits after each step.
  std::optional<Misiurewicz> certified(const BigComplex& start, const Kind& kind,
                                       const ScaledReal& radius) {
    BigComplex c = start;
    for (int step = 0; step < kMostTrySteps && may_pass(kind); ++step) {
      const DividedPass pass(c, kind, power_);
      const Complex& move = pass.step();
      if (!std::isfinite(move.re) || !std::isfinite(move.im)) return std::nullopt;
      subtract(c, move);
      if (ScaledReal(kReach) * radius < magnitude(leading(difference(c, start)))) {
        return std::nullopt;
      }
      const double scale = std::min(-log2_of(magnitude(pass.slope())), log2_of(radius));
      const double goal = log2_of_places(places_of(scale)) - 4;
      const double size = is_zero(move) ? goal : log2_of(magnitude(move));
      if (size < (goal + scale) / 2) return proven(c, kind, scale, start);
      const double bits = std::min(-2 * size, -goal) + static_cast<double>(kMoreBits) +
                          2 * static_cast<double>(bits_of(kind.end()));
      c = with_bits(c, std::max(c.re.bits(), static_cast<std::int64_t>(bits)));
    }
    return std::nullopt;
  }

  /// Whether the tries may take another pass over such an orbit.
  bool may_pass(const Kind& kind) {
    work_ += kind.end();
    return work_ <= std::max(kMostWork, kFewestPasses * kind.end());
  }

  std::optional<Misiurewicz> proven(BigComplex& c, const Kind& kind, double scale,
                                    const BigComplex& start) {
    const std::int64_t places = places_of(scale);
    c = with_bits(
        c, static_cast<std::int64_t>(-log2_of_places(places)) + kMoreBits + bits_of(kind.end()));
    if (place_.radius < magnitude(leading(difference(c, start)))) {
      ++nothing_.outside;
      return std::nullopt;
    }
    for (const double below : kBitsOfMisiurewicz) {
      const ScaledReal radius = power_of_two(scale - below);
      const MisiurewiczProof proof = prove(c, kind, radius, power_);
      if (!proof.root) continue;
      return Misiurewicz{point_of(c, *proof.root, places, is_real(c, *proof.root)), kind.preperiod,
                         kind.period, magnitude(proof.multiplier),
                         argument(proof.multiplier) * 180 / std::numbers::pi};
    }
    return std::nullopt;
  }

  std::int64_t places_of(double scale) const {
    return std::max(place_.places, places_below(scale));
  }

  const Neighbourhood& place_;
  std::int64_t work_ = 0;  ///< steps of orbits
  Power power_;
  Nothing nothing_;
};

}  // namespace

std::variant<Misiurewicz, Nothing> find_misiurewicz(const Neighbourhood& place) {
  return MisiurewiczFinder(place).find();
}

}  // namespace tessera::find
