// A machine of two sockets with a GPU each, as hwloc reads it from a file, and this process bound
// to the processor of the first.
#include "device/select/numa_nearness.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tessera::device {
namespace {

constexpr const char* kTwoSockets = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x3"
      nodeset="0x3" complete_nodeset="0x3" allowed_nodeset="0x3" gp_index="1">
    <object type="Package" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
        complete_nodeset="0x1" gp_index="2">
      <object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
          complete_nodeset="0x1" gp_index="3"/>
      <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1"
          complete_nodeset="0x1" gp_index="4"/>
      <object type="Bridge" gp_index="5" bridge_type="0-1" depth="0" bridge_pci="0000:[16-17]">
        <object type="PCIDev" gp_index="6" pci_busid="0000:17:00.0"
            pci_type="0302 [10de:2335] [10de:18be] a1" pci_link_speed="0.0"/>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2"
        complete_nodeset="0x2" gp_index="7">
      <object type="NUMANode" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2"
          complete_nodeset="0x2" gp_index="8"/>
      <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x2"
          complete_nodeset="0x2" gp_index="9"/>
      <object type="Bridge" gp_index="10" bridge_type="0-1" depth="0" bridge_pci="0000:[ab-ac]">
        <object type="PCIDev" gp_index="11" pci_busid="0000:ac:00.0"
            pci_type="0302 [10de:2335] [10de:18be] a1" pci_link_speed="0.0"/>
      </object>
    </object>
  </object>
</topology>
)";

class Nearness : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (sched_setaffinity(0, sizeof first, &first) != 0) GTEST_SKIP() << "processor 0 is not ours";
    path_ = std::filesystem::temp_directory_path() /
            ("tessera-two-sockets-" + std::to_string(getpid()) + ".xml");
    std::ofstream(path_) << kTwoSockets;
    setenv("HWLOC_XMLFILE", path_.c_str(), 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);  // the binding is real
  }
  void TearDown() override {
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_THISSYSTEM");
    if (!path_.empty()) std::filesystem::remove(path_);
    sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  std::filesystem::path path_;
};

TEST_F(Nearness, IsTheSocketThatThisProcessIsBoundTo) {
  const std::array<std::string, 2> gpus = {"0000:17:00.0", "0000:ac:00.0"};
  EXPECT_EQ(near_these_cores(gpus), (std::vector<bool>{true, false}));
}

TEST_F(Nearness, UnknownAddressesAreNotNear) {
  const std::array<std::string, 3> gpus = {"", "0000:01:00.0", "nonsense"};
  EXPECT_EQ(near_these_cores(gpus), (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace tessera::device
