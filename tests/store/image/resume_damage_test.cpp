// What is left of an image whose files are cut, flipped, torn by a power cut or lost: every tile
// that is sound, none that is not.
#include <gtest/gtest.h>
#include <hdf5.h>

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
  std::optional<Hdf5ImageWriter> writer(std::in_place, path_, header_);
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
    Hdf5ImageWriter writer(path_, header_);
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
  std::optional<Hdf5ImageWriter> writer(std::in_place, path_, header_);
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
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 20);
  }
  std::filesystem::remove(part() + ".log");
  // The checksums of these rows are made up, so that none of the tiles can be trusted.
  const Leftover left = finish_and_check();
  EXPECT_EQ(left.tiles, 0);
  EXPECT_EQ(left.damaged, 20);
}

/// Where HDF5's own structures begin, by their signatures; the superblock first.
std::vector<std::size_t> structures_of(const std::string& file) {
  std::vector<std::size_t> found = {0};
  for (const char* const signature :
       {"OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTIN", "BTLF", "FAHD", "FADB", "FSHD"}) {
    for (auto at = file.find(signature); at != std::string::npos;
         at = file.find(signature, at + 4)) {
      found.push_back(at);
    }
  }
  std::ranges::sort(found);
  return found;
}

/// The object header of /tiles: it names the table's members.
std::pair<std::size_t, std::size_t> tiles_header(const std::string& file) {
  constexpr std::size_t kBehindLastName = 192;
  const std::size_t begin = file.rfind("OHDR", file.find("compute_s"));
  return {begin, std::min(file.find("checksum", begin) + kBehindLastName, file.size())};
}

/// One bit of every byte; HDF5 must neither wait for a writer that could mend it nor hand on what
/// it made of it. A hang ends with the time that CTest gives a test.
TEST_F(Resume, mends_a_flipped_bit_anywhere_in_the_header_of_tiles) {
  header_ = sample_header();
  {
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 5);
  }
  const Snapshot whole = snapshot();
  const auto [begin, end] = tiles_header(whole.part);
  std::mt19937 random = chance(4);
  for (std::size_t at = begin; at < end; ++at) {
    SCOPED_TRACE(at - begin);
    Snapshot flipped = whole;
    flipped.part[at] ^= static_cast<char>(1 << random() % 8);
    restore(flipped);
    EXPECT_EQ(finish_and_check().tiles, 5);
  }
}

/// An image of which nothing is left to do is taken up all the same: its shares are merged later,
/// and its attributes are read then.
TEST_F(Resume, mends_damaged_structures_of_an_image_with_all_its_tiles) {
  header_ = sample_header();
  {
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, header_.grid().pixels());
  }
  const Snapshot whole = snapshot();
  const std::vector<std::size_t> structures = structures_of(whole.part);
  EXPECT_GE(structures.size(), 8U);
  std::mt19937 random = chance(5);
  for (int i = 0; i < 60 * times(); ++i) {
    Snapshot damaged = whole;
    const std::size_t from = structures[random() % structures.size()];
    const std::size_t bytes = std::min<std::size_t>(whole.part.size() - from, 1 + random() % 3);
    const std::size_t at = std::min(from + random() % 200, whole.part.size() - bytes);
    SCOPED_TRACE(at);
    for (std::size_t b = 0; b < bytes; ++b) damaged.part[at + b] = static_cast<char>(random());
    restore(damaged);
    EXPECT_EQ(finish_and_check().damaged, 0);
  }
}

TEST_F(Resume, says_again_what_the_attributes_of_a_full_image_no_longer_say) {
  header_ = sample_header();
  {
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, header_.grid().pixels());
  }
  const hid_t file = H5Fopen(part().c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_GE(H5Adelete(file, "view"), 0);
  EXPECT_GE(H5Arename(file, "center", "middle"), 0);
  EXPECT_GE(H5Fclose(file), 0);
  const Leftover left = finish_and_check();
  EXPECT_EQ(left.tiles, header_.grid().pixels());
  EXPECT_FALSE(left.copied);
}

}  // namespace
}  // namespace tessera::store
