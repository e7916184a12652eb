// The histogram of an image file: which pixels are counted.
#include "view/histograms.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "codec/chunk.hpp"
#include "tests/post/written_file.hpp"

namespace tessera::view {
namespace {

class HistogramsOfFile : public post::WrittenFile {
 protected:
  /// 5 x 4 tiles of 16 pixels, and a count for each; those of the last row and column are smaller.
  void write_tiles(std::uint32_t tiles = 20) {
    job_.image.size_px = {70, 50};
    job_.image.iterations = 1000;
    job_.tile_px = 16;
    job_.fields = {job::Field::iterations};
    write(header(), true, [&](store::Hdf5ImageWriter& writer) {
      codec::ChunkEncoder encoder(base::ElementType::u16, 1);
      for (std::uint32_t tile = 0; tile < tiles; ++tile) {
        const std::vector<std::uint16_t> counts(std::size_t{16} * 16,
                                                static_cast<std::uint16_t>(tile));
        const auto chunk = encoder.encode(std::as_bytes(std::span(counts)));
        writer.write_chunk(job::Field::iterations, tile / 5, tile % 5, chunk.bytes,
                           chunk.filter_mask);
        writer.set_tile({.row = tile / 5, .column = tile % 5, .rank = 0});
      }
    });
  }
  /// Pixels below the limit.
  std::uint64_t counted(std::int64_t max_pixels) const {
    const OpenImage image(std::make_shared<LiveFile>(path_), 1000);
    TileImages tiles(std::size_t{1} << 20);
    Histograms histograms(tiles, max_pixels);
    color::StepCounts counts = histograms.of(image, job::Field::iterations)->counts;
    return std::accumulate(counts.counts().begin(), counts.counts().end(), std::uint64_t{0});
  }
};

TEST_F(HistogramsOfFile, count_all_pixels_of_a_small_image_and_some_of_a_larger_one) {
  write_tiles();
  EXPECT_EQ(counted(70 * 50), 70U * 50U);
  EXPECT_EQ(counted(70 * 50 + 1), 70U * 50U);
  // Every second tile: 10 of 20, in all columns.
  EXPECT_LT(counted(70 * 50 - 1), 70U * 30U);
  EXPECT_GT(counted(70 * 50 - 1), 70U * 20U);
  EXPECT_GT(counted(1), 0U);
}

TEST_F(HistogramsOfFile, leave_out_what_is_missing) {
  write_tiles(7);
  EXPECT_EQ(counted(70 * 50), 7U * 256U - 10U * 16U);
}

TEST_F(HistogramsOfFile, are_counted_once) {
  write_tiles();
  const OpenImage image(std::make_shared<LiveFile>(path_), 1000);
  TileImages tiles(std::size_t{1} << 20);
  Histograms histograms(tiles);
  const auto first = histograms.of(image, job::Field::iterations);
  EXPECT_EQ(histograms.of(image, job::Field::iterations), first);
}

}  // namespace
}  // namespace tessera::view
