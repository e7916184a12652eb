#include "device/gpu/arrays/elements/product_records.hpp"

#include "device/gpu/arrays/stream/joined_words.hpp"

namespace tessera::device::gpu {
namespace {

using kernels::TS_U64;
using kernels::UnsignedInt128;

template <class Steps>
void put_steps(const Steps& steps, std::vector<TS_U64>& words) {
  for (std::size_t i = 0; i < steps.factors.size(); ++i) {
    words.push_back(steps.factors[i]);
    words.push_back(static_cast<TS_U64>(steps.logarithms[i]));
    words.push_back(static_cast<TS_U64>(steps.logarithms[i] >> 64));
  }
}

}  // namespace

std::vector<TS_U64> logarithm_words() {
  using Table = kernels::LogTable;
  constexpr std::size_t kFirst = std::tuple_size_v<decltype(decltype(Table::first)::factors)>;
  constexpr std::size_t kSecond = std::tuple_size_v<decltype(decltype(Table::second)::factors)>;
  constexpr std::size_t kThird = std::tuple_size_v<decltype(decltype(Table::third)::factors)>;
  static_assert(kFirst == TS_LOG_SECOND && kFirst + kSecond == TS_LOG_THIRD);
  static_assert(kFirst + kSecond + kThird == TS_LOG_ENTRIES);
  const Table& table = Table::get();
  std::vector<TS_U64> words;
  words.reserve(std::size_t{TS_LOG_ENTRIES} * TS_LOG_WORDS);
  put_steps(table.first, words);
  put_steps(table.second, words);
  put_steps(table.third, words);
  return words;
}

void add_product(std::span<const kernels::TsReduced> records, kernels::Product& product) {
  for (const kernels::TsReduced& record : records) {
    product.merge(kernels::Product::Parts{
        .whole = static_cast<std::int64_t>(record.sum[0]),
        .fraction = joined(record.sum[1], record.sum[2]),
        .odd = joined(record.absolute[0], record.absolute[1]),
        .nans = static_cast<std::int64_t>(record.squares[0]),
        .infinities = static_cast<std::int64_t>(record.squares[1]),
        .zeros = static_cast<std::int64_t>(record.squares[2]),
        .negatives = static_cast<std::int64_t>(record.squares[3]),
    });
  }
}

}  // namespace tessera::device::gpu
