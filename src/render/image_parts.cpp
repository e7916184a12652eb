#include "render/image_parts.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/values.hpp"
#include "render/remarks.hpp"
#include "store/image/parts.hpp"

namespace tessera::render {
namespace {

class PartsSink final : public farm::Sink {
 public:
  explicit PartsSink(const farm::Parts& parts) : parts_(parts) {}

  template <class... Args>
  void add(int part, Args&&... args) {
    sinks_.try_emplace(part, std::forward<Args>(args)...);
  }
  void put(farm::ResultChunk result_chunk) override {
    sinks_.at(static_cast<int>(parts_.part_of(result_chunk.item))).put(std::move(result_chunk));
  }

 private:
  const farm::Parts& parts_;
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
  if (!is_in_parts()) return begin_one(job, found);
  const int parts = static_cast<int>(ranks_.count());
  ranks_.of_item = [tiles, parts](std::int64_t tile) {
    return static_cast<std::size_t>(store::part_of_row(tiles.row_of(tile), parts));
  };
  begin_several(job, found);
  return true;
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
  comm::agree(world_, [&] {
    for (int part = 0; part < static_cast<int>(ranks_.count()); ++part) {
      if (ranks_.ranks[static_cast<std::size_t>(part)] != world_.rank()) continue;
      store::Leftover mine;
      if (auto writer = sink_.begin_part(job, part, mine)) writers_[part] = std::move(writer);
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
  if (!ranks_.has(world_.rank())) return nullptr;
  auto sink = std::make_unique<PartsSink>(ranks_);
  for (const auto& [part, writer] : writers_) {
    sink->add(part, *writer, tiles, std::chrono::seconds(job.checkpoint_s), live, stored);
  }
  return sink;
}

std::map<int, StoredCounts> ImageParts::gather(std::map<int, StoredCounts> stored) {
  if (!is_in_parts()) return stored;
  const auto all = world_.gather(base::to_bytes(stored));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    for (const auto& [maker, counts] : base::from_bytes<std::map<int, StoredCounts>>(all[rank])) {
      stored[maker] += counts;
    }
  }
  return stored;
}

void ImageParts::end(const job::RenderJob& job, std::span<const store::TimingRow> timing,
                     const store::Attributes& closing) {
  const std::size_t parts = ranks_.count();
  comm::agree(world_, [&] {
    for (const auto& [part, writer] : writers_) {
      if (is_in_parts()) {
        writer->end_part(fmt::format("{}/{}", part + 1, parts));
      } else if (job.share.whole()) {
        writer->finish(timing, closing);
      } else {  // the file stays unfinished, as input of merge
        writer->end_share(job::format_share(job.share));
      }
    }
    writers_.clear();
  });
  if (!is_in_parts()) return;
  comm::agree(world_, [&] {
    if (world_.is_root()) sink_.join_parts(job, static_cast<int>(parts), timing, closing);
  });
}

}  // namespace tessera::render
