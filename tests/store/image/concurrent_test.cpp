// Readers beside a living writer, and what killed writers leave behind. Each role is a process of
// its own: HDF5 knows the files that its process has open.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.hpp"
#include "base/file/file_lock.hpp"
#include "store/image/formats.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "tests/store/sample_image.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

/// A pipe as a signal between two processes.
class Bell {
 public:
  Bell() {
    if (::pipe(ends_) != 0) std::abort();
  }
  ~Bell() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  void ring() { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }
  void wait() {
    pollfd rung{ends_[0], POLLIN, 0};
    ASSERT_EQ(::poll(&rung, 1, 10000), 1) << "the other process does not answer";
    char c = 0;
    EXPECT_EQ(::read(ends_[0], &c, 1), 1);
  }

 private:
  int ends_[2];
};

pid_t in_child(const std::function<void()>& role) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    role();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  ::_exit(testing::Test::HasFailure() ? 1 : 0);
}

/// Exit status of the child, or minus the signal that ended it.
int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void expect_first_tiles(const Hdf5ImageReader& reader, const ImageHeader& header,
                        std::int64_t tiles) {
  std::vector<std::byte> bytes;
  std::uint32_t mask = 0;
  const auto rows = tiles_of(reader);
  ASSERT_EQ(static_cast<std::int64_t>(rows.size()), header.grid().pixels());
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t row = tile / header.grid().width;
    const std::int64_t column = tile % header.grid().width;
    EXPECT_GE(rows[static_cast<std::size_t>(tile)].rank, 0);
    for (const auto& [field, type] : header.fields) {
      ASSERT_TRUE(reader.read_chunk(field, row, column, bytes, mask));
      EXPECT_EQ(bytes, stored_chunk(header, field, row, column));
    }
  }
  EXPECT_EQ(std::ranges::count_if(rows, [](const TileRow& row) { return row.rank >= 0; }), tiles);
}

class Concurrent : public testing::TestWithParam<base::ImageSize> {
 protected:
  /// Once it has flushed a tile.
  void kill_a_writer() const {
    const pid_t writer = in_child([&] {
      Hdf5ImageWriter part(path_, header_);
      write_tiles(part, header_, 0, 1);
      part.flush();
      ::raise(SIGKILL);
    });
    ASSERT_EQ(status_of(writer), -SIGKILL);
  }

  ScratchFolder folder_;
  ImageHeader header_ = sample_header(1, GetParam());
  std::string path_ = folder_.file("a.h5");
};

TEST_P(Concurrent, a_reader_follows_a_living_writer_and_does_not_stop_it) {
  Bell flushed;
  Bell read;
  Bell finished;
  const std::int64_t half = (header_.grid().pixels() + 1) / 2;
  const pid_t reader = in_child([&] {
    flushed.wait();
    {
      const Hdf5ImageReader part(part_path(path_));
      EXPECT_EQ(part.attribute("status"), "unfinished");
      expect_first_tiles(part, header_, half);
      read.ring();
      finished.wait();
    }
    expect_first_tiles(Hdf5ImageReader(path_), header_, header_.grid().pixels());
  });
  Hdf5ImageWriter writer(path_, header_);
  write_tiles(writer, header_, 0, half);
  writer.flush();
  flushed.ring();
  read.wait();
  write_tiles(writer, header_, half, header_.grid().pixels());
  writer.finish({}, {});  // with the reader's file still open
  finished.ring();
  EXPECT_EQ(status_of(reader), 0);
}

TEST_P(Concurrent, what_a_killed_writer_flushed_can_be_read) {
  kill_a_writer();
  const std::string before = contents(part_path(path_));
  {
    const Hdf5ImageReader reader(part_path(path_));
    EXPECT_EQ(reader.attribute("status"), "unfinished");
    expect_first_tiles(reader, header_, 1);
  }
  EXPECT_EQ(contents(part_path(path_)), before) << "reading changed the file";
}

TEST_P(Concurrent, a_killed_writers_part_that_is_cut_short_is_refused_soon) {
  kill_a_writer();
  const auto size = std::filesystem::file_size(part_path(path_));
  std::filesystem::resize_file(part_path(path_), size / 5);
  EXPECT_THROW(Hdf5ImageReader(part_path(path_)), base::Error);
}

TEST_P(Concurrent, a_writer_that_finds_the_log_held_leaves_nothing) {
  // As by a run that has just given its file the final name.
  const std::string part = path_ + ".part";
  std::ofstream(part + ".log").close();
  const base::FileLock finishing(part + ".log");
  EXPECT_THROW(create_image(path_, header_), base::Error);
  EXPECT_FALSE(std::filesystem::exists(part));
}

TEST_P(Concurrent, a_writer_killed_while_finishing_leaves_a_readable_part) {
  {
    Hdf5ImageWriter part(path_, header_);
    write_tiles(part, header_, 0, header_.grid().pixels());
  }
  // finish() opens the file a second time, not for concurrent readers.
  const pid_t finisher = in_child([&] {
    const hid_t file = H5Fopen(part_path(path_).c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    ::raise(SIGKILL);
  });
  ASSERT_EQ(status_of(finisher), -SIGKILL);
  const std::string before = contents(part_path(path_));
  expect_first_tiles(Hdf5ImageReader(part_path(path_)), header_, header_.grid().pixels());
  EXPECT_EQ(contents(part_path(path_)), before) << "reading changed the file";
}

INSTANTIATE_TEST_SUITE_P(, Concurrent,
                         testing::Values(base::ImageSize{70, 50}, base::ImageSize{20, 20}),
                         [](const auto& test) { return size_text(test.param); });

}  // namespace
}  // namespace tessera::store
