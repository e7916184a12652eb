// The smaller scales of a field of an image: built from its tiles, also while it grows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/thread_team.hpp"
#include "codec/chunk.hpp"
#include "post/color/chunk_reader.hpp"
#include "store/image/pyramid_file.hpp"
#include "view/open_image.hpp"

namespace tessera::view {

/// Number of levels that a map needs besides the image itself.
int pyramid_levels(const base::ImageSize& image_px);

/// step() is called by one thread; any thread may call the others.
class Pyramid {
 public:
  Pyramid(std::shared_ptr<const OpenImage> image, job::Field field,
          std::unique_ptr<store::PyramidFile> file);

  /// Continues with `image`, a newer state of the same file.
  void follow(const std::shared_ptr<const OpenImage>& image);
  /// Adds some tiles that are new or have changed, with `members` of `team`. Each of them calls
  /// work(build) for a part of it, which calls build(). False if there are none; then the file is
  /// saved. A tile that cannot be read is left out.
  using Work = std::function<void(const std::function<void()>& build)>;
  bool step(base::ThreadTeam& team, int members, const Work& work);

  /// The size of a level, in chunks.
  const plan::TileGrid& grid(int level) const { return grids_[static_cast<std::size_t>(level)]; }
  /// Changes with the contents of a chunk; 0 if there is none.
  std::uint32_t revision(int level, std::int64_t chunk) const;
  /// The values of a chunk that is there. One that is damaged in the file is made again from those
  /// below, here and, at the next step(), in the file.
  base::Bytes read(int level, std::int64_t chunk) const;
  /// Changes with the contents of any chunk.
  std::uint32_t revision() const;
  /// The part of the image's stored tiles that is in it, 0 to 1.
  double built_part() const;
  bool built() const { return built_part() == 1; }
  /// Whether a step() has damaged chunks to replace.
  bool is_damaged() const;

 private:
  struct Lane;
  /// A chunk and those of its children that have changed.
  struct Node {
    std::int64_t chunk = 0;
    std::vector<std::int64_t> children;
  };
  std::vector<std::int64_t> next_tiles(const OpenImage& image);
  std::vector<Node> parents_of(int level, const std::vector<std::int64_t>& children) const;
  void build(const OpenImage& image, int level, const Node& node, Lane& lane);
  const base::Bytes* values_of(const OpenImage& image, int level, std::int64_t chunk,
                               Lane& lane) const;
  /// The children of a chunk that are in the file.
  std::vector<std::int64_t> children_of(int level, std::int64_t chunk) const;
  /// Takes the children's part of a chunk.
  void add_children(const OpenImage& image, int level, const Node& node, Lane& lane) const;
  void build_level(const OpenImage& image, int level, const std::vector<Node>& nodes,
                   base::ThreadTeam& team, int members, const Work& work);
  /// Rebuilds the chunks that a killed process left incomplete. False if there are none.
  bool repair(const OpenImage& image, base::ThreadTeam& team, int members, const Work& work);
  void mark_known_chunks();
  /// Damaged chunks are to be repaired.
  void find_damaged();

  job::Field field_;
  base::ElementType type_;
  std::vector<plan::TileGrid> grids_;  ///< grid of level 0, which is the image, and the others
  std::unique_ptr<store::PyramidFile> file_;
  std::vector<std::vector<Node>> spoiled_;  ///< by level
  std::int64_t next_block_ = 0;
  base::Clock::time_point kept_ = base::Clock::now();  ///< time of the last checkpoint
  mutable std::mutex mutex_;                           ///< guards the members below
  std::shared_ptr<const OpenImage> image_;
  std::vector<std::vector<std::uint32_t>> revisions_;       ///< revisions of each level and chunk
  mutable std::set<std::pair<int, std::int64_t>> damaged_;  ///< level and chunk
  std::uint32_t revision_ = 1;
  std::int64_t included_ = 0;  ///< tiles that are in the file
};

}  // namespace tessera::view
