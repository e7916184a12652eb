// Halves of sums of integers are put together before they have no room left.
#include <gtest/gtest.h>

#include <limits>

#include "device/cpu/cpu_target.hpp"

namespace tessera::device::cpu {
namespace {

using kernels::Int128;
using kernels::UnsignedInt128;

constexpr std::int64_t kMaxUnfolded = std::int64_t{1} << 30;

/// As many terms in the halves already as they may have, all at the end of their type, and some
/// rows more.
template <class T>
void expect_room(base::ElementType type, T x, std::int64_t before, std::int64_t rows) {
  const statistics::ReductionSpec spec{
      .type = type, .sum = true, .absolute = true, .squares = true};
  const auto magnitude = static_cast<UnsignedInt128>(x < 0 ? -static_cast<Int128>(x) : Int128{x});
  const auto low = static_cast<std::uint64_t>(x) & 0xffffffff;
  for (const CpuTarget& target : cpu_targets()) {
    ColumnOrder order;
    order.begin(spec, false, 1);
    order.unfolded = before;
    order.sum_low[0] = low * static_cast<std::uint64_t>(before);
    order.sum_high[0] = static_cast<std::int64_t>((static_cast<Int128>(x) >> 32)) * before;
    const std::uint64_t size = static_cast<std::uint64_t>(magnitude);
    order.absolute_low[0] = (size & 0xffffffff) * static_cast<std::uint64_t>(before);
    order.absolute_high[0] = (size >> 32) * static_cast<std::uint64_t>(before);
    const std::vector<T> column(static_cast<std::size_t>(rows), x);
    std::get<PassColumns<T>>(target.column_passes.pass)(spec, {column.data(), rows, 1, 1}, {},
                                                        order, 0);
    EXPECT_LE(order.unfolded, kMaxUnfolded) << target.name;
    order.fold();
    const std::int64_t terms = before + rows;
    EXPECT_TRUE(order.integers[0].sum == static_cast<Int128>(x) * terms) << target.name;
    EXPECT_TRUE(order.integers[0].absolute == magnitude * static_cast<UnsignedInt128>(terms))
        << target.name;
  }
}

TEST(ColumnPasses, HalvesHaveRoomForAsManyTermsAsTheyAreGiven) {
  for (const std::int64_t before :
       {kMaxUnfolded - 6, kMaxUnfolded - 5, kMaxUnfolded - 4, kMaxUnfolded}) {
    expect_room(base::ElementType::i64, std::numeric_limits<std::int64_t>::min(), before, 5);
    expect_room(base::ElementType::i64, std::numeric_limits<std::int64_t>::max(), before, 5);
    expect_room(base::ElementType::u64, std::numeric_limits<std::uint64_t>::max(), before, 5);
    expect_room(base::ElementType::u32, std::numeric_limits<std::uint32_t>::max(), before, 5);
    expect_room(base::ElementType::i32, std::numeric_limits<std::int32_t>::min(), before, 5);
  }
}

TEST(ColumnPasses, FoldWhenThereWouldBeTooMany) {
  const statistics::ReductionSpec spec{.type = base::ElementType::i16, .sum = true};
  const std::vector<std::int16_t> column(5, std::int16_t{-7});
  for (const CpuTarget& target : cpu_targets()) {
    for (const auto& [before, after] :
         {std::pair{kMaxUnfolded - 5, kMaxUnfolded}, {kMaxUnfolded - 4, std::int64_t{5}}}) {
      ColumnOrder order;
      order.begin(spec, false, 1);
      order.unfolded = before;
      std::get<PassColumns<std::int16_t>>(target.column_passes.pass)(spec, {column.data(), 5, 1, 1},
                                                                     {}, order, 0);
      EXPECT_EQ(order.unfolded, after) << target.name;
    }
  }
}

}  // namespace
}  // namespace tessera::device::cpu
