// Order statistics along axes that a device finds by itself are those of the keys, sorted.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "parity_devices.hpp"
#include "statistics/order/order_answers.hpp"
#include "tests/device/axis_cases.hpp"
#include "tests/device/named_device.hpp"

namespace tessera::device {
namespace {

using statistics::ElementKey;
using statistics::OrderFindings;
using statistics::OrderPasses;

std::string text_of(const job::ReduceJob& job, ElementType type, const statistics::Partial& counts,
                    const OrderFindings& found) {
  std::string text = fmt::format("{} NaN", counts.nans);
  for (const job::Operation operation : job.operations) {
    text += fmt::format("; {}", job::operation_name(operation));
    for (const statistics::Value& value :
         statistics::order_answer(operation, job, type, counts, found)) {
      text += fmt::format(" {}", value.text);
    }
  }
  return text;
}

/// The answers of each output, in the order of the tiles; none if the device does not find them.
std::vector<std::string> found_by(AxisReducer& reducer, const plan::AxisPlan& plan, const Case& cut,
                                  const job::ReduceJob& job, ElementType type,
                                  std::span<const std::byte> elements) {
  const OrderPasses passes(job, type, plan.elements_each(), 0);
  std::vector<std::string> described;
  if (!reducer.keep_elements(plan.max_outputs(), plan.elements_each(), passes)) return described;
  for (std::int64_t tile = 0; tile < plan.tiles(); ++tile) {
    reducer.begin(plan.tile(tile).elements());
    for (std::int64_t p = 0; p < plan.pieces_each(); ++p) {
      const plan::AxisPiece piece = plan.piece(tile, p);
      const Elements box = box_of(elements, cut.shape, piece.box, base::element_bytes(type));
      reducer.add(box, piece);
      reducer.wait();
    }
    reducer.end();
    reducer.find_order(
        passes, [&](std::int64_t, const statistics::Partial& counts, const OrderFindings& found) {
          described.push_back(text_of(job, type, counts, found));
        });
  }
  return described;
}

/// The same by sorting.
std::vector<std::string> truth_of(const plan::AxisPlan& plan, const Case& cut,
                                  const job::ReduceJob& job, ElementType type,
                                  std::span<const std::byte> elements) {
  const OrderPasses passes(job, type, plan.elements_each(), 0);
  const auto each = static_cast<std::size_t>(plan.elements_each());
  std::vector<std::string> described;
  for (std::int64_t tile = 0; tile < plan.tiles(); ++tile) {
    std::vector<ElementKey> keys(static_cast<std::size_t>(plan.tile(tile).elements()) * each);
    for (std::int64_t p = 0; p < plan.pieces_each(); ++p) {
      const plan::AxisPiece piece = plan.piece(tile, p);
      const Elements box = box_of(elements, cut.shape, piece.box, base::element_bytes(type));
      std::int64_t at = 0;
      statistics::for_each_key(box, type, [&](ElementKey key) {
        std::int64_t output = 0, index = piece.first_index, rest = at++;
        for (std::size_t level = piece.levels.size(); level-- > 0;) {
          const plan::AxisLevel& here = piece.levels[level];
          output += rest % here.extent * here.output_step;
          index += rest % here.extent * here.index_step;
          rest /= here.extent;
        }
        keys[static_cast<std::size_t>(output) * each + static_cast<std::size_t>(index)] = key;
      });
    }
    for (std::size_t output = 0; output < keys.size() / each; ++output) {
      statistics::Partial counts;
      const OrderFindings found =
          passes.find_in(std::span(keys).subspan(output * each, each), counts);
      described.push_back(text_of(job, type, counts, found));
    }
  }
  return described;
}

void expect_order(const std::string& device, const Case& cut, ElementType type,
                  std::span<const std::byte> elements, bool finds) {
  for (const auto nan : {job::NanPolicy::propagate, job::NanPolicy::skip}) {
    job::ReduceJob job;
    job.operations = {job::Operation::median, job::Operation::quantile, job::Operation::topk,
                      job::Operation::argtopk};
    job.quantiles = {0, 0.01, 0.25, 0.5, 0.999, 1};
    job.topk = 5;
    job.argtopk = 40;
    job.nan = nan;
    if (!base::is_floating(type)) {
      job.operations.insert(job.operations.end(), {job::Operation::mode, job::Operation::nunique});
    }
    const plan::AxisPlan plan(cut.shape, cut.reduced, cut.piece,
                              plan::StorageOrder::last_dimension_fastest);
    const auto reducer = open_axis_reducer(device_named(device), {.spec = {.type = type}});
    const auto found = found_by(*reducer, plan, cut, job, type, elements);
    const std::string what =
        fmt::format("{}, {} an output", base::element_name(type), plan.elements_each());
    EXPECT_EQ(!found.empty(), finds) << what;
    if (finds) {
      EXPECT_EQ(found, truth_of(plan, cut, job, type, elements)) << what;
    }
  }
}

class AxisOrderParity : public DeviceTest {
 protected:
  /// The cores collect keys and sort them, whatever the shape.
  bool is_gpu() const { return device_named(GetParam()).shuffles(); }
};

TEST_P(AxisOrderParity, of_every_type) {
  for (const ElementType type : kTypes) {
    for (const Case& cut : {Case{{300, 9}, {true, false}, {70, 9}},
                            Case{{7, 20, 30}, {false, true, true}, {2, 20, 30}}}) {
      expect_order(GetParam(), cut, type,
                   elements_of(type, plan::element_count(cut.shape), cut.shape.size()), is_gpu());
    }
  }
}

TEST_P(AxisOrderParity, around_the_fewest_elements_that_a_block_searches) {
  for (const std::int64_t each : {255, 256, 257}) {
    const Case cut{{3, each}, {false, true}, {3, each}};
    for (const ElementType type : {ElementType::f64, ElementType::u16}) {
      expect_order(GetParam(), cut, type, elements_of(type, 3 * each, 4), is_gpu() && each >= 256);
    }
  }
}

TEST_P(AxisOrderParity, of_many_ties_and_signed_zeros) {
  const Case cut{{4, 1000}, {false, true}, {4, 1000}};
  std::vector<float> values(4000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i * i % 5) - 2;
    if (values[i] == 0 && i % 3 == 0) values[i] = -0.0F;
    if (i / 1000 == 3) values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  expect_order(GetParam(), cut, ElementType::f32, std::as_bytes(std::span(values)), is_gpu());
}

/// More outputs than there is room for results at a time.
TEST_P(AxisOrderParity, of_more_outputs_than_are_searched_at_once) {
  const Case cut{{256, 1700}, {true, false}, {256, 1700}};
  expect_order(GetParam(), cut, ElementType::u8, elements_of(ElementType::u8, 256 * 1700, 4),
               is_gpu());
}

/// Few values and many, in a row and not; keys whose lower or upper bits are equal.
TEST_P(AxisOrderParity, of_values_that_occur_more_or_less_often) {
  constexpr std::int64_t kEach = 9001;  // several blocks count them
  const Case cut{{8, kEach}, {false, true}, {8, kEach}};
  std::vector<std::int64_t> values(8 * kEach);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i % kEach);
    const std::int64_t of_output[] = {
        7,   at % 3 - 1, at / 4,          at * at % 1000,
        -at, at << 32,   (at % 97) << 50, std::numeric_limits<std::int64_t>::max() - at % 700};
    values[i] = of_output[i / kEach];
  }
  expect_order(GetParam(), cut, ElementType::i64, std::as_bytes(std::span(values)), is_gpu());
}

/// One table of values has no room beside another one.
TEST_P(AxisOrderParity, of_more_tables_of_values_than_there_is_room_for) {
  constexpr std::int64_t kEach = (1 << 18) + 1;
  const Case cut{{2, kEach}, {false, true}, {2, kEach}};
  std::vector<std::uint16_t> values(2 * kEach);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint16_t>(i * i / 7);
  }
  expect_order(GetParam(), cut, ElementType::u16, std::as_bytes(std::span(values)), is_gpu());
}

INSTANTIATE_TEST_SUITE_P(Devices, AxisOrderParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
