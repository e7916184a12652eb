// An image whose writer was killed or left resumes with every tile that was stored, again and
// again.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "resumed_image.hpp"

namespace tessera::store {
namespace {

TEST_F(Resume, goes_on_in_the_file_of_a_writer_that_left_in_order) {
  {
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 100);
  }
  const Leftover left = finish_and_check();
  EXPECT_EQ(left.tiles, 100);
  EXPECT_EQ(left.damaged, 0);
  EXPECT_FALSE(left.copied);
}

TEST_F(Resume, looks_through_nothing_where_the_name_is_taken) {
  {
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 100);
  }
  Snapshot damaged = snapshot();
  for (std::size_t byte = damaged.part.size() / 2; byte < damaged.part.size(); byte += 16) {
    damaged.part[byte] = static_cast<char>(damaged.part[byte] ^ 1);
  }
  restore(damaged);  // so that who looks through it copies the rest
  put_contents(path_, "what another run has finished");
  Leftover left;
  EXPECT_THROW(Hdf5ImageWriter(path_, header_, left), base::NameTaken);
  EXPECT_TRUE(contents(part()) == damaged.part);
  EXPECT_TRUE(contents(part() + ".log") == damaged.log);
}

TEST_F(Resume, leaves_no_part_without_tiles_where_the_name_is_taken) {
  { const Hdf5ImageWriter writer(path_, header_); }
  for (const char* what : {"without tiles", "no HDF5"}) {
    if (what[0] == 'n') put_contents(part(), what);
    put_contents(path_, "what another run has finished");
    Leftover left;
    EXPECT_THROW(Hdf5ImageWriter(path_, header_, left), base::NameTaken);
    EXPECT_EQ(std::filesystem::exists(part()), what[0] == 'n') << "it is not a run's";
    EXPECT_FALSE(std::filesystem::exists(part() + ".log"));
    std::filesystem::remove(path_);
    std::filesystem::remove(part());
  }
}

TEST_F(Resume, keeps_every_stored_tile_of_a_writer_that_was_killed) {
  for (const std::int64_t flushed : {0, 1, 37, 90}) {
    std::optional<Hdf5ImageWriter> writer(std::in_place, path_, header_);
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
  std::optional<Hdf5ImageWriter> writer(std::in_place, path_, header_);
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
  std::optional<Hdf5ImageWriter> first(std::in_place, path_, header_);
  write_tiles(*first, header_, 0, 60);
  const Snapshot begun = snapshot();
  first.reset();
  restore(begun);
  Snapshot killed;
  for (int i = 0; i < 6; ++i) {
    Leftover left;
    std::optional<Hdf5ImageWriter> writer(std::in_place, path_, header_, left);
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
    std::optional<Hdf5ImageWriter> writer(std::in_place, path_, header_, left);
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
    Hdf5ImageWriter writer(path_, header_);
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
    Hdf5ImageWriter writer(path_, header_);
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
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 50);
  }
  put_contents(part() + ".new", "half a copy");
  put_contents(part() + ".new.log", "TSRLOG01, and half of a head");
  EXPECT_EQ(finish_and_check().tiles, 50);
  EXPECT_FALSE(std::filesystem::exists(part() + ".new"));
  EXPECT_FALSE(std::filesystem::exists(part() + ".new.log"));
}

TEST_F(Resume, what_has_the_name_of_a_copy_and_is_none_stays) {
  {
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 50);
  }
  put_contents(part() + ".new", "mine");
  put_contents(part() + ".new.log", "mine");
  EXPECT_EQ(finish_and_check().tiles, 50);
  EXPECT_TRUE(std::filesystem::exists(part() + ".new"));
  EXPECT_TRUE(std::filesystem::exists(part() + ".new.log"));
}

TEST_F(Resume, knows_another_job_and_a_finished_one) {
  using What = FoundImage::What;
  header_.attributes.push_back({"fingerprint", "0123456789abcdef"});
  EXPECT_EQ(compare(look_at_image(path_), "0123456789abcdef").what, What::nothing);
  {
    Hdf5ImageWriter writer(path_, header_);
    EXPECT_THROW(look_at_image(path_), base::Error) << "it is being written";
  }
  EXPECT_EQ(compare(look_at_image(path_), "0123456789abcdef").what, What::unfinished);
  EXPECT_EQ(compare(look_at_image(path_), "fedcba9876543210").what, What::other);
  finish_and_check();
  {
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, header_.grid().pixels());
    writer.finish({}, {});
  }
  EXPECT_EQ(compare(look_at_image(path_), "0123456789abcdef").what, What::complete);
  EXPECT_EQ(compare(look_at_image(path_), "fedcba9876543210").what, What::other);
  put_contents(path_, "something else");
  EXPECT_EQ(compare(look_at_image(path_), "0123456789abcdef").what, What::other);
}

TEST_F(Resume, names_the_process_that_writes_the_file) {
  Hdf5ImageWriter writer(path_, header_);
  Leftover left;
  try {
    const Hdf5ImageWriter second(path_, header_, left);
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
