// Files that are changed or removed while a dataset takes elements from them.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "store/arrays/array_source.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::store {
namespace {

class OtherFilesDuringARun : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

  void write_source(const std::string& name, double value) {
    const std::vector<double> values(100, value);
    const std::array<hsize_t, 1> sides = {100};
    const hid_t file = H5Fcreate(path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, sides.data(), nullptr);
    const hid_t data =
        H5Dcreate2(file, "d", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Fclose(file);
  }

  /// v.h5:/v, of a.h5 and then b.h5.
  void write_virtual() {
    const std::array<hsize_t, 1> whole = {200};
    const std::array<hsize_t, 1> part = {100};
    const hid_t file = H5Fcreate(path("v.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, whole.data(), nullptr);
    const hid_t source = H5Screate_simple(1, part.data(), nullptr);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    for (hsize_t i = 0; i < 2; ++i) {
      const std::array<hsize_t, 1> first = {100 * i};
      H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, part.data(), nullptr);
      H5Pset_virtual(plist, space, i == 0 ? "a.h5" : "b.h5", "d", source);
    }
    H5Sselect_all(space);
    H5Dclose(H5Dcreate2(file, "v", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(source);
    H5Sclose(space);
    H5Fclose(file);
  }

  void write_external() {
    const std::array<hsize_t, 1> whole = {200};
    std::ofstream(path("raw.bin"), std::ios::binary) << std::string(1600, '\0');
    const hid_t file = H5Fcreate(path("v.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, whole.data(), nullptr);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, path("raw.bin").c_str(), 0, 1600);
    H5Dclose(H5Dcreate2(file, "v", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(file);
  }

  std::unique_ptr<ArraySource> open() const {
    return open_array(job::parse_array_input(path("v.h5") + ":/v"), 1 << 20);
  }
  /// What reading [first, first + 50) says; "" if it succeeds.
  static std::string read(const ArraySource& array, std::int64_t first) {
    std::array<double, 50> values{};
    try {
      array.read_box({{first}, {50}}, std::as_writable_bytes(std::span(values)));
      return "";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::failed);
      return error.what();
    }
  }
  void append(const std::string& name) const {
    std::ofstream(path(name), std::ios::binary | std::ios::app) << "more";
  }

  ScratchFolder folder_;
};

TEST_F(OtherFilesDuringARun, a_source_that_is_gone_before_hdf5_opens_it_is_named) {
  write_source("a.h5", 1);
  write_source("b.h5", 2);
  write_virtual();
  const auto array = open();
  EXPECT_EQ(read(*array, 10), "");
  std::filesystem::rename(path("b.h5"), path("c.h5"));
  EXPECT_EQ(read(*array, 20), "");  // of the other one
  EXPECT_NE(read(*array, 120).find("b.h5 is gone"), std::string::npos);
  EXPECT_NE(read(*array, 80).find("b.h5 is gone"), std::string::npos);
  std::filesystem::rename(path("c.h5"), path("b.h5"));
  EXPECT_EQ(read(*array, 120), "");
}

TEST_F(OtherFilesDuringARun, a_source_that_changes_or_is_replaced_is_named) {
  write_source("a.h5", 1);
  write_source("b.h5", 2);
  write_virtual();
  const auto array = open();
  append("a.h5");
  EXPECT_NE(read(*array, 0).find("a.h5 has changed"), std::string::npos);
  EXPECT_EQ(read(*array, 100), "");
  std::filesystem::copy_file(path("b.h5"), path("c.h5"));
  std::filesystem::rename(path("c.h5"), path("b.h5"));
  EXPECT_NE(read(*array, 100).find("b.h5 has changed"), std::string::npos);
}

TEST_F(OtherFilesDuringARun, the_virtual_dataset_itself_is_watched_too) {
  write_source("a.h5", 1);
  write_source("b.h5", 2);
  write_virtual();
  const auto array = open();
  append("v.h5");
  EXPECT_NE(read(*array, 0).find("v.h5 has changed"), std::string::npos);
}

TEST_F(OtherFilesDuringARun, external_storage_that_becomes_shorter_is_named) {
  write_external();
  const auto array = open();
  EXPECT_EQ(read(*array, 150), "");
  std::filesystem::resize_file(path("raw.bin"), 800);
  EXPECT_NE(read(*array, 150).find("raw.bin has changed"), std::string::npos);
  std::filesystem::remove(path("raw.bin"));
  EXPECT_NE(read(*array, 150), "");
}

}  // namespace
}  // namespace tessera::store
