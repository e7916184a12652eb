// The reducer that GPUs share, on a stream that adds on the host: parts, launches, failures, and
// what is made of the records of blocks.
#include "device/gpu/arrays/elements/gpu_reducer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "device/gpu/arrays/elements/block_records.hpp"

namespace tessera::device::gpu {
namespace {

struct ReducerLog {
  std::size_t room_bytes = std::size_t{1} << 30;
  std::vector<std::uint64_t> launched;  ///< elements
  bool fails = false;
  bool copy_in_flight = false;
  bool revives = false;
  int bins_set = 0;
};

/// Elements of i32, a record a launch, of sums and extremes only.
class HostStream : public ArrayStream {
 public:
  explicit HostStream(ReducerLog& log) : log_(log) {}

  std::size_t capacity() const override { return capacity_; }
  bool grow(std::size_t bytes) override {
    if (bytes > log_.room_bytes) return false;
    capacity_ = bytes;
    return true;
  }
  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override {
    ASSERT_LE(at_byte + elements.size(), capacity_);
    elements_.resize(elements.size() / sizeof(std::int32_t));
    std::memcpy(elements_.data(), elements.data(), elements.size());
    log_.copy_in_flight = true;
  }
  void clear(std::size_t, std::size_t) override {}
  void map(const kernels::TsMap&, std::span<const kernels::TsStep>) override {}
  void copy_out(std::size_t, std::span<std::byte>) override {}
  void set_bins(std::span<const double> edges, std::size_t outputs) override {
    bins_.assign((edges.size() - 1) * outputs, 0);
    ++log_.bins_set;
  }
  void set_logarithms(std::span<const kernels::TS_U64>) override {}
  void set_cells(std::size_t, std::size_t) override {}
  void wait() override { log_.copy_in_flight = false; }
  bool revive() override { return log_.revives; }
  void launch(kernels::ArrayKernel kernel, std::size_t blocks,
              std::span<const kernels::TS_U64> arguments) override {
    if (kernel == kernels::ArrayKernel::make) {
      make(*reinterpret_cast<const kernels::TsMake*>(arguments.data()));
    } else {
      ASSERT_EQ(kernel, kernels::ArrayKernel::reduce_i32);
      ASSERT_EQ(blocks, blocks_of_bytes(elements_.size() * sizeof(std::int32_t)));
      reduce(*reinterpret_cast<const kernels::TsReduce*>(arguments.data()));
    }
  }
  std::span<const Record> read_records() override { return {&record_, 1}; }
  std::span<const Record> read_cells(std::size_t) override { return {}; }
  std::span<const kernels::TS_U64> read_spill() override { return {}; }
  std::span<const kernels::TS_U64> read_bins() override {
    read_ = bins_;
    std::ranges::fill(bins_, 0);
    return read_;
  }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t) override {
    throw DeviceError("no page-locked memory");
  }

 private:
  void make(const kernels::TsMake& call) {
    elements_.resize(call.count);
    std::iota(elements_.begin(), elements_.end(), static_cast<std::int32_t>(call.first));
  }
  void reduce(const kernels::TsReduce& call) {
    if (log_.fails) throw DeviceError("out of luck");
    ASSERT_EQ(call.elements, elements_.size());
    log_.launched.push_back(call.elements);
    record_ = {};
    const std::int64_t sum = std::accumulate(elements_.begin(), elements_.end(), std::int64_t{0});
    record_.sum[0] = static_cast<std::uint64_t>(sum);
    record_.sum[1] = sum < 0 ? ~std::uint64_t{0} : 0;
    const auto [least, greatest] = std::ranges::minmax_element(elements_);
    record_.least = record_.min_key = statistics::key_of(std::int64_t{*least});
    record_.greatest = record_.greatest_key = statistics::key_of(std::int64_t{*greatest});
    record_.least_at = static_cast<std::uint64_t>(least - elements_.begin());
    record_.greatest_at = static_cast<std::uint64_t>(greatest - elements_.begin());
    record_.first_nan = TS_NOWHERE;
    if ((call.flags & TS_WANT_BINS) != 0) bins_.front() += elements_.size();
  }

  ReducerLog& log_;
  std::size_t capacity_ = kMinBytes;
  std::vector<std::int32_t> elements_;
  Record record_{};
  std::vector<kernels::TS_U64> bins_, read_;
};

constexpr statistics::ReductionSpec kSpec{
    .type = base::ElementType::i32, .sum = true, .extremes = true, .places = true};
constexpr std::size_t kCount = 10'000'000;

std::span<const std::byte> numbers() {
  static const std::vector<std::int32_t> all = [] {
    std::vector<std::int32_t> generated(kCount);
    std::iota(generated.begin(), generated.end(), -5);
    return generated;
  }();
  return std::as_bytes(std::span(all));
}

statistics::Partial reduce(ReducerLog& log) {
  GpuReducer reducer(std::make_unique<HostStream>(log), kSpec);
  statistics::Partial partial;
  reducer.reduce(numbers(), {.of = [](std::int64_t i) { return 100 + i; }}, partial);
  return partial;
}

void expect_all(const statistics::Partial& partial) {
  EXPECT_EQ(partial.elements, static_cast<std::int64_t>(kCount));
  const auto n = static_cast<std::int64_t>(kCount);
  EXPECT_TRUE(partial.integers.sum == n * (n - 1) / 2 - 5 * n);
  EXPECT_EQ(partial.at_least.index, 100);
  EXPECT_EQ(partial.at_greatest.index, 100 + n - 1);
  EXPECT_EQ(statistics::signed_of(partial.least), -5);
}

TEST(GpuReducer, takes_large_parts_when_there_is_room) {
  ReducerLog log;
  expect_all(reduce(log));
  EXPECT_EQ(log.launched.size(), 2U);
}

TEST(GpuReducer, goes_on_in_small_parts_when_the_device_is_full) {
  ReducerLog log{.room_bytes = std::size_t{3} << 20};
  expect_all(reduce(log));
  EXPECT_EQ(log.launched.size(), 20U);
  ReducerLog full{.room_bytes = 0};
  expect_all(reduce(full));
  EXPECT_EQ(full.launched.size(), 39U);
}

TEST(GpuReducer, hands_on_the_failure_of_a_kernel) {
  ReducerLog log{.fails = true};
  EXPECT_THROW(reduce(log), DeviceError);
}

TEST(GpuReducer, leaves_no_copy_in_flight_when_a_launch_fails) {
  ReducerLog log{.fails = true};
  EXPECT_THROW(reduce(log), DeviceError);
  EXPECT_FALSE(log.copy_in_flight);
}

TEST(GpuReducer, sets_the_bins_again_after_a_restart) {
  ReducerLog log;
  GpuReducer reducer(std::make_unique<HostStream>(log), kSpec);
  const statistics::HistogramBins bins(-10.0, 2e7, 4);
  const auto count = [&] {
    std::vector<std::int64_t> counts(4);
    reducer.count(numbers(), bins, counts);
  };
  count();
  count();
  EXPECT_EQ(log.bins_set, 1);
  EXPECT_FALSE(reducer.restart());
  log.revives = true;
  EXPECT_TRUE(reducer.restart());
  count();
  EXPECT_EQ(log.bins_set, 2);
}

TEST(GpuReducer, gives_plain_memory_where_there_is_no_other) {
  ReducerLog log;
  GpuReducer reducer(std::make_unique<HostStream>(log), kSpec);
  EXPECT_EQ(reducer.make_host_buffer(5000)->bytes().size(), 5000U);
}

TEST(GpuReducer, makes_arrays_part_by_part) {
  ReducerLog log;
  GpuReducer reducer(std::make_unique<HostStream>(log), kSpec);
  const job::ArrayInput input = job::parse_array_input("random:uniform?count=20000000&dtype=i4");
  ASSERT_TRUE(reducer.generates(input));
  statistics::Partial partial;
  reducer.reduce(statistics::GeneratedElements{input, 7, kCount},
                 {.of = [](std::int64_t i) { return 7 + i; }}, partial);
  EXPECT_EQ(partial.elements, static_cast<std::int64_t>(kCount));
  EXPECT_EQ(statistics::signed_of(partial.least), 7);
  EXPECT_EQ(statistics::signed_of(partial.greatest), 7 + static_cast<std::int64_t>(kCount) - 1);
  EXPECT_EQ(partial.at_greatest.index, 7 + static_cast<std::int64_t>(kCount) - 1);
}

TEST(GpuReducer, counts_add_up_over_parts_and_calls) {
  ReducerLog log;
  GpuReducer reducer(std::make_unique<HostStream>(log), kSpec);
  const statistics::HistogramBins bins(0, 1, 3);
  std::vector<std::int64_t> counts(3, 5);
  for (int i = 0; i < 2; ++i) reducer.count(numbers(), bins, counts);
  EXPECT_EQ(counts.front(), 5 + 2 * static_cast<std::int64_t>(kCount));
}

/// A record of the sum of nothing, or of -0.0.
Record no_terms() {
  Record record{};
  for (auto* const sum : {&record.sum, &record.absolute, &record.squares}) {
    (*sum)[0] = std::bit_cast<std::uint64_t>(-0.0);
  }
  return record;
}

constexpr statistics::ReductionSpec kReals{.sum = true, .absolute = true, .squares = true};

TEST(Records, a_sum_of_nothing_is_not_one_of_negative_zeros) {
  const Record record = no_terms();
  statistics::Partial nothing;
  add_counts_and_sums({.records = {&record, 1}}, kReals, nothing);
  EXPECT_TRUE(nothing.sum == kernels::Superaccumulator());
  statistics::Partial zeros;
  add_counts_and_sums({.records = {&record, 1}, .elements = 3}, kReals, zeros);
  EXPECT_TRUE(std::signbit(zeros.sum.rounded()));
  EXPECT_FALSE(std::signbit(zeros.absolute.rounded()));
}

TEST(Records, nan_that_are_skipped_are_no_terms) {
  Record record = no_terms();
  record.nans = 3;
  statistics::ReductionSpec skipping = kReals;
  skipping.skip_nan = true;
  statistics::Partial skipped;
  add_counts_and_sums({.records = {&record, 1}, .elements = 3}, skipping, skipped);
  EXPECT_EQ(skipped.nans, 3);
  EXPECT_TRUE(skipped.sum == kernels::Superaccumulator());
  statistics::Partial counted;
  add_counts_and_sums({.records = {&record, 1}, .elements = 3}, kReals, counted);
  EXPECT_EQ(counted.sum.nans(), 3);
}

TEST(Records, what_was_spilled_is_added_slot_by_slot) {
  Record record = no_terms();
  record.sum[0] = std::bit_cast<std::uint64_t>(0.5);
  record.spilled = 1;
  std::vector<kernels::TS_U64> spill(std::size_t{TS_SPILL_SLOTS} * TS_SLOT_LIMBS);
  spill[TS_SUM_SPILL + TS_SUM_UNIT / 32] = 3;
  spill[5 * TS_SLOT_LIMBS + TS_SUM_SPILL + TS_SUM_UNIT / 32] = ~std::uint64_t{0};  // -1
  spill[7 * TS_SLOT_LIMBS + TS_SQUARES_SPILL + TS_SQUARES_UNIT / 32] = 9;
  statistics::Partial partial;
  add_counts_and_sums({.records = {&record, 1}, .spill = spill, .elements = 4}, kReals, partial);
  EXPECT_EQ(partial.sum.rounded(), 2.5);
  EXPECT_EQ(partial.squares.rounded(), 9);
}

}  // namespace
}  // namespace tessera::device::gpu
