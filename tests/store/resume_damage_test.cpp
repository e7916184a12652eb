// What is left of an image whose files are cut, flipped, torn by a power cut or lost: every tile
// that is sound, none that is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>

#include "chance.hpp"
#include "resumed_image.hpp"

namespace tessera::store {
namespace {

constexpr std::size_t kPageBytes = 4096;

TEST_F(Resume, keeps_the_sound_tiles_of_a_file_cut_anywhere) {
  std::optional<ImageWriter> writer(std::in_place, path_, header_);
  write_tiles(*writer, header_, 0, 60);
  writer->flush();
  write_tiles(*writer, header_, 60, 120);
  const Snapshot whole = snapshot();
  writer.reset();
  std::mt19937 random = chance(1);
  for (int i = 0; i < 40 * times(); ++i) {
    Snapshot cut = whole;
    cut.part.resize(random() % cut.part.size());
    if (i % 4 == 0) cut.log.resize(random() % cut.log.size());
    restore(cut);
    const Leftover left = finish_and_check();
    EXPECT_LE(left.tiles, 120);
  }
}

TEST_F(Resume, never_takes_a_flipped_byte_for_a_tile) {
  {
    ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 150);
  }
  const Snapshot whole = snapshot();
  std::mt19937 random = chance(2);
  for (int i = 0; i < 40 * times(); ++i) {
    Snapshot flipped = whole;
    for (int flips = 0; flips < 20; ++flips) {
      flipped.part[random() % flipped.part.size()] ^= static_cast<char>(1 << random() % 8);
    }
    if (i % 4 == 0) flipped.log[random() % flipped.log.size()] ^= 4;
    restore(flipped);
    const Leftover left = finish_and_check();
    EXPECT_GE(left.tiles, 150 - 21);
    EXPECT_LE(left.tiles, 150);
  }
}

/// Of each page either what reached the disk before, or what was written since.
std::string torn(const std::string& before, const std::string& after, std::mt19937& random) {
  std::string mixed = before;
  mixed.resize(random() % 8 == 0 ? before.size() : after.size());
  for (std::size_t page = 0; page < mixed.size(); page += kPageBytes) {
    if (random() % 2 == 0) continue;
    const std::size_t bytes = std::min(kPageBytes, mixed.size() - page);
    mixed.replace(page, bytes, after, page, bytes);
  }
  return mixed;
}

TEST_F(Resume, after_a_power_cut_has_at_least_what_was_synced_and_nothing_wrong) {
  std::optional<ImageWriter> writer(std::in_place, path_, header_);
  write_tiles(*writer, header_, 0, 70);
  writer->flush();
  writer->sync();
  const Snapshot synced = snapshot();
  write_tiles(*writer, header_, 70, 100);
  writer->flush();
  write_tiles(*writer, header_, 100, 130);
  const Snapshot latest = snapshot();
  writer.reset();
  std::mt19937 random = chance(3);
  for (int i = 0; i < 60 * times(); ++i) {
    restore({torn(synced.part, latest.part, random), torn(synced.log, latest.log, random)});
    const Leftover left = finish_and_check();
    for (std::int64_t tile = 0; tile < 70; ++tile) EXPECT_TRUE(is_stored(left, tile)) << tile;
  }
}

TEST_F(Resume, recovers_what_hdf5_knows_where_the_log_is_lost) {
  {
    ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 20);
  }
  std::filesystem::remove(part() + ".log");
  // The checksums of these rows are made up, so that none of the tiles can be trusted.
  const Leftover left = finish_and_check();
  EXPECT_EQ(left.tiles, 0);
  EXPECT_EQ(left.damaged, 20);
}

}  // namespace
}  // namespace tessera::store
