// Two devices, and several threads with a lane and a reducer each: what streams, events and the
// current device of a thread are for. Runs on the CUDA runtime for tests.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "device/cuda/cuda.hpp"
#include "device/gpu/arrays/stream/launch_arguments.hpp"
#include "statistics/partial.hpp"

namespace tessera::device::cuda {
namespace {

constexpr int kThreadsOfDevice = 3;
constexpr int kRounds = 4;

job::ImageSpec image() {
  job::ImageSpec spec;
  spec.size_px = {320, 200};
  spec.iterations = 300;
  return spec;
}

struct Pixels {
  std::vector<std::byte> iterations;
  std::vector<float> smooth;

  bool operator==(const Pixels& other) const {
    return iterations == other.iterations && smooth == other.smooth;
  }
};

/// Round k renders another part of the image, of another size.
Pixels render(Lane& lane, int round) {
  const base::PixelRect block{17 * round, 5 * round, 90 + 31 * round, 70 + 20 * round};
  const auto count = static_cast<std::size_t>(block.pixels());
  Pixels pixels{std::vector<std::byte>(count * base::element_bytes(job::iterations_type(image()))),
                std::vector<float>(count)};
  lane.render(image(), block, {pixels.iterations.data(), pixels.smooth.data(), block.width});
  return pixels;
}

statistics::ReductionSpec spec() {
  return {.type = base::ElementType::f64, .sum = true, .squares = true, .extremes = true};
}

statistics::Partial reduce(Reducer& reducer, int round) {
  std::vector<double> elements(3000 + 977 * static_cast<std::size_t>(round));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<double>(i * i) / (round + 3.0);
  }
  statistics::Partial partial;
  reducer.reduce(std::as_bytes(std::span(elements)), {}, partial);
  return partial;
}

class CudaThreads : public testing::Test {
 protected:
  void SetUp() override {
    const auto lane = devices_[0]->open_lane({});
    const auto reducer = devices_[0]->open_reducer(spec());
    for (int round = 0; round < kRounds; ++round) {
      pixels_[static_cast<std::size_t>(round)] = render(*lane, round);
      partials_[static_cast<std::size_t>(round)] = reduce(*reducer, round);
    }
  }

  /// This thread opens the lane and the reducer, another uses them, and this one closes them, while
  /// any device is current.
  void start_thread(const Device& device) {
    Lane* const lane = lanes_.emplace_back(device.open_lane({})).get();
    Reducer* const reducer = reducers_.emplace_back(device.open_reducer(spec())).get();
    threads_.emplace_back([this, lane, reducer] {
      for (int i = 0; i < 2 * kRounds; ++i) {
        const auto round = static_cast<std::size_t>(i % kRounds);
        EXPECT_TRUE(render(*lane, i % kRounds) == pixels_[round]) << "round " << i;
        const statistics::Partial got = reduce(*reducer, i % kRounds);
        EXPECT_TRUE(got.sum == partials_[round].sum) << "round " << i;
        EXPECT_TRUE(got.squares == partials_[round].squares) << "round " << i;
        EXPECT_EQ(got.greatest, partials_[round].greatest) << "round " << i;
      }
    });
  }

  std::array<std::unique_ptr<Device>, 2> devices_ = {open("0", {.threads = 1}),
                                                     open("1", {.threads = 1})};
  std::array<Pixels, kRounds> pixels_;
  std::array<statistics::Partial, kRounds> partials_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::unique_ptr<Reducer>> reducers_;
  std::vector<std::thread> threads_;
};

TEST_F(CudaThreads, each_get_their_own_results) {
  for (int i = 0; i < kThreadsOfDevice; ++i) {
    for (const auto& device : devices_) start_thread(*device);
  }
  for (std::thread& thread : threads_) thread.join();
}

constexpr int kSquares = 8;

/// x x of the numbers from `first` on.
void square(gpu::ArrayStream& stream, std::int64_t first) {
  constexpr auto kType = static_cast<std::uint32_t>(base::ElementType::i64);
  const std::vector<kernels::TsStep> steps = {
      {.operation = kernels::TS_ON_load, .type = kType, .to = kType, .result = 0},
      {.operation = kernels::TS_ON_multiply, .type = kType, .to = kType, .result = 1}};
  std::vector<std::int64_t> squares(1000);
  const auto bytes = std::as_writable_bytes(std::span(squares));
  const statistics::MappedElements elements{
      .steps = steps,
      .arrays = {{.kind = statistics::MappedArray::Kind::counted,
                  .type = base::ElementType::i64,
                  .first = first}},
      .count = std::ssize(squares)};
  stream.map(gpu::map_of(elements, base::ElementType::i64, 0, bytes.size()), steps);
  stream.copy_out(0, bytes);
  for (std::int64_t i = 0; i < elements.count; ++i) {
    ASSERT_EQ(squares[static_cast<std::size_t>(i)], (first + i) * (first + i));
  }
}

TEST(CudaExpressions, are_right_while_one_thread_compiles_and_others_execute_steps) {
  const auto device = open("0", {.threads = 1});
  std::vector<std::unique_ptr<gpu::ArrayStream>> streams;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreadsOfDevice; ++i) {
    gpu::ArrayStream* const stream = streams.emplace_back(device->open_array_stream()).get();
    threads.emplace_back([stream, i] {
      for (int launch = 0; launch < kSquares; ++launch) square(*stream, 100 * i + launch);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tessera::device::cuda
