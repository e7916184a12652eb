#include "reduce/groups/group_sample.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "reduce/groups/group_reader.hpp"
#include "statistics/each_element.hpp"

namespace tessera::reduce {
namespace {

constexpr std::int64_t kPieces = 5;
/// Elements at either end of a piece. A mapped file is read no further.
constexpr std::size_t kEndElements = std::size_t{1} << 15;

int largest_field(std::span<const std::byte> elements, base::ElementType type) {
  int largest = 0;
  statistics::for_each_real(elements, type, [&](double x) {
    const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
    if (field < 0x7ff) largest = std::max(largest, field);
  });
  return largest;
}

}  // namespace

GroupSample sample_groups(const store::ArraySource& x, const GroupKeys& keys) {
  const std::int64_t pieces = x.pieces().count();
  const base::ElementType type = x.info().type;
  KeyRange seen{statistics::kLastKey, 0};
  int field = 0;
  std::vector<statistics::GroupKey> some;
  GroupReader reader(x, keys);
  for (std::int64_t i = 0; i < std::min(pieces, kPieces); ++i) {
    const std::int64_t piece = pieces <= kPieces ? i : i * (pieces - 1) / (kPieces - 1);
    reader.read(piece, piece + 1, [&](const auto& elements, const auto& columns, const auto&) {
      const std::size_t bytes = base::element_bytes(type);
      const std::size_t all = elements.size() / bytes;
      some.resize(std::min(all, kEndElements));
      for (const std::size_t first : {std::size_t{0}, all - some.size()}) {
        LeftOut left_out;
        keys.encode(columns, first, some, left_out);
        const auto [least, greatest] = std::ranges::minmax(some);
        seen = {std::min(seen.first, least), std::max(seen.last, greatest)};
        field = std::max(field,
                         largest_field(elements.subspan(first * bytes, some.size() * bytes), type));
      }
    });
  }
  GroupSample sample;
  if (field > 0) sample.largest_field = field;
  if (seen.first > seen.last) return sample;
  const statistics::GroupKey margin = (seen.last - seen.first) / 64 + 1;
  sample.keys = {seen.first - std::min(margin, seen.first),
                 seen.last + std::min(margin, statistics::kLastKey - seen.last)};
  return sample;
}

}  // namespace tessera::reduce
