#include "view/pyramid.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "view/half_scale.hpp"
#include "view/tile_image.hpp"

namespace tessera::view {
namespace {

/// Tiles are looked for in squares, so that few chunks of the higher levels change in a step, which
/// adds about one square. Small ones show sooner what was rendered.
// crossed by: test_scales_are_built_in_steps
constexpr std::int64_t kBlockTiles = 32;  ///< a side
// crossed by: test_missing_tiles_are_transparent_and_appear
constexpr std::int64_t kGrowingBlockTiles = 8;
constexpr int kPyramidCompress = 1;
/// A server that is killed loses no more.
constexpr std::chrono::seconds kCheckpoint{2};

/// A tile's checksum, or another number if that is 0.
std::uint32_t mark_of(const TileFacts& tile) {
  return std::max(tile.checksum, 1U);
}

}  // namespace

int pyramid_levels(const base::ImageSize& image_px) {
  return std::max(levels_of(image_px) - 2, 0);
}

/// Buffers of a thread.
struct Pyramid::Lane {
  Lane(const OpenImage& image, job::Field field)
      : base(image.chunks(field)), encoder(image.chunks(field).type(), kPyramidCompress) {}
  post::ChunkReader::Buffers base;  ///< a tile of the image, and the decoder
  codec::ChunkEncoder encoder;
  base::Bytes stored, fine, coarse;
};

Pyramid::Pyramid(std::shared_ptr<const OpenImage> image, job::Field field,
                 std::unique_ptr<store::PyramidFile> file)
    : field_(field),
      type_(image->chunks(field).type()),
      file_(std::move(file)),
      image_(std::move(image)) {
  const store::PyramidSpec& spec = file_->spec();
  for (int level = 0; level <= spec.levels; ++level) {
    grids_.push_back({spec.size_of(level), spec.tile_px});
    revisions_.emplace_back(static_cast<std::size_t>(grids_.back().count()));
    spoiled_.emplace_back();
  }
  mark_known_chunks();
}

/// Sets the revisions of the chunks that are in the file, and finds those that are missing there.
void Pyramid::mark_known_chunks() {
  std::vector<std::int64_t> known;
  for (std::size_t tile = 0; tile < file_->tiles().size(); ++tile) {
    if (file_->tiles()[tile] != 0) known.push_back(static_cast<std::int64_t>(tile));
  }
  included_ = std::ssize(known);
  for (int level = 1; level < std::ssize(grids_); ++level) {
    std::vector<std::int64_t> above;
    const auto number = static_cast<std::size_t>(level);
    for (Node& node : parents_of(level, known)) {
      above.push_back(node.chunk);
      if (file_->has(level, grid(level).row_of(node.chunk), grid(level).column_of(node.chunk))) {
        revisions_[number][static_cast<std::size_t>(node.chunk)] = revision_;
      } else {
        spoiled_[number].push_back(std::move(node));
      }
    }
    known = std::move(above);
  }
}

void Pyramid::follow(const std::shared_ptr<const OpenImage>& image) {
  const std::scoped_lock lock(mutex_);
  image_ = image;
}

std::uint32_t Pyramid::revision(int level, std::int64_t chunk) const {
  const std::scoped_lock lock(mutex_);
  return revisions_[static_cast<std::size_t>(level)][static_cast<std::size_t>(chunk)];
}

std::uint32_t Pyramid::revision() const {
  const std::scoped_lock lock(mutex_);
  return revision_;
}

double Pyramid::built_part() const {
  const std::scoped_lock lock(mutex_);
  const auto stored = static_cast<double>(image_->tiles_done());
  return stored == 0 ? 1 : std::min(static_cast<double>(included_) / stored, 1.0);
}

bool Pyramid::is_damaged() const {
  const std::scoped_lock lock(mutex_);
  return !damaged_.empty();
}

base::Bytes Pyramid::read(int level, std::int64_t chunk) const {
  const plan::TileGrid& grid = grids_[static_cast<std::size_t>(level)];
  base::Bytes stored;
  std::uint32_t filter_mask = 0;
  base::Bytes values(static_cast<std::size_t>(grid.chunk_px().pixels()) *
                     base::element_bytes(type_));
  if (file_->read(level, grid.row_of(chunk), grid.column_of(chunk), stored, filter_mask)) {
    codec::ChunkDecoder(type_).decode(stored, filter_mask, values);
    return values;
  }
  fill_missing(values.data(), values.size() / base::element_bytes(type_), type_);
  std::unique_lock lock(mutex_);
  const bool was_there =
      revisions_[static_cast<std::size_t>(level)][static_cast<std::size_t>(chunk)] != 0;
  if (!was_there) return values;
  damaged_.emplace(level, chunk);
  const std::shared_ptr<const OpenImage> image = image_;
  lock.unlock();
  Lane lane(*image, field_);
  lane.coarse = std::move(values);
  add_children(*image, level, {chunk, children_of(level, chunk)}, lane);
  return std::move(lane.coarse);
}

std::vector<std::int64_t> Pyramid::children_of(int level, std::int64_t chunk) const {
  const plan::TileGrid& fine = grids_[static_cast<std::size_t>(level - 1)];
  const plan::TileGrid& coarse = grids_[static_cast<std::size_t>(level)];
  const std::int64_t top = 2 * coarse.row_of(chunk);
  const std::int64_t left = 2 * coarse.column_of(chunk);
  const std::scoped_lock lock(mutex_);
  std::vector<std::int64_t> children;
  for (std::int64_t row = top; row < std::min(top + 2, fine.rows()); ++row) {
    for (std::int64_t column = left; column < std::min(left + 2, fine.columns()); ++column) {
      const std::int64_t child = row * fine.columns() + column;
      const auto number = static_cast<std::size_t>(child);
      const bool is_there = level == 1
                                ? file_->tiles()[number] != 0
                                : revisions_[static_cast<std::size_t>(level - 1)][number] != 0;
      if (is_there) children.push_back(child);
    }
  }
  return children;
}

void Pyramid::find_damaged() {
  std::unique_lock lock(mutex_);
  const auto damaged = std::exchange(damaged_, {});
  lock.unlock();
  for (const auto& [level, chunk] : damaged) {
    spoiled_[static_cast<std::size_t>(level)].push_back({chunk, children_of(level, chunk)});
  }
}

std::vector<std::int64_t> Pyramid::next_tiles(const OpenImage& image) {
  const plan::TileGrid& grid = grids_[0];
  const std::int64_t side = image.complete() ? kBlockTiles : kGrowingBlockTiles;
  const std::int64_t across = (grid.columns() + side - 1) / side;
  const std::int64_t blocks = across * ((grid.rows() + side - 1) / side);
  std::vector<std::int64_t> tiles;
  for (std::int64_t looked = 0; looked < blocks && std::ssize(tiles) < side * side; ++looked) {
    const std::int64_t block = next_block_++ % blocks;
    const std::int64_t top = block / across * side;
    const std::int64_t left = block % across * side;
    for (std::int64_t row = top; row < std::min(top + side, grid.rows()); ++row) {
      for (std::int64_t column = left; column < std::min(left + side, grid.columns()); ++column) {
        const std::int64_t number = row * grid.columns() + column;
        const TileFacts& tile = image.tiles()[static_cast<std::size_t>(number)];
        if (tile.stored() && file_->tiles()[static_cast<std::size_t>(number)] != mark_of(tile)) {
          tiles.push_back(number);
        }
      }
    }
  }
  return tiles;
}

std::vector<Pyramid::Node> Pyramid::parents_of(int level,
                                               const std::vector<std::int64_t>& children) const {
  const plan::TileGrid& fine = grids_[static_cast<std::size_t>(level - 1)];
  const plan::TileGrid& coarse = grids_[static_cast<std::size_t>(level)];
  std::map<std::int64_t, Node> nodes;
  for (const std::int64_t child : children) {
    const std::int64_t chunk =
        fine.row_of(child) / 2 * coarse.columns() + fine.column_of(child) / 2;
    nodes[chunk].chunk = chunk;
    nodes[chunk].children.push_back(child);
  }
  std::vector<Node> list;
  for (auto& [chunk, node] : nodes) list.push_back(std::move(node));
  return list;
}

bool Pyramid::step(base::ThreadTeam& team, int members, const Work& work) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<const OpenImage> image = image_;
  lock.unlock();
  find_damaged();
  if (repair(*image, team, members, work)) return true;
  const std::vector<std::int64_t> tiles = next_tiles(*image);
  if (tiles.empty()) {
    file_->save();
    return false;
  }
  std::vector<std::int64_t> changed = tiles;
  for (int level = 1; level < std::ssize(grids_); ++level) {
    const std::vector<Node> nodes = parents_of(level, changed);
    build_level(*image, level, nodes, team, members, work);
    changed.clear();
    for (const Node& node : nodes) changed.push_back(node.chunk);
  }
  lock.lock();
  for (const std::int64_t tile : tiles) {
    const auto number = static_cast<std::size_t>(tile);
    if (file_->tiles()[number] == 0) ++included_;
    file_->tiles()[number] = mark_of(image->tiles()[number]);
  }
  lock.unlock();
  if (const auto now = base::Clock::now(); now - kept_ > kCheckpoint) {
    file_->checkpoint();
    kept_ = now;
  }
  return true;
}

void Pyramid::build_level(const OpenImage& image, int level, const std::vector<Node>& nodes,
                          base::ThreadTeam& team, int members, const Work& work) {
  std::atomic<std::size_t> next = 0;
  team.run(members, [&](int) {
    std::optional<Lane> lane;
    for (std::size_t i = next++; i < nodes.size(); i = next++) {
      if (!lane) lane.emplace(image, field_);
      work([&] { build(image, level, nodes[i], *lane); });
    }
  });
  const std::scoped_lock lock(mutex_);
  ++revision_;
  for (const Node& node : nodes) {
    revisions_[static_cast<std::size_t>(level)][static_cast<std::size_t>(node.chunk)] = revision_;
  }
}

bool Pyramid::repair(const OpenImage& image, base::ThreadTeam& team, int members,
                     const Work& work) {
  bool any = false;
  for (int level = 1; level < std::ssize(grids_); ++level) {
    const std::vector<Node> nodes = std::exchange(spoiled_[static_cast<std::size_t>(level)], {});
    if (nodes.empty()) continue;
    build_level(image, level, nodes, team, members, work);
    any = true;
  }
  return any;
}

/// Null for a tile that is not there or cannot be read.
const base::Bytes* Pyramid::values_of(const OpenImage& image, int level, std::int64_t chunk,
                                      Lane& lane) const {
  if (level > 0) {
    lane.fine = read(level, chunk);
    return &lane.fine;
  }
  try {
    return image.chunks(field_).read(lane.base, chunk) ? &lane.base.values : nullptr;
  } catch (const base::Error&) {
    return nullptr;
  }
}

void Pyramid::add_children(const OpenImage& image, int level, const Node& node, Lane& lane) const {
  const plan::TileGrid& coarse = grids_[static_cast<std::size_t>(level)];
  const plan::TileGrid& fine = grids_[static_cast<std::size_t>(level - 1)];
  for (const std::int64_t child : node.children) {
    const base::Bytes* const values = values_of(image, level - 1, child, lane);
    if (!values) continue;
    take_half(level, fine.size_px, {fine.rect(child), fine.chunk_px().width, values->data()},
              {coarse.rect(node.chunk), coarse.chunk_px().width, lane.coarse.data()}, type_);
  }
}

void Pyramid::build(const OpenImage& image, int level, const Node& node, Lane& lane) {
  const plan::TileGrid& coarse = grids_[static_cast<std::size_t>(level)];
  lane.coarse = read(level, node.chunk);
  add_children(image, level, node, lane);
  const codec::EncodedChunk encoded = lane.encoder.encode(lane.coarse);
  file_->write(level, coarse.row_of(node.chunk), coarse.column_of(node.chunk), encoded.bytes,
               encoded.filter_mask);
}

}  // namespace tessera::view
