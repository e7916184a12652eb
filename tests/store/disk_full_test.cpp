// What is said and left when a disk fills up.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "file_size_limit.hpp"
#include "sample_image.hpp"
#include "scratch_folder.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "store/png/png_file.hpp"

/// HDF5 does not free a dataset that could not be flushed; that leak is its own.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libhdf5";
}

namespace tessera::store {
namespace {

/// Chunks that do not shrink, until the disk is full.
void fill(Hdf5ImageWriter& writer, const ImageHeader& header) {
  for (std::int64_t tile = 0; tile < header.grid().pixels(); ++tile) {
    const std::int64_t row = tile / header.grid().width;
    const std::int64_t column = tile % header.grid().width;
    writer.write_chunk(job::Field::smooth, row, column,
                       raw_chunk_of(header, job::Field::smooth, row, column), 0b11);
    if (tile % 16 == 15) writer.flush();
  }
  writer.finish({}, {});
}

class DiskFull : public testing::TestWithParam<int> {};

TEST_P(DiskFull, is_one_line_that_names_the_file_and_no_result) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.h5");
  const ImageHeader header = sample_header(1, {512, 512});
  {
    std::optional<Hdf5ImageWriter> writer(std::in_place, path, header);
    const FileSizeLimit limit(static_cast<rlim_t>(GetParam()));
    try {
      fill(*writer, header);
      ADD_FAILURE() << "no error";
    } catch (const base::Error& error) {
      expect_full(error, path + ".part");
    }
    writer.reset();  // closes what it can while the disk is still full
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  // The process is as good as before: other files can be written.
  Hdf5ImageWriter other(folder.file("b.h5"), header);
  fill(other, header);
}

// Limits that are met in the header's tables, in a chunk, and (1 MiB of chunks) in the closing
// rows.
INSTANTIATE_TEST_SUITE_P(, DiskFull, testing::Values(0, 8192, 100001, 700000, 1 << 20));

TEST(DiskFullAtOnce, creating_leaves_no_result) {
  const ScratchFolder folder;
  const FileSizeLimit limit(64);
  EXPECT_THROW(Hdf5ImageWriter(folder.file("a.h5"), sample_header()), base::Error);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.h5")));
}

TEST(DiskFullPng, is_one_line_and_leaves_nothing) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.png");
  const FileSizeLimit limit(5000);
  try {
    PngWriter writer({path}, {{100, 100}}, {});
    writer.write_stream(std::vector<std::byte>(10000));
    ADD_FAILURE() << "no error";
  } catch (const base::Error& error) {
    expect_full(error, path + ".part");
  }
  EXPECT_EQ(folder.files(), 0);
}

}  // namespace
}  // namespace tessera::store
