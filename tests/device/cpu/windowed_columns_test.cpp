// Sums of columns and rows of matrices, with every instruction set, against superaccumulators.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "device/cpu/cpu_target.hpp"

namespace tessera::device::cpu {
namespace {

using kernels::SquareAccumulator;
using kernels::Superaccumulator;

/// The finite terms of an output, and what is not finite.
struct Truth {
  Superaccumulator sum, absolute;
  SquareAccumulator squares;
  std::int64_t nans = 0, infinities = 0, elements = 0;

  void add(double x) {
    ++elements;
    if (std::isnan(x)) ++nans;
    if (std::isinf(x)) ++infinities;
    if (!std::isfinite(x)) {
      if (std::isinf(x)) sum.add(1), sum.add(-1);  // the sign of a zero
      return;
    }
    sum.add(x);
    absolute.add(std::abs(x));
    squares.add_product(x, x);
  }
};

template <class T>
const ColumnKernels<T>& kernels_of(const WindowedColumnKernels& set) {
  if constexpr (sizeof(T) == 8) {
    return set.f64;
  } else {
    return set.f32;
  }
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

/// The whole state of one kind of sum, after some calls.
template <class T, class Sum>
void expect_sums(const WindowedColumnKernels& set, Terms terms, bool by_rows,
                 const std::vector<Matrix<T>>& calls, std::int64_t first,
                 const std::vector<Truth>& truths, Sum Truth::*member) {
  SCOPED_TRACE(testing::Message() << "terms " << static_cast<int>(terms) << ", rows " << by_rows);
  ColumnSpecials specials;
  WindowedColumns sums(terms, &specials);
  const auto outputs = static_cast<std::int64_t>(truths.size());
  sums.begin(outputs + first);
  const ColumnKernels<T>& kernels = kernels_of<T>(set);
  for (const Matrix<T>& m : calls) {
    const auto number = static_cast<std::size_t>(terms);
    (by_rows ? kernels.rows : kernels.columns)[number](m, sums, first);
  }
  const auto rounded = [&](std::uint64_t n) {
    std::vector<std::pair<bool, double>> found(static_cast<std::size_t>(outputs + first));
    std::vector<double> values(found.size());
    std::vector<std::int64_t> again;
    set.rounding.quotients(sums, n, values.data(), again);
    for (std::size_t o = 0; o < found.size(); ++o) found[o] = {true, values[o]};
    for (const std::int64_t o : again) found[static_cast<std::size_t>(o)].first = false;
    return found;
  };
  const auto quick = rounded(1);
  const auto quotient = rounded(7);
  std::vector<Sum> described(static_cast<std::size_t>(outputs));
  for (std::int64_t o = 0; o < outputs; ++o) {
    sums.add_to(described[static_cast<std::size_t>(o)], first + o);
  }
  statistics::LimbColumns<Sum> given;
  sums.give(truths.front().elements, specials, given);
  for (std::int64_t o = 0; o < outputs; ++o) {
    const Truth& truth = truths[static_cast<std::size_t>(o)];
    const auto at = static_cast<std::size_t>(first + o);
    const double wanted = (truth.*member).rounded();
    ASSERT_EQ(bits(given.sum(first + o).rounded()), bits(wanted)) << o;
    if (specials.none()) {
      ASSERT_EQ(truth.nans + truth.infinities, 0) << o;
    } else {
      ASSERT_EQ(specials.nans[at], truth.nans) << o;
      ASSERT_EQ(specials.positive_infinities[at] + specials.negative_infinities[at],
                truth.infinities);
    }
    if (truth.nans == truth.elements) continue;
    ASSERT_EQ(bits(described[static_cast<std::size_t>(o)].rounded()), bits(wanted)) << o;
    if (quick[at].first) {
      ASSERT_EQ(bits(quick[at].second), bits(wanted)) << o;
    }
    if (quotient[at].first) {
      ASSERT_EQ(bits(quotient[at].second), bits((truth.*member).divided_by(7))) << o;
    }
  }
}

/// A matrix given in parts of `step` terms, its columns or its rows being the outputs.
template <class T>
void expect_matrix(const std::vector<T>& x, std::int64_t outputs, std::int64_t terms,
                   std::int64_t step, std::int64_t first) {
  for (const bool by_rows : {false, true}) {
    const std::int64_t stride = by_rows ? terms : outputs;
    std::vector<Matrix<T>> calls;
    for (std::int64_t t = 0; t < terms; t += step) {
      const std::int64_t count = std::min(step, terms - t);
      calls.push_back(by_rows ? Matrix<T>{x.data() + t, outputs, count, stride}
                              : Matrix<T>{x.data() + t * stride, count, outputs, stride});
    }
    std::vector<Truth> truths(static_cast<std::size_t>(outputs));
    for (std::int64_t o = 0; o < outputs; ++o) {
      for (std::int64_t t = 0; t < terms; ++t) {
        const std::int64_t at = by_rows ? o * stride + t : t * stride + o;
        truths[static_cast<std::size_t>(o)].add(x[static_cast<std::size_t>(at)]);
      }
    }
    for (const CpuTarget& target : cpu_targets()) {
      SCOPED_TRACE(target.name);
      const WindowedColumnKernels& set = target.columns;
      expect_sums<T>(set, Terms::values, by_rows, calls, first, truths, &Truth::sum);
      expect_sums<T>(set, Terms::magnitudes, by_rows, calls, first, truths, &Truth::absolute);
      expect_sums<T>(set, Terms::squares, by_rows, calls, first, truths, &Truth::squares);
    }
  }
}

enum class Data {
  normal,
  large,
  spread,
  all_bits,
  zeros,
  special,
  rising,
  tiny,
  outliers,
  rows_apart
};
constexpr Data kEveryKind[] = {Data::normal,   Data::large,     Data::spread, Data::all_bits,
                               Data::zeros,    Data::special,   Data::rising, Data::tiny,
                               Data::outliers, Data::rows_apart};

template <class T>
std::vector<T> numbers(Data data, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> gauss;
  std::vector<T> x;
  for (std::int64_t i = 0; i < count; ++i) {
    const double g = gauss(random);
    const double kinds[] = {
        g,
        1e5 + g,
        std::ldexp(g, static_cast<int>(random() % 2000) - 1000),
        sizeof(T) == 8 ? std::bit_cast<double>(random())
                       : std::bit_cast<float>(static_cast<std::uint32_t>(random())),
        random() % 4 == 0 ? 0.0 : -0.0,
        random() % 9 == 0   ? std::nan("")
        : random() % 9 == 0 ? -std::numeric_limits<double>::infinity()
                            : g,
        std::ldexp(g, static_cast<int>(i / 60)),
        static_cast<double>(random() % 11) * std::numeric_limits<T>::denorm_min(),
        random() % 100 == 0 ? std::ldexp(g, 120) : g,
        std::ldexp(g, static_cast<int>(i / 4000) % 2 * -100)};
    x.push_back(static_cast<T>(kinds[static_cast<std::size_t>(data)]));
  }
  return x;
}

template <class T>
class ColumnSumsTest : public testing::Test {};
using BothTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(ColumnSumsTest, BothTypes);

TYPED_TEST(ColumnSumsTest, AreExactForNumbersOfEveryKind) {
  for (const Data data : kEveryKind) {
    SCOPED_TRACE(static_cast<int>(data));
    expect_matrix(numbers<TypeParam>(data, 67 * 40, 5), 67, 40, 23, 0);
    expect_matrix(numbers<TypeParam>(data, 3 * 900, 6), 3, 900, 900, 250);
  }
}

TYPED_TEST(ColumnSumsTest, TakeRowsThatAreLongerThanWindowsHold) {
  for (const Data data : {Data::normal, Data::outliers}) {
    expect_matrix(numbers<TypeParam>(data, 3 * 9001, 7), 3, 9001, 9001, 0);
  }
}

TYPED_TEST(ColumnSumsTest, TakeMatricesOfAnyShape) {
  for (std::int64_t outputs = 1; outputs < 40; outputs += 3) {
    for (const std::int64_t terms : {1, 7, 8, 17}) {
      expect_matrix(numbers<TypeParam>(Data::normal, outputs * terms, 9), outputs, terms, terms,
                    256 - 11);
    }
  }
  expect_matrix(numbers<TypeParam>(Data::large, 700 * 9, 9), 700, 9, 4, 0);
}

TYPED_TEST(ColumnSumsTest, CarryWhatGrows) {
  const std::vector<TypeParam> ones(20000 * 2, TypeParam(1) + TypeParam(0x1p-20));
  expect_matrix(ones, 2, 20000, 999, 0);
}

TYPED_TEST(ColumnSumsTest, KeepTheSignOfZero) {
  std::vector<TypeParam> x(5 * 30, TypeParam(-0.0));
  expect_matrix(x, 5, 30, 30, 0);
  x[77] = 0;
  expect_matrix(x, 5, 30, 7, 0);
  x[78] = std::numeric_limits<TypeParam>::quiet_NaN();
  expect_matrix(x, 5, 30, 7, 0);
}

}  // namespace
}  // namespace tessera::device::cpu
