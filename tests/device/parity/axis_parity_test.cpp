// Reductions over axes on every device are those of the reference: all types, all operations, every
// way in which outputs and elements can lie.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "parity_devices.hpp"
#include "statistics/generated_elements.hpp"
#include "tests/device/axis_cases.hpp"
#include "tests/device/named_device.hpp"

namespace tessera::device {
namespace {

/// Of every operation, and of sums alone.
void expect_parity(const std::string& device, const Case& cut, ElementType type,
                   std::span<const std::byte> elements, const std::string& what) {
  for (const auto nan : {job::NanPolicy::propagate, job::NanPolicy::skip}) {
    statistics::OutputSpec output_spec{.spec = statistics::spec_of(type, every_operation(), nan)};
    output_spec.bins.emplace(-1.0, 1.0, 5);
    const auto truth = reduce(device_named("reference"), cut, output_spec, elements, 1);
    EXPECT_EQ(reduce(device_named(device), cut, output_spec, elements, 1), truth) << what;
    EXPECT_EQ(reduce(device_named(device), cut, output_spec, elements, 2), truth)
        << what << ", in two shares";
    EXPECT_EQ(answers(device_named(device), cut, output_spec, elements, 1),
              answers(device_named("reference"), cut, output_spec, elements, 1))
        << what << ", as files have them";
  }
}

using AxisParity = DeviceTest;

TEST_P(AxisParity, of_every_type) {
  for (const ElementType type :
       {ElementType::i8, ElementType::i32, ElementType::i64, ElementType::u16, ElementType::u64,
        ElementType::f16, ElementType::f32, ElementType::f64}) {
    for (const Case& cut : axis_cases()) {
      expect_parity(GetParam(), cut, type, elements_of(type, plan::element_count(cut.shape), 4),
                    std::string(base::element_name(type)));
    }
  }
}

TEST_P(AxisParity, of_every_shape) {
  const std::vector<Case> cases = {
      {{1, 1}, {true, false}, {1, 1}},
      {{70000, 1}, {true, false}, {70000, 1}},
      {{1, 70001}, {false, true}, {1, 70001}},
      {{40, 2, 2050}, {false, false, true}, {40, 2, 2050}},
      {{60, 17, 5}, {false, true, false}, {60, 17, 5}},
      {{2, 3000, 9}, {true, true, true}, {1, 3000, 9}},
      {{9, 30, 40}, {true, false, false}, {9, 30, 40}},
      {{3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3},
       {true, false, true, false, true, false, true, false, true, false, true},
       {3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto elements = elements_of(ElementType::f64, plan::element_count(cases[i].shape), i);
    expect_parity(GetParam(), cases[i], ElementType::f64, elements, fmt::format("shape {}", i));
  }
}

/// What no f64 of an expansion holds: spread over more than 2^2000, and cancelling.
TEST_P(AxisParity, of_sums_that_are_hard) {
  std::mt19937_64 random(5);
  std::vector<double> values(60 * 40);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wild = std::ldexp(static_cast<double>(random() % 4096) - 2048.0,
                                   static_cast<int>(random() % 2090) - 1078);
    values[i] = i / 40 % 2 == 0 || i < 40 ? wild : -values[i - 40];
    if (i % 40 == 3) values[i] = -0.0;
    if (i % 40 == 4) values[i] = std::numeric_limits<double>::max();
    if (i % 40 == 5) values[i] = i / 40 % 2 == 0 ? 0x1p-1074 : 0x1p1023;
  }
  const auto elements = std::as_bytes(std::span(values));
  for (const Case& cut :
       {Case{{60, 40}, {true, false}, {60, 40}}, Case{{60, 40}, {true, false}, {7, 40}},
        Case{{60, 40}, {false, true}, {60, 40}}, Case{{2400}, {true}, {2400}}}) {
    expect_parity(GetParam(), cut, ElementType::f64, elements, "hard");
    for (bool statistics::ReductionSpec::*flag :
         {&statistics::ReductionSpec::sum, &statistics::ReductionSpec::absolute,
          &statistics::ReductionSpec::squares, &statistics::ReductionSpec::cubes,
          &statistics::ReductionSpec::fourths}) {
      statistics::OutputSpec output_spec;
      output_spec.spec.*flag = true;
      output_spec.bins.emplace(-1.0, 1.0, 5);
      EXPECT_EQ(reduce(device_named(GetParam()), cut, output_spec, elements, 1),
                reduce(device_named("reference"), cut, output_spec, elements, 1));
    }
  }
}

/// Floats that differ in magnitude by 2^`spread` at most, one of `fills` of them the largest there
/// is.
template <class T>
std::vector<T> spread_out(std::int64_t count, int spread, std::uint64_t fills) {
  std::mt19937_64 random(static_cast<std::uint64_t>(spread) + fills);
  std::normal_distribution<double> gauss;
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    const int exponent =
        static_cast<int>(random() % (static_cast<std::uint64_t>(spread) + 1)) - spread / 2;
    value = static_cast<T>(std::ldexp(gauss(random), exponent));
    if (random() % fills == 0) value = std::numeric_limits<T>::max();
  }
  return values;
}

template <class T>
void expect_parity_of_long_rows(const std::string& device, ElementType type, std::int64_t columns) {
  constexpr std::int64_t kRows = 27;
  for (const int spread : {0, 40, 200}) {
    for (const std::uint64_t fills : {std::uint64_t{1000}, std::uint64_t{1} << 40}) {
      const auto values = spread_out<T>(kRows * columns, spread, fills);
      for (const std::int64_t rows : {kRows, std::int64_t{13}}) {
        const Case cut{{kRows, columns}, {true, false}, {rows, columns}};
        statistics::OutputSpec output_spec{.spec = {.type = type, .sum = true}};
        output_spec.bins.emplace(-1.0, 1.0, 5);
        const auto elements = std::as_bytes(std::span(values));
        EXPECT_EQ(reduce(device_named(device), cut, output_spec, elements, 1),
                  reduce(device_named("reference"), cut, output_spec, elements, 1))
            << "2^" << spread << ", one of " << fills << ", " << rows << " rows at once";
      }
    }
  }
}

TEST_P(AxisParity, of_rows_that_are_long) {
  expect_parity_of_long_rows<float>(GetParam(), ElementType::f32, 4101);
  expect_parity_of_long_rows<double>(GetParam(), ElementType::f64, 2057);
  for (const auto& [type, columns] : {std::pair{ElementType::f32, std::int64_t{4101}},
                                      std::pair{ElementType::f64, std::int64_t{2057}}}) {
    expect_parity(GetParam(), {{11, columns}, {true, false}, {11, columns}}, type,
                  elements_of(type, 11 * columns, 8), "any bits");
  }
}

/// More outliers than a method that sets them apart has room for.
TEST_P(AxisParity, of_rows_that_are_mostly_land) {
  for (const std::int64_t every : {2, 3, 4, 33}) {
    for (const std::int64_t columns : {9000, 16384}) {
      std::vector<float> values(static_cast<std::size_t>(8 * columns), 1.5F);
      for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(every)) {
        values[i] = std::numeric_limits<float>::quiet_NaN();
      }
      statistics::OutputSpec output_spec{
          .spec = {.type = ElementType::f32, .sum = true, .skip_nan = true}};
      output_spec.bins.emplace(-1.0, 1.0, 5);
      const auto elements = std::as_bytes(std::span(values));
      for (const bool last : {false, true}) {
        const Case cut{{8, columns}, {!last, last}, {8, columns}};
        EXPECT_EQ(reduce(device_named(GetParam()), cut, output_spec, elements, 1),
                  reduce(device_named("reference"), cut, output_spec, elements, 1));
      }
    }
  }
}

TEST_P(AxisParity, of_a_piece_of_more_than_a_launch) {
  const std::int64_t rows = 8501;
  const Case cut{{rows, 4000}, {true, false}, {rows, 4000}};
  const auto elements = elements_of(ElementType::u8, rows * 4000, 6);
  statistics::OutputSpec output_spec{
      .spec = {.type = ElementType::u8, .sum = true, .places = true}};
  output_spec.bins.emplace(0.0, 100.0, 2);
  EXPECT_EQ(reduce(device_named(GetParam()), cut, output_spec, elements, 1),
            reduce(device_named("reference"), cut, output_spec, elements, 1));
}

TEST_P(AxisParity, of_tiles_one_after_another_and_one_that_is_left) {
  const statistics::OutputSpec output_spec{.spec = {.sum = true, .absolute = true}};
  const auto reducer = open_axis_reducer(device_named(GetParam()), output_spec);
  const plan::AxisPlan plan({2, 3}, {true, false}, {2, 3},
                            plan::StorageOrder::last_dimension_fastest);
  const std::vector<double> wild = {1e300, 1, 2, 1e-300, 3, 4}, tame = {1, 2, 3, 4, 5, 6};
  reducer->begin(3);
  reducer->add(std::as_bytes(std::span(wild)), plan.piece(0, 0));
  reducer->wait();
  for (int tile = 0; tile < 2; ++tile) {
    statistics::OutputPartials partials;
    reducer->begin(3);
    reducer->add(std::as_bytes(std::span(tame)), plan.piece(0, 0));
    reducer->wait();
    reducer->end();
    reducer->finish(2, partials);
    for (int o = 0; o < 3; ++o) EXPECT_EQ(partials.sum.sum(o).rounded(), 5.0 + 2 * o);
  }
}

TEST_P(AxisParity, of_arrays_that_it_makes_itself) {
  const job::ArrayInput input = job::parse_array_input("random:normal?count=90001&dtype=f4");
  const statistics::OutputSpec output_spec{
      .spec = statistics::spec_of(input.type, every_operation(), job::NanPolicy::propagate)};
  const auto reducer = open_axis_reducer(device_named(GetParam()), output_spec);
  if (!reducer->generates(input)) return;
  plan::AxisPiece piece{.box = {.origin = {1}, .extent = {90000}},
                        .levels = {{.extent = 90000, .reduced = true, .index_step = 1}},
                        .first_index = 1};
  std::vector<std::byte> elements(std::size_t{90000} * 4);
  statistics::generate(input, 1, elements);
  statistics::OutputPartials got, truth;
  reducer->begin(1);
  reducer->add(statistics::GeneratedElements{input, 1, 90000}, piece);
  reducer->end();
  reducer->finish(90000, got);
  const auto reference = open_axis_reducer(device_named("reference"), output_spec);
  reference->begin(1);
  reference->add(elements, piece);
  reference->finish(90000, truth);
  const auto nan = job::NanPolicy::propagate;
  EXPECT_EQ(describe(got.partial(output_spec, 0), input.type, nan),
            describe(truth.partial(output_spec, 0), input.type, nan));
}

INSTANTIATE_TEST_SUITE_P(Devices, AxisParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
