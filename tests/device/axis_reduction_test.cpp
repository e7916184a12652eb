// Reductions over axes: every device makes the same of the same elements, in whatever shares they
// come, and each output is what the elements of it alone make.
#include "device/axis_reduction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "device/axis_answer.hpp"
#include "device/reduction_answer.hpp"
#include "device/registry.hpp"

namespace tessera::device {
namespace {

using base::ElementType;

std::vector<job::Operation> every_operation() {
  std::vector<job::Operation> all;
  for (std::size_t i = 0; i < job::operation_names().size(); ++i) {
    all.push_back(static_cast<job::Operation>(i));
  }
  return all;
}

std::vector<std::byte> elements_of(ElementType type, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * base::element_bytes(type));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  // Half of them ordinary, or there would hardly be a finite sum.
  if (type == ElementType::f64 || type == ElementType::f32) {
    std::normal_distribution<double> gauss;
    for (std::int64_t i = 0; i < count; ++i) {
      if (random() % 32 == 0) continue;
      const double wide = random() % 16 == 0 ? -0.0 : gauss(random);
      const auto narrow = static_cast<float>(wide);
      const std::size_t size = base::element_bytes(type);
      std::memcpy(&bytes[static_cast<std::size_t>(i) * size],
                  type == ElementType::f64 ? static_cast<const void*>(&wide) : &narrow, size);
    }
  }
  return bytes;
}

/// The elements of a box, in C order.
std::vector<std::byte> box_of(std::span<const std::byte> elements, const plan::Shape& shape,
                              const plan::Box& box, std::size_t bytes) {
  std::vector<std::byte> found;
  for (std::int64_t e = 0; e < box.elements(); ++e) {
    std::int64_t rest = e;
    std::int64_t index = 0;
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      index += (box.origin[d] + rest % box.extent[d]) * stride;
      rest /= box.extent[d];
      stride *= shape[d];
    }
    const auto element = elements.subspan(static_cast<std::size_t>(index) * bytes, bytes);
    found.insert(found.end(), element.begin(), element.end());
  }
  return found;
}

std::string describe(const Partial& partial, ElementType type, job::NanPolicy nan) {
  std::string text =
      fmt::format("{} elements, {} nan, {} +inf, {} -inf", partial.elements, partial.nans,
                  partial.positive_infinities, partial.negative_infinities);
  for (const job::Operation operation : every_operation()) {
    text += fmt::format("; {}", job::operation_name(operation));
    for (const Value& value : answer(operation, partial, type, {.nan = nan})) {
      text += " " + value.text;
    }
  }
  return text;
}

struct Case {
  plan::Shape shape;
  std::vector<bool> reduced;
  plan::Shape piece;
};

/// Of every output, in the order of the tiles. Each share of a tile by a reducer's own round, sent
/// and merged; with one share also what the reducer answers itself is looked at.
std::vector<std::string> reduce(const Device& device, const Case& cut, const AxisGoal& goal,
                                std::span<const std::byte> elements, std::int64_t shares) {
  const plan::AxisPlan plan(cut.shape, cut.reduced, cut.piece,
                            plan::StorageOrder::last_dimension_fastest);
  const auto reducer = device.open_axis_reducer(goal);
  const auto nan = goal.spec.skip_nan ? job::NanPolicy::skip : job::NanPolicy::propagate;
  std::vector<std::string> described;
  for (std::int64_t tile = 0; tile < plan.tiles(); ++tile) {
    const std::int64_t outputs = plan.tile(tile).elements();
    AxisPartials all;
    for (std::int64_t share = 0; share < shares; ++share) {
      reducer->begin(outputs);
      std::int64_t added = 0;
      for (std::int64_t p = share; p < plan.pieces_each(); p += shares) {
        const plan::AxisPiece piece = plan.piece(tile, p);
        reducer->add(box_of(elements, cut.shape, piece.box, base::element_bytes(goal.spec.type)),
                     piece);
        added += piece.box.elements();
      }
      AxisPartials mine, sent;
      reducer->finish(added / outputs, mine);
      base::ByteWriter out;
      mine.write(out);
      const base::Bytes bytes = out.take();
      base::ByteReader in(bytes);
      sent.read(in);
      if (share == 0) {
        all = sent;
      } else {
        all.merge(sent);
      }
    }
    for (std::int64_t o = 0; o < outputs; ++o) {
      described.push_back(describe(all.partial(goal, o), goal.spec.type, nan));
      const std::size_t bins = goal.bins->count();
      const auto first = all.histogram.begin() + o * static_cast<std::int64_t>(bins);
      described.back() +=
          fmt::format("; {}", fmt::join(first, first + static_cast<std::int64_t>(bins), " "));
    }
  }
  return described;
}

class AxisReductionTest : public testing::TestWithParam<ElementType> {};

TEST_P(AxisReductionTest, IsTheSameOnEveryDeviceInAnyShares) {
  const std::vector<Case> cases = {{{50, 33}, {true, false}, {7, 33}},
                                   {{33, 50}, {false, true}, {20, 50}},
                                   {{3, 5000}, {false, true}, {1, 2600}},
                                   {{900, 2}, {true, false}, {300, 2}},
                                   {{6, 5, 8, 7}, {true, false, true, false}, {3, 5, 4, 7}}};
  const auto reference = std::move(open_devices("reference", {.threads = 1}).front());
  std::vector<std::unique_ptr<Device>> cpus;
  for (const Backend& backend : backends()) {
    if (backend.name != "cpu") continue;
    for (const DeviceInfo& info : backend.list({.threads = 1})) {
      cpus.push_back(std::move(open_devices(info.name, {.threads = 1}).front()));
    }
  }
  for (const Case& cut : cases) {
    const auto elements = elements_of(GetParam(), plan::element_count(cut.shape), 4);
    for (const auto nan : {job::NanPolicy::propagate, job::NanPolicy::skip}) {
      AxisGoal goal{.spec = spec_of(GetParam(), every_operation(), nan)};
      goal.bins.emplace(-1.0, 1.0, 5);
      const auto truth = reduce(*reference, cut, goal, elements, 1);
      EXPECT_EQ(reduce(*reference, cut, goal, elements, 2), truth);
      for (const auto& cpu : cpus) {
        EXPECT_EQ(reduce(*cpu, cut, goal, elements, 1), truth) << cpu->info().name;
        EXPECT_EQ(reduce(*cpu, cut, goal, elements, 2), truth) << cpu->info().name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AxisReductionTest,
                         testing::Values(ElementType::i8, ElementType::i32, ElementType::i64,
                                         ElementType::u16, ElementType::u64, ElementType::f16,
                                         ElementType::f32, ElementType::f64),
                         [](const auto& type) {
                           return std::string(base::element_name(type.param));
                         });

TEST(AxisReduction, SumsOfOneOutputAreAnsweredWithoutPartialResults) {
  const std::vector<double> values = {1, 2, 3, 4, 5, -0.0};
  const plan::AxisPlan plan({2, 3}, {true, false}, {2, 3},
                            plan::StorageOrder::last_dimension_fastest);
  const auto cpu = std::move(open_devices("cpu", {.threads = 1}).front());
  const auto reducer = cpu->open_axis_reducer({.spec = {.sum = true}});
  std::vector<double> sums(3), means(3);
  reducer->begin(3);
  reducer->add(std::as_bytes(std::span(values)), plan.piece(0, 0));
  ASSERT_TRUE(reducer->answer(job::Operation::sum, 2, std::as_writable_bytes(std::span(sums))));
  ASSERT_TRUE(reducer->answer(job::Operation::mean, 2, std::as_writable_bytes(std::span(means))));
  EXPECT_FALSE(reducer->answer(job::Operation::max, 2, std::as_writable_bytes(std::span(means))));
  EXPECT_EQ(sums, (std::vector<double>{5, 7, 3}));
  EXPECT_EQ(means, (std::vector<double>{2.5, 3.5, 1.5}));
}

}  // namespace
}  // namespace tessera::device
