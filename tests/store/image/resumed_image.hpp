// An image whose writer is killed, cut off or damaged by a test, and what goes on of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "store/image/formats.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "tests/store/sample_image.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {

inline void put_contents(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The two files of an image in the making at some moment.
struct Snapshot {
  std::string part;
  std::string log;
};

class Resume : public testing::Test {
 protected:
  std::string part() const { return part_path(path_); }
  Snapshot snapshot() const { return {contents(part()), contents(part() + ".log")}; }
  void restore(const Snapshot& then) const {
    remove_unfinished(path_);
    put_contents(part(), then.part);
    put_contents(part() + ".log", then.log);
  }

  /// Resumes the image, writes the missing tiles and reads all of them. Tiles are identified by
  /// their number.
  Leftover finish_and_check() const {
    Leftover left;
    {
      Hdf5ImageWriter writer(path_, header_, left);
      EXPECT_EQ(left.tiles, std::ranges::count(left.stored, true));
      for (std::int64_t tile = 0; tile < header_.grid().pixels(); ++tile) {
        if (is_stored(left, tile)) continue;
        write_tiles(writer, header_, tile, tile + 1);
      }
      writer.finish({}, {});
    }
    const Hdf5ImageReader reader(path_);
    EXPECT_EQ(reader.attribute("status"), "complete");
    for (const auto& one : header_.attributes) EXPECT_EQ(reader.attribute(one.name), one.text);
    EXPECT_FALSE(std::filesystem::exists(part() + ".log"));
    std::vector<std::byte> bytes;
    std::uint32_t mask = 0;
    for (const TileRow& tile : tiles_of(reader)) {
      const TileRow right = sample_row(tile.row, tile.column);
      EXPECT_EQ(tile.rank, right.rank) << tile.row << ", " << tile.column;
      EXPECT_EQ(tile.bytes, right.bytes) << tile.row << ", " << tile.column;
      EXPECT_EQ(tile.checksum, right.checksum) << tile.row << ", " << tile.column;
      for (const auto& [field, type] : header_.fields) {
        const bool there = reader.read_chunk(field, tile.row, tile.column, bytes, mask);
        EXPECT_TRUE(there && bytes == stored_chunk(header_, field, tile.row, tile.column))
            << tile.row << ", " << tile.column;
      }
    }
    std::filesystem::remove(path_);
    return left;
  }

  static bool is_stored(const Leftover& left, std::int64_t tile) {
    return !left.stored.empty() && left.stored[static_cast<std::size_t>(tile)];
  }

  ScratchFolder folder_;
  ImageHeader header_ = sample_header(1, {16 * 32 - 3, 12 * 32 - 5});
  std::string path_ = folder_.file("a.h5");
};

}  // namespace tessera::store
