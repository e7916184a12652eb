// Arrays that are written as Zarr, chunk by chunk, read again by the project's own reader.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "codec/chunk.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/array_writer.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

/// 5 x 3 chunks of 2 x 4 elements, those at the ends cut; two shards and a half in each row of
/// them.
const WrittenArray kChunked = {
    .name = "group/x", .shape = {9, 11}, .chunk = {2, 4}, .shard = {4, 12}, .compress = 1};

std::vector<double> chunk_at(const plan::Shape& origin) {
  std::vector<double> elements;
  for (std::int64_t i = origin[0]; i < origin[0] + 2; ++i) {
    for (std::int64_t j = origin[1]; j < origin[1] + 4; ++j) {
      elements.push_back(i < 9 && j < 11 ? static_cast<double>(i * 11 + j) : 0.0);
    }
  }
  return elements;
}

std::vector<plan::Shape> origins() {
  std::vector<plan::Shape> all;
  for (std::int64_t i = 0; i < 9; i += 2) {
    for (std::int64_t j = 0; j < 11; j += 4) all.push_back({i, j});
  }
  return all;
}

std::uint32_t write_one(ArrayWriter& writer, const plan::Shape& origin) {
  codec::ChunkEncoder encoder(kChunked.type, kChunked.compress);
  const std::vector<double> elements = chunk_at(origin);
  const auto chunk = encoder.encode(std::as_bytes(std::span(elements)));
  return writer.write_chunk(0, origin, chunk.bytes, chunk.filter_mask);
}

void expect_whole(const std::string& path) {
  const auto source = open_array(job::parse_array_input(path + ":/group/x"), 1 << 20);
  ASSERT_EQ(source->info().shape, (job::Shape{9, 11}));
  std::vector<double> found(99);
  source->read_box({{0, 0}, {9, 11}}, std::as_writable_bytes(std::span(found)));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<double>(i));
}

class ZarrWriter : public testing::Test {
 protected:
  std::unique_ptr<ArrayWriter> make() const {
    return std::make_unique<ArrayWriter>(path_, std::vector{kChunked}, Attributes{});
  }
  std::string shard(int row) const {
    return path_ + ".part.d/group/x/c/" + std::to_string(row) + "/0";
  }

  ScratchFolder folder_;
  std::string path_ = folder_.file("a.zarr");
};

TEST_F(ZarrWriter, makes_a_file_of_each_shard) {
  const auto writer = make();
  for (const plan::Shape& origin : origins()) write_one(*writer, origin);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_ + ".part.d/group/x/c"), {}), 3);
  writer->finish();
  EXPECT_EQ(folder_.files(), 1);
  expect_whole(path_);
}

TEST_F(ZarrWriter, resumes_with_the_shards_that_are_there) {
  ArrayLayout layout;
  std::vector<std::uint32_t> checksums;
  {
    const auto writer = make();
    layout = writer->layout();
    for (const plan::Shape& origin : origins()) {
      if (origin[0] < 4) checksums.push_back(write_one(*writer, origin));
    }
    write_one(*writer, {4, 0});  // and no more of that shard
    writer->sync();
    writer->keep();
  }
  ASSERT_TRUE(ArrayWriter::can_resume(path_, {kChunked}, layout));
  ArrayWriter writer(path_, {kChunked}, layout);
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    EXPECT_EQ(writer.read_checksum(0, {origins()[i], {2, 4}}), checksums[i]);
  }
  EXPECT_EQ(writer.read_checksum(0, {{4, 0}, {2, 4}}), 0U) << "the shard is not whole";
  for (const plan::Shape& origin : origins()) {
    if (origin[0] >= 4) write_one(writer, origin);
  }
  writer.finish();
  expect_whole(path_);
}

TEST_F(ZarrWriter, knows_shards_that_are_damaged) {
  const auto writer = make();
  std::vector<std::uint32_t> checksums;
  for (const plan::Shape& origin : origins()) checksums.push_back(write_one(*writer, origin));
  std::fstream(shard(0)).write("damage", 6);
  std::filesystem::resize_file(shard(1), 30);
  std::filesystem::remove(shard(2));
  EXPECT_NE(writer->read_checksum(0, {{0, 0}, {2, 4}}), checksums[0]);
  EXPECT_EQ(writer->read_checksum(0, {{0, 8}, {2, 4}}), checksums[2]) << "another chunk";
  EXPECT_EQ(writer->read_checksum(0, {{4, 0}, {2, 4}}), 0U);
  EXPECT_THROW(writer->read_checksum(0, {{8, 0}, {2, 4}}), base::Error);
}

TEST_F(ZarrWriter, replaces_a_folder_once_the_new_one_is_whole) {
  for (const bool again : {false, true}) {
    const auto writer = make();
    for (const plan::Shape& origin : origins()) write_one(*writer, origin);
    if (again) {
      EXPECT_THROW(writer->finish(), base::Error);
    }
    writer->finish(base::Replace::what_is_there);
    EXPECT_EQ(folder_.files(), 1);
    expect_whole(path_);
  }
}

TEST_F(ZarrWriter, writes_nothing_outside_of_its_folder) {
  for (const char* const name : {"../x", "a/../x", "", ".", "/x", "zarr.json"}) {
    const WrittenArray array{.name = name, .shape = {3}};
    EXPECT_THROW(ArrayWriter(path_, {array}, Attributes{}), base::Error) << name;
    EXPECT_EQ(folder_.files(), 0);
  }
}

TEST_F(ZarrWriter, AnArrayWithoutChunksIsOneShardOfPartsInCOrder) {
  // Parts of 1 MiB at most, but for rows without a useful divisor.
  for (const auto& [shape, part] :
       std::vector<std::pair<plan::Shape, std::string>>{{{2, 65536}, "2,65536"},
                                                        {{3, 65536}, "2,65536"},
                                                        {{3, 131072}, "1,131072"},
                                                        {{3, 262144}, "1,131072"},
                                                        {{3, 131073}, "1,43691"},
                                                        {{3, 131101}, "1,131101"},
                                                        {{3, 131101, 2}, "1,131101,2"}}) {
    ArrayWriter writer(path_, {{.name = "x", .shape = shape}}, Attributes{});
    std::string text = contents(path_ + ".part.d/x/zarr.json");
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    const std::string settings = "\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[";
    EXPECT_NE(text.find(settings + part + "]"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tessera::store
