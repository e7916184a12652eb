// What is left of an image whose writer was killed, cut off from power or damaged: every tile that
// was stored and is sound, none that is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>

#include "base/error.hpp"
#include "chance.hpp"
#include "sample_image.hpp"
#include "scratch_folder.hpp"
#include "store/image_file.hpp"

namespace tessera::store {
namespace {

constexpr std::size_t kPageBytes = 4096;

void put_contents(const std::string& path, const std::string& bytes) {
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

  /// Goes on with what is there, does what is missing and looks at all of it. Tiles are told by
  /// their number.
  Leftover finish_and_check() const {
    Leftover left;
    {
      ImageWriter writer(path_, header_, left);
      EXPECT_EQ(left.tiles, std::ranges::count(left.stored, true));
      for (std::int64_t tile = 0; tile < header_.grid().pixels(); ++tile) {
        if (is_stored(left, tile)) continue;
        write_tiles(writer, header_, tile, tile + 1);
      }
      writer.finish({}, {});
    }
    const ImageReader reader(path_);
    EXPECT_EQ(reader.attribute("status"), "complete");
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

TEST_F(Resume, goes_on_in_the_file_of_a_writer_that_left_in_order) {
  {
    ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 100);
  }
  const Leftover left = finish_and_check();
  EXPECT_EQ(left.tiles, 100);
  EXPECT_EQ(left.damaged, 0);
  EXPECT_FALSE(left.copied);
}

TEST_F(Resume, keeps_every_stored_tile_of_a_writer_that_was_killed) {
  for (const std::int64_t flushed : {0, 1, 37, 90}) {
    std::optional<ImageWriter> writer(std::in_place, path_, header_);
    write_tiles(*writer, header_, 0, flushed);
    if (flushed > 0) writer->flush();
    write_tiles(*writer, header_, flushed, 90);
    const Snapshot killed = snapshot();
    writer.reset();
    restore(killed);
    const Leftover left = finish_and_check();
    EXPECT_EQ(left.tiles, 90) << flushed;
    EXPECT_EQ(left.damaged, 0) << flushed;
    EXPECT_FALSE(left.copied) << flushed;
  }
}

TEST_F(Resume, knows_where_the_chunks_are_when_the_index_has_pages) {
  header_ = sample_header(1, {60, 50});
  header_.tile_px = 1;
  std::optional<ImageWriter> writer(std::in_place, path_, header_);
  for (std::int64_t tile = 0; tile < 3000; tile += 2) write_tiles(*writer, header_, tile, tile + 1);
  writer->flush();
  for (std::int64_t tile = 1; tile < 2000; tile += 2) write_tiles(*writer, header_, tile, tile + 1);
  const Snapshot killed = snapshot();
  writer.reset();
  restore(killed);
  const Leftover left = finish_and_check();
  EXPECT_EQ(left.tiles, 2500);
  EXPECT_EQ(left.damaged, 0);
  EXPECT_FALSE(left.copied);
}

TEST_F(Resume, does_not_grow_when_it_is_killed_again_and_again) {
  std::optional<ImageWriter> first(std::in_place, path_, header_);
  write_tiles(*first, header_, 0, 60);
  const Snapshot begun = snapshot();
  first.reset();
  restore(begun);
  Snapshot killed;
  for (int i = 0; i < 6; ++i) {
    Leftover left;
    std::optional<ImageWriter> writer(std::in_place, path_, header_, left);
    EXPECT_EQ(left.tiles, 60);
    const Snapshot now = snapshot();
    writer.reset();
    restore(now);
    if (i >= 2) {
      EXPECT_EQ(now.part.size(), killed.part.size());
    }
    EXPECT_EQ(logged_tiles(part()), 60);
    killed = now;
  }
  EXPECT_EQ(finish_and_check().tiles, 60);
}

TEST_F(Resume, goes_on_again_and_again) {
  for (std::int64_t tile = 0; tile < 50; tile += 10) {
    Leftover left;
    std::optional<ImageWriter> writer(std::in_place, path_, header_, left);
    ASSERT_EQ(left.tiles, tile);
    write_tiles(*writer, header_, tile, tile + 5);
    writer->flush();
    write_tiles(*writer, header_, tile + 5, tile + 10);
    const Snapshot killed = snapshot();
    writer.reset();
    restore(killed);
  }
  EXPECT_EQ(finish_and_check().tiles, 50);
}

TEST_F(Resume, finishes_what_was_killed_while_it_finished) {
  {
    ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, header_.grid().pixels());
    const Snapshot before = snapshot();
    const TimingRow timing[] = {{0, "node-1", "compute", 2, 1.5}};
    writer.finish(timing, {{"wall_s", "3.5"}});
    // Complete but for its name, its log still there.
    std::filesystem::rename(path_, part());
    put_contents(part() + ".log", before.log);
  }
  const Leftover left = finish_and_check();
  EXPECT_EQ(left.tiles, header_.grid().pixels());
}

TEST_F(Resume, an_adoption_of_a_copy_that_was_interrupted_goes_on) {
  {
    ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 50);
  }
  // The log has its name already, the file that it belongs to has not.
  std::filesystem::rename(part(), part() + ".new");
  put_contents(part(), "what the copy was made of");
  EXPECT_EQ(finish_and_check().tiles, 50);
  EXPECT_FALSE(std::filesystem::exists(part() + ".new"));
}

TEST_F(Resume, a_copy_that_was_not_complete_is_dropped) {
  {
    ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 50);
  }
  put_contents(part() + ".new", "half a copy");
  put_contents(part() + ".new.log", "half a log");
  EXPECT_EQ(finish_and_check().tiles, 50);
  EXPECT_FALSE(std::filesystem::exists(part() + ".new"));
  EXPECT_FALSE(std::filesystem::exists(part() + ".new.log"));
}

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

TEST_F(Resume, knows_another_job_and_a_finished_one) {
  using What = FoundImage::What;
  header_.attributes.emplace_back("fingerprint", "0123456789abcdef");
  EXPECT_EQ(find_image(path_, "0123456789abcdef").what, What::nothing);
  {
    ImageWriter writer(path_, header_);
    EXPECT_THROW(find_image(path_, "0123456789abcdef"), base::Error) << "it is being written";
  }
  EXPECT_EQ(find_image(path_, "0123456789abcdef").what, What::unfinished);
  EXPECT_EQ(find_image(path_, "fedcba9876543210").what, What::other);
  finish_and_check();
  {
    ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, header_.grid().pixels());
    writer.finish({}, {});
  }
  EXPECT_EQ(find_image(path_, "0123456789abcdef").what, What::complete);
  EXPECT_EQ(find_image(path_, "fedcba9876543210").what, What::other);
  put_contents(path_, "something else");
  EXPECT_EQ(find_image(path_, "0123456789abcdef").what, What::other);
}

TEST_F(Resume, names_the_process_that_writes_the_file) {
  ImageWriter writer(path_, header_);
  Leftover left;
  try {
    const ImageWriter second(path_, header_, left);
    ADD_FAILURE() << "two writers";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(::getpid()) + " on "),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tessera::store
