// Small image files for tests of what is read back from them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "job/image/options.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/header.hpp"

namespace tessera::post {

class WrittenFile : public testing::Test {
 protected:
  WrittenFile() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    path_ = folder_ + "/a.h5";
    job_.image.size_px = {70, 50};
    job_.tile_px = 32;
    job_.tile_auto = false;
    job_.arithmetic_auto = false;
    job_.fields = {job::Field::iterations, job::Field::smooth};
  }
  ~WrittenFile() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// The header of a file that job_ makes.
  store::ImageHeader header() const {
    store::ImageHeader header{.size_px = job_.image.size_px,
                              .tile_px = job_.tile_px,
                              .compress = job_.compress,
                              .attributes = store::make_header(job_).attributes};
    for (const job::Field field : job_.fields) {
      header.fields.emplace_back(field, job::field_type(job_.image, field));
    }
    return header;
  }

  static void set(store::ImageHeader& header, const std::string& name, const std::string& value) {
    for (store::Attribute& attribute : header.attributes) {
      if (attribute.name == name) attribute = {name, value};
    }
  }

  /// Writes no chunks, only what `fill` does; complete if `finish`.
  void write(const store::ImageHeader& header, bool finish = true,
             const std::function<void(store::Hdf5ImageWriter&)>& fill = {}) {
    store::Hdf5ImageWriter writer(path_, header, base::Replace::what_is_there);
    if (fill) fill(writer);
    if (finish) writer.finish({}, {});
  }

  /// A tile of one made-up byte a chunk.
  void store_tile(store::Hdf5ImageWriter& writer, const store::TileRow& row) const {
    for (const job::Field field : job_.fields) {
      writer.write_chunk(field, row.row, row.column, std::vector<std::byte>(1), 0);
    }
    writer.set_tile(row);
  }

  /// What `call` throws.
  static base::Error error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const base::Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return base::run_error("none");
  }

  static void expect_says(const base::Error& error, base::ExitCode code,
                          const std::vector<std::string>& words) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), code) << text;
    EXPECT_EQ(text.find('\n'), text.npos) << text;
    for (const std::string& word : words) EXPECT_NE(text.find(word), text.npos) << text;
  }

  std::string folder_;
  std::string path_;
  job::RenderJob job_;
};

}  // namespace tessera::post
