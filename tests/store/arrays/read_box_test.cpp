// Boxes of an array however it is stored.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <random>

#include "base/byte_order.hpp"
#include "store/arrays/array_source.hpp"
#include "tests/plan/box_elements.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

std::vector<double> numbers(std::int64_t count) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<double>(i));
  return all;
}

std::vector<double> read(const ArraySource& source, const plan::Box& box) {
  std::vector<double> elements(static_cast<std::size_t>(box.elements()));
  source.read_box(box, std::as_writable_bytes(std::span(elements)));
  return elements;
}

/// Of an array whose element at C order index i is i.
std::vector<double> wanted(const plan::Shape& shape, const plan::Box& box) {
  const auto indices = plan::elements_of_box(shape, box);
  return {indices.begin(), indices.end()};
}

plan::Box random_box(const plan::Shape& shape, std::mt19937_64& random) {
  plan::Box box;
  for (const std::int64_t side : shape) {
    const auto whole = random() % 3 == 0;
    const auto size = static_cast<std::uint64_t>(side);
    const auto first = whole ? 0 : static_cast<std::int64_t>(random() % size);
    const auto room = static_cast<std::uint64_t>(side - first);
    box.origin.push_back(first);
    box.extent.push_back(whole ? side : static_cast<std::int64_t>(1 + random() % room));
  }
  return box;
}

void expect_boxes(const ArraySource& source) {
  const plan::Shape& shape = source.info().shape;
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const plan::Box box = random_box(shape, random);
    ASSERT_EQ(read(source, box), wanted(shape, box)) << source.info().kind;
  }
}

/// A .npy file of doubles in the order in which they are stored.
void write_npy(const std::string& path, const plan::Shape& shape, const char* order, bool big,
               std::vector<double> stored) {
  std::string head = fmt::format("{{'descr': '{}f8', 'fortran_order': {}, 'shape': ({},), }}",
                                 big ? '>' : '<', order, fmt::join(shape, ","));
  head.resize(128 - 10 - 1, ' ');
  head.push_back('\n');
  std::ofstream file(path, std::ios::binary);
  file << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(head.size()) << '\0' << head;
  const auto bytes = std::as_writable_bytes(std::span(stored));
  if (big) base::swap_byte_order(bytes, 8);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// `stored` has i where the C order index is i, first dimension fastest.
std::vector<double> turned(const plan::Shape& shape) {
  std::vector<double> stored;
  for (std::int64_t place = 0; place < plan::element_count(shape); ++place) {
    std::int64_t rest = place;
    std::int64_t index = 0;
    std::int64_t stride = plan::element_count(shape);
    for (const std::int64_t side : shape) {
      stride /= side;
      index += rest % side * stride;
      rest /= side;
    }
    stored.push_back(static_cast<double>(index));
  }
  return stored;
}

std::unique_ptr<ArraySource> open_file(const std::string& text) {
  return open_array(job::parse_array_input(text), 4096);
}

TEST(ReadBox, OfNpyFilesInEitherOrder) {
  const ScratchFolder folder;
  for (const plan::Shape& shape :
       {plan::Shape{7}, plan::Shape{40, 31}, plan::Shape{5, 6, 7}, plan::Shape{3, 40, 2, 17}}) {
    const std::int64_t count = plan::element_count(shape);
    for (const bool big : {false, true}) {
      write_npy(folder.file("c.npy"), shape, "False", big, numbers(count));
      expect_boxes(*open_file(folder.file("c.npy")));
      write_npy(folder.file("f.npy"), shape, "True", big, turned(shape));
      expect_boxes(*open_file(folder.file("f.npy")));
    }
  }
}

TEST(ReadBox, OfRowsFarApartAndCloseTogether) {
  const ScratchFolder folder;
  for (const plan::Shape& shape : {plan::Shape{5, 90000}, plan::Shape{90000, 5},
                                   plan::Shape{300, 5, 300}, plan::Shape{70, 2000}}) {
    std::ofstream(folder.file("a.raw"), std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers(plan::element_count(shape)).data()),
               plan::element_count(shape) * 8);
    expect_boxes(*open_file(folder.file("a.raw") + "?dtype=f8&shape=" + job::format_shape(shape)));
  }
}

TEST(ReadBox, OfJoinedArrays) {
  const ScratchFolder folder;
  std::vector<job::ArrayInput> inputs;
  double next = 0;
  for (const int rows : {3, 1, 5}) {
    std::vector<double> elements(static_cast<std::size_t>(rows) * 28);
    for (double& element : elements) element = next++;
    const std::string name = folder.file(fmt::format("part{}.npy", rows));
    write_npy(name, {rows, 4, 7}, "False", false, elements);
    inputs.push_back(job::parse_array_input(name));
  }
  expect_boxes(*open_arrays(inputs, 4096));
}

TEST(ReadBox, OfJoinedArraysInFortranOrderAsTheyLie) {
  const ScratchFolder folder;
  std::vector<job::ArrayInput> inputs;
  std::int64_t first = 0;
  for (const int rows : {3, 1, 5}) {
    const plan::Shape shape{rows, 4, 7};
    std::vector<double> elements = turned(shape);
    for (double& element : elements) element += static_cast<double>(first);
    first += plan::element_count(shape);
    const std::string name = folder.file(fmt::format("part{}.npy", rows));
    write_npy(name, shape, "True", false, elements);
    inputs.push_back(job::parse_array_input(name));
  }
  const auto joined = open_arrays(inputs, 4096);
  expect_boxes(*joined);
  EXPECT_EQ(joined->order(), plan::StorageOrder::first_dimension_fastest);
  for (const plan::Box& box : {plan::Box{{0, 0, 0}, {9, 4, 7}}, plan::Box{{2, 1, 3}, {3, 2, 4}}}) {
    std::vector<double> stored(static_cast<std::size_t>(box.elements()));
    joined->read_box_in_order(box, std::as_writable_bytes(std::span(stored)));
    for (std::size_t place = 0; place < stored.size(); ++place) {
      auto rest = static_cast<std::int64_t>(place);
      plan::Box one{box.origin, {1, 1, 1}};
      for (std::size_t d = 0; d < 3; ++d) {
        one.origin[d] += rest % box.extent[d];
        rest /= box.extent[d];
      }
      ASSERT_EQ(stored[place], wanted({9, 4, 7}, one).front());
    }
  }
}

/// Datasets of the same numbers, each in another layout.
void write_hdf5(const std::string& path, const std::vector<hsize_t>& sides) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(static_cast<int>(sides.size()), sides.data(), nullptr);
  const std::vector<hsize_t> chunk(sides.size(), 3);
  hsize_t count = 1;
  for (const hsize_t side : sides) count *= side;
  const std::vector<double> all = numbers(static_cast<std::int64_t>(count));
  const auto write = [&](const char* name, hid_t type, hid_t creation) {
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
    H5Dclose(dataset);
    H5Pclose(creation);
  };
  write("contiguous", H5T_IEEE_F64BE, H5Pcreate(H5P_DATASET_CREATE));
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_layout(creation, H5D_COMPACT);
  write("compact", H5T_IEEE_F64LE, creation);
  creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(creation);
  H5Pset_deflate(creation, 1);
  write("chunks", H5T_IEEE_F64BE, creation);
  H5Sclose(space);
  H5Fclose(file);
}

TEST(ReadBox, OfDatasetsInEveryLayout) {
  const ScratchFolder folder;
  for (const std::vector<hsize_t>& sides : {std::vector<hsize_t>{11}, {8, 10}, {5, 4, 7}}) {
    const std::string path = folder.file(fmt::format("a{}.h5", sides.size()));
    write_hdf5(path, sides);
    for (const char* name : {"contiguous", "compact", "chunks"}) {
      expect_boxes(*open_file(path + ":/" + name));
    }
  }
}

TEST(ReadBox, WithoutElementsReadsNothing) {
  const ScratchFolder folder;
  write_npy(folder.file("a.npy"), {4, 0}, "False", false, {});
  open_file(folder.file("a.npy"))->read_box({{1, 0}, {2, 0}}, {});
}

}  // namespace
}  // namespace tessera::store
