#include "render/image_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/file/open_files.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/values.hpp"
#include "render/remarks.hpp"
#include "store/image/parts.hpp"

namespace tessera::render {
namespace {

/// A part may be open for HDF5, for its bytes, its log and its lock.
constexpr std::uint64_t kFilesOfPart = 6;

/// Stores tiles in the parts that the rank writes.
class PartsSink final : public farm::Sink {
 public:
  PartsSink(ImageParts& parts, const job::RenderJob& job, const plan::TileGrid& tiles,
            report::LiveRun* live, std::map<int, StoredCounts>& stored)
      : parts_(parts), job_(job), tiles_(tiles), live_(live), stored_(stored) {}

  void add(int part) {
    store::ImageWriter* const writer = parts_.writer(part);
    if (!writer) return;
    sinks_.try_emplace(part, *writer, tiles_, std::chrono::seconds(job_.checkpoint_s), live_,
                       stored_);
  }
  void put(farm::ResultChunk result_chunk) override {
    const auto part = static_cast<int>(parts_.ranks().part_of(result_chunk.item));
    sinks_.at(part).put(std::move(result_chunk));
  }
  std::vector<farm::StoredItem> adopt(std::size_t number) override {
    const int part = static_cast<int>(number);
    std::vector<farm::StoredItem> items;
    for (const store::TileRow& row : parts_.adopt(job_, part)) {
      const std::int64_t tile = row.row * tiles_.columns() + row.column;
      items.push_back({.rank = row.rank,
                       .item = tile,
                       .start_s = static_cast<float>(row.start_s),
                       .seconds = static_cast<float>(row.compute_s)});
      stored_[row.rank] += parts_.counts_of(row);
    }
    add(part);
    return items;
  }
  void close() override {
    sinks_.clear();
    parts_.end_mine();
  }

 private:
  ImageParts& parts_;
  const job::RenderJob& job_;
  plan::TileGrid tiles_;
  report::LiveRun* live_;
  std::map<int, StoredCounts>& stored_;
  std::map<int, TileSink> sinks_;
};

void add(store::Leftover& sum, const store::Leftover& more) {
  if (sum.stored.size() < more.stored.size()) sum.stored.resize(more.stored.size());
  for (std::size_t tile = 0; tile < more.stored.size(); ++tile) {
    if (more.stored[tile]) sum.stored[tile] = true;
  }
  sum.tiles += more.tiles;
  sum.damaged += more.damaged;
  sum.copied = sum.copied || more.copied;
}

}  // namespace

bool ImageParts::begin(const job::RenderJob& job, const plan::TileGrid& tiles,
                       store::Leftover& found) {
  comm::agree(world_, [&] {
    if (world_.is_root()) ranks_.ranks = choose_ranks(job);
  });
  ranks_.ranks = comm::broadcast_value(world_, ranks_.ranks);
  if (ranks_.ranks.empty()) return false;
  tiles_ = tiles;
  if (!is_in_parts()) return begin_one(job, found);
  const int parts = static_cast<int>(ranks_.count());
  ranks_.of_item = [tiles, parts](std::int64_t tile) {
    return static_cast<std::size_t>(store::part_of_row(tiles.row_of(tile), parts));
  };
  begin_several(job, found);
  found_ = comm::broadcast_long_value(world_, found.stored);
  found_.resize(static_cast<std::size_t>(tiles.count()));
  return true;
}

std::vector<store::TileRow> ImageParts::adopt(const job::RenderJob& job, int part) {
  const std::vector<store::TileRow> rows = sink_.rows_of_part(job, part);
  store::Leftover sound;
  if (auto writer = sink_.begin_part(job, part, sound)) writers_[part] = std::move(writer);
  adopted_ = true;
  counted_.push_back(part);
  std::vector<store::TileRow> mine;
  sound.stored.resize(found_.size());
  std::ranges::copy_if(rows, std::back_inserter(mine), [&](const store::TileRow& row) {
    const auto tile = static_cast<std::size_t>(row.row * tiles_.columns() + row.column);
    return sound.stored[tile] && !found_[tile];
  });
  return mine;
}

/// Neighbours are often on one node, so writers are spread.
std::vector<int> ImageParts::choose_ranks(const job::RenderJob& job) {
  std::vector<int> present;
  for (int rank = 0; rank < world_.size(); ++rank) {
    if (world_.present(rank)) present.push_back(rank);
  }
  const std::size_t parts = static_cast<std::size_t>(sink_.begin_parts(job, world_.size()));
  std::vector<int> ranks;
  for (std::size_t part = 0; part < parts; ++part) {
    ranks.push_back(present[part * present.size() / parts]);
  }
  return ranks;
}

bool ImageParts::begin_one(const job::RenderJob& job, store::Leftover& found) {
  comm::agree(world_, [&] {
    if (!world_.is_root()) return;
    if (auto writer = sink_.begin(job, found)) writers_[0] = std::move(writer);
  });
  return comm::broadcast_value(world_, !writers_.empty());
}

void ImageParts::begin_several(const job::RenderJob& job, store::Leftover& found) {
  base::allow_open_files(kFilesOfPart * ranks_.count());
  comm::agree(world_, [&] {
    for (int part = 0; part < static_cast<int>(ranks_.count()); ++part) {
      if (ranks_.ranks[static_cast<std::size_t>(part)] != world_.rank()) continue;
      store::Leftover mine;
      if (auto writer = sink_.begin_part(job, part, mine)) writers_[part] = std::move(writer);
      counted_.push_back(part);
      add(found, mine);
    }
  });
  const auto all =
      world_.gather(base::to_bytes(found.stored, found.tiles, found.damaged, found.copied));
  if (!world_.is_root()) return;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    base::ByteReader in(all[rank]);
    store::Leftover theirs;
    in.read(theirs.stored);
    in.read(theirs.tiles);
    in.read(theirs.damaged);
    in.read(theirs.copied);
    add(found, theirs);
  }
  if (found.tiles > 0 && !job.quiet) {
    say_what_is_resumed(store::parts_folder(job.output), found);
  }
}

std::unique_ptr<farm::Sink> ImageParts::sink(const job::RenderJob& job, const plan::TileGrid& tiles,
                                             report::LiveRun* live,
                                             std::map<int, StoredCounts>& stored) {
  if (!is_in_parts() && !world_.is_root()) return nullptr;
  auto sink = std::make_unique<PartsSink>(*this, job, tiles, live, stored);
  for (const auto& [part, writer] : writers_) sink->add(part);
  return sink;
}

std::map<int, StoredCounts> ImageParts::gather(const job::RenderJob& job,
                                               std::map<int, StoredCounts> stored) {
  if (!is_in_parts()) return stored;
  const auto all = world_.gather(base::to_bytes(stored, adopted_, counted_));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    base::ByteReader in(all[rank]);
    for (const auto& [maker, counts] : in.get<std::map<int, StoredCounts>>()) {
      stored[maker] += counts;
    }
    adopted_ = in.get<bool>() || adopted_;
    std::ranges::copy(in.get<std::vector<int>>(), std::back_inserter(counted_));
  }
  if (world_.is_root()) count_others(job, stored);
  return stored;
}

StoredCounts ImageParts::counts_of(const store::TileRow& row) const {
  const std::int64_t tile = row.row * tiles_.columns() + row.column;
  return {.tiles = 1,
          .pixels = static_cast<std::uint64_t>(tiles_.rect(tile).pixels()),
          .iterations = row.iterations,
          .bytes = row.bytes};
}

/// Tiles in the parts of ranks that could not tell.
void ImageParts::count_others(const job::RenderJob& job, std::map<int, StoredCounts>& stored) {
  for (int part = 0; part < static_cast<int>(ranks_.count()); ++part) {
    if (std::ranges::find(counted_, part) != counted_.end()) continue;
    adopted_ = true;
    for (const store::TileRow& row : sink_.rows_of_part(job, part)) {
      const auto tile = static_cast<std::size_t>(row.row * tiles_.columns() + row.column);
      if (!found_[tile]) stored[row.rank] += counts_of(row);
    }
  }
}

void ImageParts::end_mine() {
  if (!is_in_parts()) return;
  for (const auto& [part, writer] : writers_) {
    writer->end_part(fmt::format("{}/{}", part + 1, ranks_.count()));
  }
  writers_.clear();
}

void ImageParts::end(const job::RenderJob& job, std::span<const store::TimingRow> timing,
                     const store::Attributes& closing) {
  if (is_in_parts()) {
    return comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      sink_.join_parts(job, static_cast<int>(ranks_.count()), timing, closing);
    });
  }
  comm::agree(world_, [&] {
    for (const auto& [part, writer] : writers_) {
      if (job.share.whole()) {
        writer->finish(timing, closing);
      } else {  // the file stays unfinished, as input of merge
        writer->end_share(job::format_share(job.share));
      }
    }
    writers_.clear();
  });
}

}  // namespace tessera::render
