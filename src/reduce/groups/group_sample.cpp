#include "reduce/groups/group_sample.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "plan/array_pieces.hpp"
#include "reduce/groups/present_members.hpp"
#include "reduce/input/aligned_reader.hpp"
#include "reduce/input/piece_reader.hpp"
#include "statistics/each_element.hpp"

namespace tessera::reduce {
namespace {

constexpr std::int64_t kPieces = 5;
/// Elements at either end of a piece. A mapped file is read no further.
constexpr std::size_t kEndElements = std::size_t{1} << 15;

/// Finite elements that are not 0, by their exponent field.
struct Fields {
  std::array<std::int64_t, 0x7ff> counts{};

  void add(std::span<const std::byte> elements, base::ElementType type) {
    statistics::for_each_real(elements, type, [&](double x) {
      const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(x) << 1;
      const std::uint64_t field = magnitude >> 53;
      if (magnitude != 0 && field < counts.size()) ++counts[field];
    });
  }
  int largest() const {
    for (int field = 0x7fe; field > 0; --field) {
      if (counts[static_cast<std::size_t>(field)] > 0) return field;
    }
    return 1023;  // of 1.0
  }
  double part_below(int field) const {
    const auto sum = [&](std::size_t end) {
      return static_cast<double>(std::accumulate(
          counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{0}));
    };
    return sum(static_cast<std::size_t>(field)) / std::max(1.0, sum(counts.size()));
  }
};

}  // namespace

GroupSample sample_groups(const store::ArraySource& x, const GroupKeys& keys) {
  const std::int64_t pieces = x.pieces().count();
  const base::ElementType type = x.info().type;
  KeyRange seen{statistics::kLastKey, 0};
  Fields fields;
  std::vector<statistics::GroupKey> some;
  PieceReader reader(x);
  AlignedReader keys_reader(x, keys.sources());
  PresentMembers present(x, keys);
  for (std::int64_t i = 0; i < std::min(pieces, kPieces); ++i) {
    const std::int64_t piece = pieces <= kPieces ? i : i * (pieces - 1) / (kPieces - 1);
    const auto add = [&](const auto& elements, const auto& columns, const auto&) {
      const std::size_t bytes = base::element_bytes(type);
      const std::size_t all = elements.size() / bytes;
      const std::size_t count = std::min(all, kEndElements);
      for (const std::size_t first : {std::size_t{0}, all - count}) {
        LeftOut left_out;
        present.take(elements, columns, first, count);
        some.resize(present.count());
        if (some.empty()) continue;
        keys.encode(present.keys(), 0, some, left_out);
        const auto [least, greatest] = std::ranges::minmax(some);
        seen = {std::min(seen.first, least), std::max(seen.last, greatest)};
        fields.add(present.elements(), type);
      }
      return true;
    };
    keys_reader.read(piece, piece + 1, reader.read(piece, piece + 1), add);
  }
  GroupSample sample;
  const std::int64_t terms = plan::element_count(x.info().shape);
  sample.window = statistics::SumWindow::below(fields.largest(), std::max<std::int64_t>(1, terms));
  if (base::is_floating(type)) sample.outside = fields.part_below(sample.window.first);
  if (seen.first > seen.last) return sample;
  const statistics::GroupKey margin = (seen.last - seen.first) / 64 + 1;
  sample.keys = {seen.first - std::min(margin, seen.first),
                 seen.last + std::min(margin, statistics::kLastKey - seen.last)};
  return sample;
}

}  // namespace tessera::reduce
