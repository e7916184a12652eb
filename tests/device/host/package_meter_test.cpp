#include "device/host/package_meter.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace tessera::device {
namespace {

namespace fs = std::filesystem;

/// A folder as Linux has it under /sys/class/powercap.
class PackageMeters : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("powercap of " + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "intel-rapl");  // the control type, not a zone
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& zone, const std::string& file, const std::string& text) const {
    fs::create_directories(folder_ / zone);
    std::ofstream(folder_ / zone / file) << text << '\n';
  }
  void zone(const std::string& zone, const std::string& name, const std::string& uj) const {
    write(zone, "name", name);
    write(zone, "max_energy_range_uj", "262143328850");
    write(zone, "energy_uj", uj);
  }

  fs::path folder_;
};

TEST_F(PackageMeters, add_the_packages_and_nothing_that_is_in_them_or_has_them) {
  zone("intel-rapl:0", "package-0", "1000000");
  zone("intel-rapl:1", "package-1", "5000000");
  zone("intel-rapl:0:0", "core", "7");
  zone("intel-rapl:2", "psys", "7");
  zone("intel-rapl-mmio:0", "package-0", "7");
  const auto meter = PackageMeter::open(folder_);
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->read().energy_j, 0);
  for (const char* const other : {"intel-rapl:0:0", "intel-rapl:2", "intel-rapl-mmio:0"}) {
    write(other, "energy_uj", "9000000");
  }
  write("intel-rapl:0", "energy_uj", "3500000");
  EXPECT_DOUBLE_EQ(meter->read().energy_j, 2.5);
  write("intel-rapl:1", "energy_uj", "5250000");
  EXPECT_DOUBLE_EQ(meter->read().energy_j, 2.75);
  EXPECT_FALSE(base::is_told(meter->read()[base::Measure::power]));
}

TEST_F(PackageMeters, go_on_where_a_counter_wraps) {
  zone("intel-rapl:0", "package-0", "262143000000");
  const auto meter = PackageMeter::open(folder_);
  write("intel-rapl:0", "energy_uj", "171150");
  EXPECT_DOUBLE_EQ(meter->read().energy_j, 0.5);
  write("intel-rapl:0", "energy_uj", "262000000000");
  EXPECT_DOUBLE_EQ(meter->read().energy_j, 262000.32885);
  write("intel-rapl:0", "energy_uj", "1");
  EXPECT_DOUBLE_EQ(meter->read().energy_j, 262143.657701);
}

TEST_F(PackageMeters, are_absent_if_a_package_cannot_be_read) {
  EXPECT_FALSE(PackageMeter::open(folder_ / "absent"));
  EXPECT_FALSE(PackageMeter::open(folder_));
  zone("intel-rapl:0", "package-0", "1");
  EXPECT_TRUE(PackageMeter::open(folder_));
  write("intel-rapl:1", "name", "package-1");  // without a counter that may be read
  EXPECT_FALSE(PackageMeter::open(folder_));
  zone("intel-rapl:1", "package-1", "no number");
  EXPECT_FALSE(PackageMeter::open(folder_));
}

TEST_F(PackageMeters, tell_nothing_once_a_package_is_gone) {
  zone("intel-rapl:0", "package-0", "1");
  const auto meter = PackageMeter::open(folder_);
  fs::remove_all(folder_);
  EXPECT_FALSE(base::is_told(meter->read().energy_j));
}

}  // namespace
}  // namespace tessera::device
