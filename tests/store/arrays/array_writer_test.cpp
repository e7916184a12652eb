// Arrays that are written box by box, read again by the project's own readers.
#include "store/arrays/array_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "base/error.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/array_source.hpp"
#include "tests/store/file_size_limit.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

using plan::StorageOrder;

const plan::Shape kShape = {6, 5, 4};

/// Boxes of 2 x 2 planes that tile an array of kShape.
std::vector<plan::Box> boxes() {
  std::vector<plan::Box> all;
  for (std::int64_t i = 0; i < kShape[0]; i += 2) {
    for (std::int64_t j = 0; j < kShape[1]; j += 2) {
      all.push_back({{i, j, 0}, {2, std::min<std::int64_t>(2, kShape[1] - j), kShape[2]}});
    }
  }
  return all;
}

/// Of an array whose element at C order index i is i; the box's elements in `order`.
std::vector<double> elements_of(const plan::Box& box, StorageOrder order) {
  std::vector<double> elements(static_cast<std::size_t>(box.elements()));
  std::size_t e = 0;
  for (std::int64_t i = 0; i < box.extent[0]; ++i) {
    for (std::int64_t j = 0; j < box.extent[1]; ++j) {
      for (std::int64_t k = 0; k < box.extent[2]; ++k, ++e) {
        const std::int64_t index =
            ((box.origin[0] + i) * kShape[1] + box.origin[1] + j) * kShape[2] + box.origin[2] + k;
        const auto turned = static_cast<std::size_t>((k * box.extent[1] + j) * box.extent[0] + i);
        elements[order == StorageOrder::last_dimension_fastest ? e : turned] =
            static_cast<double>(index);
      }
    }
  }
  return elements;
}

void write_all(ArrayWriter& writer, std::size_t array, unsigned seed) {
  std::vector<plan::Box> all = boxes();
  std::ranges::shuffle(all, std::mt19937(seed));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto order =
        i % 2 == 0 ? StorageOrder::last_dimension_fastest : StorageOrder::first_dimension_fastest;
    const std::vector<double> elements = elements_of(all[i], order);
    writer.write(array, all[i], order, std::as_bytes(std::span(elements)));
  }
}

void expect_written(const std::string& input) {
  const auto source = open_array(job::parse_array_input(input), 1 << 20);
  EXPECT_EQ(source->info().shape, kShape);
  EXPECT_EQ(source->info().type, base::ElementType::f64);
  const plan::Box whole{{0, 0, 0}, kShape};
  std::vector<double> elements(static_cast<std::size_t>(whole.elements()));
  source->read_box(whole, std::as_writable_bytes(std::span(elements)));
  EXPECT_EQ(elements, elements_of(whole, StorageOrder::last_dimension_fastest));
}

class ArrayWriterTest : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<ArrayWriter> make(const base::IsOurs& is_ours = {}) const {
    return std::make_unique<ArrayWriter>(path_, arrays(), Attributes{{"made_by", "a test"}},
                                         is_ours);
  }
  std::vector<WrittenArray> arrays() const {
    std::vector<WrittenArray> all{{.name = "mean", .shape = kShape}};
    if (!is_npy()) all.push_back({.name = "std", .shape = kShape});
    return all;
  }
  bool is_npy() const { return path_.ends_with(".npy"); }
  std::string input(std::size_t array) const {
    return is_npy() ? path_ : path_ + ":/" + arrays()[array].name;
  }
  bool is_zarr() const { return path_.ends_with(".zarr"); }
  std::string part() const { return path_ + ".part"; }

  ScratchFolder folder_;
  std::string path_ = folder_.file(GetParam());
};

TEST_P(ArrayWriterTest, boxes_in_any_order_and_either_layout_make_the_array) {
  const auto writer = make();
  for (std::size_t array = 0; array < arrays().size(); ++array) {
    write_all(*writer, array, static_cast<unsigned>(array));
  }
  EXPECT_FALSE(std::filesystem::exists(path_)) << "it is not whole";
  writer->finish();
  EXPECT_EQ(folder_.files(), 1);
  for (std::size_t array = 0; array < arrays().size(); ++array) expect_written(input(array));
}

TEST_P(ArrayWriterTest, what_is_not_finished_leaves_nothing) {
  auto writer = make();
  EXPECT_TRUE(std::filesystem::exists(part()));
  write_all(*writer, 0, 1);
  writer.reset();
  EXPECT_EQ(folder_.files(), 0);
}

TEST_P(ArrayWriterTest, a_result_of_before_stays_until_the_new_one_is_whole) {
  if (is_zarr()) GTEST_SKIP() << "a folder does not replace a file: zarr_writer_test";
  std::ofstream(path_) << "before";
  auto writer = make();
  write_all(*writer, 0, 1);
  EXPECT_EQ(contents(path_), "before");
  writer.reset();
  EXPECT_EQ(contents(path_), "before");
  writer = make();
  for (std::size_t array = 0; array < arrays().size(); ++array) write_all(*writer, array, 1);
  writer->finish(base::Replace::what_is_there);
  expect_written(input(0));
}

TEST_P(ArrayWriterTest, what_a_killed_run_left_is_replaced) {
  std::ofstream(part()) << "half";
  EXPECT_THROW(make(), base::Error) << "it may be another program's";
  const auto writer = make(base::anything);
  for (std::size_t array = 0; array < arrays().size(); ++array) write_all(*writer, array, 1);
  writer->finish();
  expect_written(input(0));
}

TEST_P(ArrayWriterTest, a_kept_part_is_gone_on_with) {
  ArrayLayout layout;
  const std::vector<plan::Box> all = boxes();
  const auto order = StorageOrder::last_dimension_fastest;
  std::uint32_t checksum = 0;
  {
    const auto writer = make();
    layout = writer->layout();
    const auto elements = elements_of(all[0], order);
    checksum = writer->write(0, all[0], order, std::as_bytes(std::span(elements)));
    writer->keep();
  }
  EXPECT_TRUE(std::filesystem::exists(part()));
  ASSERT_TRUE(ArrayWriter::can_resume(path_, arrays(), layout));
  ArrayWriter writer(path_, arrays(), layout);
  EXPECT_EQ(writer.read_checksum(0, all[0]), checksum);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto elements = elements_of(all[i], order);
    writer.write(0, all[i], order, std::as_bytes(std::span(elements)));
  }
  writer.finish();
  expect_written(input(0));
}

TEST_P(ArrayWriterTest, a_part_with_another_head_is_not_gone_on_with) {
  const auto writer = make();
  ArrayLayout layout = writer->layout();
  ++layout.head;
  EXPECT_FALSE(ArrayWriter::can_resume(path_, arrays(), layout));
}

TEST_P(ArrayWriterTest, a_second_writer_is_refused_and_harms_nothing) {
  const auto writer = make();
  write_all(*writer, 0, 1);
  EXPECT_THROW(make(), base::Error);
  for (std::size_t array = 1; array < arrays().size(); ++array) write_all(*writer, array, 1);
  writer->finish();
  expect_written(input(0));
}

TEST_P(ArrayWriterTest, a_part_that_was_removed_is_not_published) {
  auto writer = make();
  write_all(*writer, 0, 1);
  std::filesystem::remove(part());
  EXPECT_THROW(writer->finish(), base::Error);
  EXPECT_FALSE(std::filesystem::exists(path_));
  writer.reset();
  EXPECT_EQ(folder_.files(), 0);
}

TEST_P(ArrayWriterTest, a_full_disk_is_one_line_and_leaves_nothing) {
  auto writer = make();
  {
    const FileSizeLimit limit(600);
    try {
      write_all(*writer, 0, 1);
      ADD_FAILURE() << "no error";
    } catch (const base::Error& error) {
      expect_full(error, part());
    }
  }
  writer.reset();
  EXPECT_EQ(folder_.files(), 0);
}

TEST_P(ArrayWriterTest, one_that_cannot_be_created_leaves_nothing) {
  const FileSizeLimit limit(16);
  EXPECT_THROW(make(), base::Error);
  EXPECT_EQ(folder_.files(), 0);
}

INSTANTIATE_TEST_SUITE_P(, ArrayWriterTest, testing::Values("a.npy", "a.h5", "a.zarr"),
                         [](const auto& test) { return std::string(test.param).substr(2); });

TEST(ArrayWriterTypes, truth_is_told_to_other_readers) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.npy");
  ArrayWriter writer(
      path, {{.name = "any", .type = base::ElementType::u8, .is_boolean = true, .shape = {2}}},
      Attributes{});
  const std::byte values[] = {std::byte{0}, std::byte{1}};
  writer.write(0, {{0}, {2}}, StorageOrder::last_dimension_fastest, values);
  writer.finish();
  const std::string file = contents(path);
  EXPECT_NE(file.find("'descr': '|b1'"), std::string::npos) << file;
  EXPECT_NE(file.find("'shape': (2,)"), std::string::npos) << file;
  EXPECT_EQ(file.size() % 64, 2U);
  EXPECT_TRUE(file.ends_with(std::string("\0\1", 2)));
}

}  // namespace
}  // namespace tessera::store
