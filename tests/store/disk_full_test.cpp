// A disk that fills up, played by a limit on the size of files.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "sample_image.hpp"
#include "scratch_folder.hpp"
#include "store/image_file.hpp"
#include "store/png_file.hpp"

/// HDF5 does not free a dataset that could not be flushed; that leak is its own.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libhdf5";
}

namespace tessera::store {
namespace {

/// While it lives, no file of this process can grow beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int) = nullptr;
};

void expect_full(const base::Error& error, const std::string& file) {
  const std::string text = error.what();
  EXPECT_EQ(static_cast<int>(error.code()), 4);
  EXPECT_NE(text.find(file), std::string::npos) << text;
  EXPECT_NE(text.find(" free)"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

/// Chunks that do not shrink, until the disk is full.
void fill(ImageWriter& writer, const ImageHeader& header) {
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
    std::optional<ImageWriter> writer(std::in_place, path, header);
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
  ImageWriter other(folder.file("b.h5"), header);
  fill(other, header);
}

// Limits that are met in the header's tables, in a chunk, and (1 MiB of chunks) in the closing
// rows.
INSTANTIATE_TEST_SUITE_P(, DiskFull, testing::Values(0, 8192, 100001, 700000, 1 << 20));

TEST(DiskFullAtOnce, creating_leaves_no_result) {
  const ScratchFolder folder;
  const FileSizeLimit limit(64);
  EXPECT_THROW(ImageWriter(folder.file("a.h5"), sample_header()), base::Error);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.h5")));
}

TEST(DiskFullPng, is_one_line_and_leaves_nothing) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.png");
  const FileSizeLimit limit(5000);
  try {
    PngWriter writer(path, {100, 100}, {});
    writer.write_stream(std::vector<std::byte>(10000));
    ADD_FAILURE() << "no error";
  } catch (const base::Error& error) {
    expect_full(error, path + ".part");
  }
  EXPECT_EQ(folder.files(), 0);
}

}  // namespace
}  // namespace tessera::store
