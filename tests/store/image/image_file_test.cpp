#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "tests/store/sample_image.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

template <class Call>
base::Error error_of(Call call) {
  try {
    call();
  } catch (const base::Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error;
  }
  ADD_FAILURE() << "no error";
  return base::run_error("none");
}

void expect_says(const base::Error& error, base::ExitCode code, const std::string& text) {
  EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code));
  EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
}

void expect_all_chunks(const Hdf5ImageReader& reader, const ImageHeader& header) {
  std::vector<std::byte> bytes;
  std::uint32_t mask = 77;
  for (std::int64_t row = 0; row < header.grid().height; ++row) {
    for (std::int64_t column = 0; column < header.grid().width; ++column) {
      for (const auto& [field, type] : header.fields) {
        ASSERT_TRUE(reader.read_chunk(field, row, column, bytes, mask));
        EXPECT_EQ(bytes, stored_chunk(header, field, row, column));
        EXPECT_EQ(mask, header.compress == 0 ? 0b11U : 0U);
      }
    }
  }
}

class ImageFileTest : public testing::TestWithParam<std::tuple<int, base::ImageSize>> {
 protected:
  ScratchFolder folder_;
};

TEST_P(ImageFileTest, reads_back_what_was_written) {
  const auto& [compress, size] = GetParam();
  const ImageHeader header = sample_header(compress, size);
  const std::string path = folder_.file("a.h5");
  {
    Hdf5ImageWriter writer(path, header);
    write_tiles(writer, header, 0, header.grid().pixels());
    const TimingRow timing[] = {{0, "node-1", "compute", 2, 1.5}, {1, "node-2", "write", 3, 0.25}};
    writer.finish(timing, {{"wall_s", "3.5"}});
  }
  EXPECT_EQ(folder_.files(), 1);
  const Hdf5ImageReader reader(path);
  EXPECT_EQ(reader.header().size_px, size);
  EXPECT_EQ(reader.header().grid(), header.grid());
  EXPECT_EQ(reader.header().chunk_px(), header.chunk_px());
  EXPECT_EQ(reader.header().fields, header.fields);
  EXPECT_EQ(reader.header().compress, compress);
  for (const auto& one : header.attributes) EXPECT_EQ(reader.attribute(one.name), one.text);
  EXPECT_EQ(reader.header().attributes[0], header.attributes[0]) << "not in the order of writing";
  EXPECT_EQ(reader.attribute("status"), "complete");
  EXPECT_EQ(reader.attribute("wall_s"), "3.5");
  EXPECT_EQ(reader.attribute("completed").size(), 20U);
  EXPECT_EQ(reader.attribute("no such"), "");
  ASSERT_EQ(reader.timing().size(), 2U);
  EXPECT_EQ(reader.timing()[1].host, "node-2");
  EXPECT_EQ(reader.timing()[1].stage, "write");
  EXPECT_EQ(reader.timing()[1].seconds, 0.25);
  expect_all_chunks(reader, header);
}

INSTANTIATE_TEST_SUITE_P(
    , ImageFileTest,
    testing::Combine(testing::Values(0, 1, 3),
                     testing::Values(base::ImageSize{70, 50},  // edge tiles at both sides
                                     base::ImageSize{64, 32},  // whole tiles only
                                     base::ImageSize{100, 7},  // lower than a tile
                                     base::ImageSize{5, 4},    // smaller than a tile
                                     base::ImageSize{1, 1})),
    [](const auto& test) {
      return size_text(std::get<1>(test.param)) + "_compress" +
             std::to_string(std::get<0>(test.param));
    });

class ImageFile : public testing::Test {
 protected:
  void write_whole(const std::string& path) {
    Hdf5ImageWriter writer(path, header_);
    write_tiles(writer, header_, 0, header_.grid().pixels());
    writer.finish({}, {});
  }

  ScratchFolder folder_;
  ImageHeader header_ = sample_header();
  std::string path_ = folder_.file("a.h5");
};

TEST_F(ImageFile, keeps_a_row_for_every_tile_and_the_last_one_set) {
  {
    Hdf5ImageWriter writer(path_, header_);
    for (const std::uint32_t column : {2U, 0U, 1U}) {
      store_tile(writer, header_, sample_row(1, column));
    }
    TileRow again = sample_row(1, 1);
    again.rank = 9;
    again.device = "a device name that is too long";
    store_tile(writer, header_, again);
    writer.finish({}, {});
  }
  const auto tiles = tiles_of(Hdf5ImageReader(path_));
  ASSERT_EQ(tiles.size(), 6U);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(tiles[i].row, i / 3);
    EXPECT_EQ(tiles[i].column, i % 3);
    EXPECT_EQ(tiles[i].rank, i < 3 ? -1 : i == 4 ? 9 : sample_row(i / 3, i % 3).rank);
  }
  const TileRow expected = sample_row(1, 2);
  EXPECT_EQ(tiles[5].device, expected.device);
  EXPECT_EQ(tiles[5].start_s, expected.start_s);
  EXPECT_EQ(tiles[5].compute_s, expected.compute_s);
  EXPECT_EQ(tiles[5].encode_s, expected.encode_s);
  EXPECT_EQ(tiles[5].bytes, expected.bytes);
  EXPECT_EQ(tiles[5].iterations, expected.iterations);
  EXPECT_EQ(tiles[5].checksum, expected.checksum);
  EXPECT_EQ(tiles[4].device, "a device name t");
}

TEST_F(ImageFile, a_long_table_is_visited_row_by_row_in_order) {
  header_.tile_px = 1;
  header_.size_px = {50, 250};  // more rows than are read at a time, and not a multiple
  const std::uint32_t last = 249 * 50 + 49;
  {
    Hdf5ImageWriter writer(path_, header_);
    for (const std::uint32_t tile : {0U, 4095U, 4096U, last}) {
      store_tile(writer, header_, sample_row(tile / 50, tile % 50));
    }
  }
  std::uint32_t tile = 0;
  std::vector<std::uint32_t> stored;
  Hdf5ImageReader(part_path(path_)).for_each_tile([&](const TileRow& row) {
    EXPECT_EQ(row.row * 50 + row.column, tile);
    if (row.rank >= 0) stored.push_back(tile);
    ++tile;
  });
  EXPECT_EQ(tile, last + 1);
  EXPECT_EQ(stored, (std::vector{0U, 4095U, 4096U, last}));
}

TEST_F(ImageFile, is_read_by_many_threads_at_once) {
  const ImageHeader header = sample_header(1, {400, 300});
  const std::string path = folder_.file("a.h5");
  {
    Hdf5ImageWriter writer(path, header);
    write_tiles(writer, header, 0, header.grid().pixels());
    writer.finish({}, {});
  }
  const auto tiles = header.grid().pixels();
  const std::int64_t columns = header.grid().width;
  std::vector<std::vector<std::byte>> expected;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    expected.push_back(
        stored_chunk(header, job::Field::iterations, tile / columns, tile % columns));
  }
  const Hdf5ImageReader reader(path);
  std::atomic<int> wrong = 0;
  const auto read_chunks = [&] {
    std::vector<std::byte> bytes;
    std::uint32_t mask = 0;
    for (std::int64_t i = 0; i < 40 * tiles; ++i) {
      const std::int64_t tile = i % tiles;
      const bool found =
          reader.read_chunk(job::Field::iterations, tile / columns, tile % columns, bytes, mask);
      if (!found || bytes != expected[static_cast<std::size_t>(tile)]) ++wrong;
    }
  };
  const auto read_table = [&] {
    for (int i = 0; i < 40; ++i) {
      if (tiles_of(reader).size() != expected.size()) ++wrong;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(read_chunks);
    threads.emplace_back(read_table);
    threads.emplace_back(read_table);
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(ImageFile, unfinished_is_left_as_part_and_says_so) {
  {
    Hdf5ImageWriter writer(path_, header_);
    write_tiles(writer, header_, 0, 4);
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  const std::string before = contents(part_path(path_));
  {
    const Hdf5ImageReader reader(part_path(path_));
    EXPECT_EQ(reader.attribute("status"), "unfinished");
    EXPECT_EQ(reader.attribute("completed"), "");
    EXPECT_TRUE(reader.timing().empty());
    std::vector<std::byte> bytes;
    std::uint32_t mask = 0;
    EXPECT_TRUE(reader.read_chunk(job::Field::smooth, 1, 0, bytes, mask));
    EXPECT_FALSE(reader.read_chunk(job::Field::smooth, 1, 1, bytes, mask));
    EXPECT_FALSE(reader.read_chunk(job::Field::iterations, 1, 2, bytes, mask));
  }
  EXPECT_EQ(contents(part_path(path_)), before) << "reading changed the file";
}

TEST_F(ImageFile, a_new_run_replaces_part_and_result) {
  { const Hdf5ImageWriter killed(path_, header_); }
  write_whole(path_);
  {
    Hdf5ImageWriter writer(path_, header_, base::Replace::what_is_there);
    write_tiles(writer, header_, 0, header_.grid().pixels());
    writer.finish({}, {});
  }
  EXPECT_EQ(folder_.files(), 1);
  expect_all_chunks(Hdf5ImageReader(path_), header_);
}

TEST_F(ImageFile, a_part_of_another_program_stays_unless_it_may_be_replaced) {
  std::ofstream(part_path(path_)) << "a word of Tessera's, TSRLOG01";
  EXPECT_THROW(write_whole(path_), base::Error);
  EXPECT_EQ(hdf5::look(path_).state, ImageOnDisk::State::foreign);
  EXPECT_EQ(contents(part_path(path_)), "a word of Tessera's, TSRLOG01");
  std::filesystem::remove(part_path(path_));
  std::ofstream(part_path(path_) + ".log") << "mine";
  EXPECT_THROW(write_whole(path_), base::Error);
  EXPECT_EQ(contents(part_path(path_) + ".log"), "mine");
  Hdf5ImageWriter writer(path_, header_, base::Replace::what_is_there);
  write_tiles(writer, header_, 0, header_.grid().pixels());
  writer.finish({}, {});
  EXPECT_EQ(folder_.files(), 1);
}

TEST_F(ImageFile, a_result_that_must_stay_is_refused_at_once_and_nothing_is_left) {
  write_whole(path_);
  Leftover leftover;
  EXPECT_THROW(Hdf5ImageWriter(path_, header_), base::NameTaken);
  EXPECT_THROW(Hdf5ImageWriter(path_, header_, leftover), base::NameTaken);
  EXPECT_EQ(folder_.files(), 1);
  expect_all_chunks(Hdf5ImageReader(path_), header_);
}

TEST_F(ImageFile, finish_refuses_when_another_run_took_the_part_file) {
  Hdf5ImageWriter writer(path_, header_);
  std::filesystem::rename(part_path(path_), folder_.file("moved"));
  std::filesystem::copy_file(folder_.file("moved"), part_path(path_));
  EXPECT_THROW(writer.finish({}, {}), base::Error);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ImageFile, chunks_out_of_place_or_of_the_wrong_size_are_refused) {
  Hdf5ImageWriter writer(path_, header_);
  const std::vector<std::byte> bytes(100);
  EXPECT_THROW(writer.write_chunk(job::Field::smooth, 2, 0, bytes, 0), base::Error);
  EXPECT_THROW(writer.write_chunk(job::Field::smooth, 0, -1, bytes, 0), base::Error);
  EXPECT_THROW(writer.write_chunk(job::Field::smooth, 0, 0, bytes, 0b11), base::Error);
  EXPECT_THROW(writer.write_chunk(job::Field::smooth, 0, 0, {}, 0), base::Error);
  EXPECT_THROW(writer.set_tile(sample_row(2, 0)), base::Error);
}

TEST_F(ImageFile, a_grid_of_too_many_tiles_is_refused) {
  header_.size_px = {2147483647, 2147483647};
  header_.tile_px = 1;
  expect_says(error_of([&] { const Hdf5ImageWriter writer(path_, header_); }),
              base::ExitCode::usage, "tile");
  EXPECT_EQ(folder_.files(), 0);
}

TEST_F(ImageFile, a_file_in_place_of_the_output_folder_is_a_run_error) {
  std::ofstream(folder_.file("no")) << "a file";
  expect_says(error_of([&] { const Hdf5ImageWriter writer(folder_.file("no/a.h5"), header_); }),
              base::ExitCode::failed, "no/a.h5.part");
}

TEST_F(ImageFile, a_missing_file_names_the_part_beside_it) {
  expect_says(error_of([&] { const Hdf5ImageReader reader(path_); }), base::ExitCode::missing,
              "no such file");
  std::ofstream(part_path(path_)) << "any";
  expect_says(error_of([&] { const Hdf5ImageReader reader(path_); }), base::ExitCode::missing,
              part_path(path_));
}

TEST_F(ImageFile, other_files_are_usage_errors) {
  std::ofstream(path_) << "not an image at all";
  expect_says(error_of([&] { const Hdf5ImageReader reader(path_); }), base::ExitCode::usage,
              "not an HDF5 file");
  std::ofstream(path_) << "";
  expect_says(error_of([&] { const Hdf5ImageReader reader(path_); }), base::ExitCode::usage,
              "not an HDF5 file");
  std::filesystem::create_directory(folder_.file("d"));
  expect_says(error_of([&] { const Hdf5ImageReader reader(folder_.file("d")); }),
              base::ExitCode::usage, "d: ");
}

TEST_F(ImageFile, a_file_cut_short_is_a_usage_error_at_every_length) {
  write_whole(path_);
  const std::string whole = contents(path_);
  for (const double share : {0.99, 0.7, 0.3, 0.05, 0.01}) {
    const auto size = static_cast<std::size_t>(static_cast<double>(whole.size()) * share);
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    expect_says(error_of([&] { const Hdf5ImageReader reader(path_); }), base::ExitCode::usage,
                path_);
  }
}

}  // namespace
}  // namespace tessera::store
