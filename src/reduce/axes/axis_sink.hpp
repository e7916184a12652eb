// Gives the tiles of the result to the output, on the gather rank.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "reduce/axes/axis_target.hpp"
#include "reduce/axes/axis_work.hpp"
#include "reduce/item_sink.hpp"

namespace tessera::reduce {

/// The progress of a reduction along axes. A checkpoint stores it; together with the unfinished
/// output file a later run resumes from it.
struct AxisState {
  /// The merged partial results of some items of a tile.
  struct Gathering {
    statistics::OutputPartials partials;
    std::int64_t shares = 0;

    static auto members(auto& self) { return std::tie(self.shares, self.partials); }
  };

  std::vector<store::ArrayLayout> layouts;  ///< layouts of the files
  statistics::SpecialCounts specials;
  /// Checksum of the results of each plan::AxisItems::group(): CRC-32C of those in chunks xor that
  /// of others.
  std::vector<std::uint32_t> checksums;
  std::map<std::int64_t, Gathering> open;  ///< tiles with missing items, by tile number

  static auto members(auto& self) {
    return std::tie(self.layouts, self.specials, self.checksums, self.open);
  }
};

/// Writes tiles as they arrive. A tile that is split over several items is written when all its
/// items have arrived.
class AxisSink : public ItemSink {
 public:
  AxisSink(const AxisReduction& task, AxisTarget& target);
  /// Resumes from `found` if the file holds every tile that it lists as finished. Otherwise changes
  /// nothing and returns false.
  bool resume(const store::ReduceCheckpoint& found);

  /// Also syncs the file.
  store::ReduceCheckpoint checkpoint(store::ReduceCheckpoint blank) const override;
  const statistics::SpecialCounts& specials() const { return state_.specials; }

 private:
  void add(std::int64_t item, base::ByteReader& result) override;
  void fill(store::ReduceCheckpoint& state) const override;
  void merge(std::int64_t item, base::ByteReader& share);
  void add_mapped(std::int64_t item, base::ByteReader& result);
  std::uint32_t write_item(std::int64_t item, base::ByteReader& result, bool written);
  std::uint32_t write(std::int64_t tile, std::span<const std::byte> answers,
                      std::uint32_t checksum);
  bool is_written(const store::ReduceCheckpoint& found, const AxisState& state) const;
  std::uint32_t read_checksum(std::int64_t group) const;

  const AxisReduction& task_;
  AxisTarget& target_;
  AxisState state_;
};

}  // namespace tessera::reduce
