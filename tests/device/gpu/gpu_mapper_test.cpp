// The mapper that GPUs share, on a stream whose every expression is a + 1: parts, failures.
#include "device/gpu/arrays/elements/gpu_mapper.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/bytes.hpp"

namespace tessera::device::gpu {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{32} << 20;

struct MapperLog {
  std::size_t room_bytes = std::size_t{1} << 30;
  std::vector<std::uint64_t> evaluated;  ///< elements of each launch
  bool fails = false;
  bool revives = false;
  int waits = 0;
};

/// Memory of the host; elements are i32.
class PlusOneStream : public ArrayStream {
 public:
  explicit PlusOneStream(MapperLog& log) : log_(log), memory_(kMinBytes) {}

  std::size_t capacity() const override { return memory_.size(); }
  bool grow(std::size_t bytes) override {
    if (bytes > log_.room_bytes) return false;
    memory_.resize(bytes);
    return true;
  }
  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override {
    ASSERT_LE(at_byte + elements.size(), memory_.size());
    std::memcpy(memory_.data() + at_byte, elements.data(), elements.size());
  }
  void map(const kernels::TsMap& call, std::span<const kernels::TsStep>) override {
    if (log_.fails) throw DeviceError("out of luck");
    log_.evaluated.push_back(call.elements);
    ASSERT_EQ(call.result_count, 1U);
    const std::size_t to = call.results[0].to;
    ASSERT_GE(call.arrays[0], to + call.elements * sizeof(std::int32_t));
    for (std::size_t i = 0; i < call.elements; ++i) {
      std::int32_t x = 0;
      std::memcpy(&x, memory_.data() + call.arrays[0] + i * sizeof(x), sizeof(x));
      ++x;
      std::memcpy(memory_.data() + to + i * sizeof(x), &x, sizeof(x));
    }
  }
  void copy_out(std::size_t at_byte, std::span<std::byte> elements) override {
    std::memcpy(elements.data(), memory_.data() + at_byte, elements.size());
  }
  void wait() override { ++log_.waits; }
  bool revive() override { return log_.revives; }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t) override {
    throw DeviceError("no memory that is page-locked");
  }

  void set_bins(std::span<const double>, std::size_t) override {}
  void set_logarithms(std::span<const kernels::TS_U64>) override {}
  void set_cells(std::size_t, std::size_t) override {}
  void clear(std::size_t, std::size_t) override {}
  void launch(kernels::ArrayKernel, std::size_t, std::span<const kernels::TS_U64>) override {}
  std::span<const Record> read_records() override { return {}; }
  std::span<const Record> read_cells(std::size_t) override { return {}; }
  std::span<const kernels::TS_U64> read_spill() override { return {}; }
  std::span<const kernels::TS_U64> read_bins() override { return {}; }

 private:
  MapperLog& log_;
  base::Bytes memory_;
};

std::vector<std::int32_t> mapped_by(Mapper& mapper, std::int64_t count) {
  std::vector<std::int32_t> from(static_cast<std::size_t>(count));
  std::iota(from.begin(), from.end(), 5);
  const std::vector<kernels::TsStep> steps(1);
  const statistics::MappedElements elements{
      .steps = steps,
      .arrays = {{.type = base::ElementType::i32, .read = std::as_bytes(std::span(from))}},
      .count = count};
  std::vector<std::int32_t> to(from.size());
  const auto bytes = std::as_writable_bytes(std::span(to));
  mapper.evaluate(elements, std::array{base::ElementType::i32}, std::array{bytes});
  return to;
}

std::vector<std::int32_t> wanted(std::int64_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 6);
  return values;
}

TEST(GpuMapper, evaluates_in_parts_that_fit_the_memory) {
  for (const std::size_t room : {std::size_t{1} << 30, DeviceQueue::kMinBytes}) {
    MapperLog log{.room_bytes = room};
    const auto mapper = make_gpu_mapper(std::make_unique<PlusOneStream>(log), kMaxBytes);
    for (const std::int64_t count : {0, 1, 100, 1 << 17, 1'000'003}) {
      EXPECT_EQ(mapped_by(*mapper, count), wanted(count)) << count;
    }
    const std::uint64_t all = std::accumulate(log.evaluated.begin(), log.evaluated.end(), 0UL);
    EXPECT_EQ(all, 101U + (1U << 17) + 1'000'003U);
    EXPECT_EQ(log.evaluated.size() > 4, room == DeviceQueue::kMinBytes);
  }
}

TEST(GpuMapper, waits_for_its_copies_before_it_fails_and_works_when_the_process_is_back) {
  MapperLog log{.fails = true};
  const auto mapper = make_gpu_mapper(std::make_unique<PlusOneStream>(log), kMaxBytes);
  EXPECT_THROW(mapped_by(*mapper, 100), DeviceError);
  EXPECT_EQ(log.waits, 1);
  EXPECT_FALSE(mapper->restart());
  log = {.revives = true};
  EXPECT_TRUE(mapper->restart());
  EXPECT_EQ(mapped_by(*mapper, 100), wanted(100));
  EXPECT_EQ(mapper->make_host_buffer(10)->bytes().size(), 10U);
}

}  // namespace
}  // namespace tessera::device::gpu
