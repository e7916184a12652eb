// Exact sums by the best instruction set of this machine.
#include "device/cpu/sums/exact_sum.hpp"

#include "device/cpu/simd/pick_sets.hpp"

namespace tessera::device::cpu {

namespace {

const ExactSumSet& best() {
  static const ExactSumSet set = exact_sum_sets().front();
  return set;
}

}  // namespace

std::vector<ExactSumSet> exact_sum_sets() {
  return pick_sets<ExactSumSet>(
      []<std::int64_t kTarget>(TargetBit<kTarget>) { return exact_sum_set<kTarget>(); });
}

void exact_sum(std::span<const double> x, Superaccumulator& sum) {
  best().f64.sum(x, sum, {});
}
void exact_sum(std::span<const float> x, Superaccumulator& sum) {
  best().f32.sum(x, sum, {});
}
void exact_absolute_sum(std::span<const double> x, Superaccumulator& sum) {
  best().f64.absolute_sum(x, sum, {});
}
void exact_absolute_sum(std::span<const float> x, Superaccumulator& sum) {
  best().f32.absolute_sum(x, sum, {});
}
void exact_sum_of_squares(std::span<const double> x, SquareAccumulator& squares) {
  best().f64.dot(x, x, squares, {});
}
void exact_sum_of_squares(std::span<const float> x, SquareAccumulator& squares) {
  best().f32.dot(x, x, squares, {});
}
void exact_dot(std::span<const double> x, std::span<const double> y, SquareAccumulator& products) {
  best().f64.dot(x, y, products, {});
}
void exact_dot(std::span<const float> x, std::span<const float> y, SquareAccumulator& products) {
  best().f32.dot(x, y, products, {});
}
void exact_moments(std::span<const double> x, Superaccumulator& sum, SquareAccumulator& squares) {
  best().f64.moments(x, sum, squares, {});
}
void exact_moments(std::span<const float> x, Superaccumulator& sum, SquareAccumulator& squares) {
  best().f32.moments(x, sum, squares, {});
}

}  // namespace tessera::device::cpu
