// The energy of the processors of this host, as Linux tells it of RAPL (Intel and AMD):
// https://docs.kernel.org/power/powercap/powercap.html
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/meter.hpp"

namespace tessera::device {

/// Of all programs on the host, without memory. The counters wrap after minutes of load, so that it
/// is to be read more often.
class PackageMeter : public base::Meter {
 public:
  static constexpr const char* kFolder = "/sys/class/powercap";
  /// Null if a package of this host cannot be read, which on most systems only root may.
  static std::unique_ptr<PackageMeter> open(const std::filesystem::path& folder = kFolder);

  base::Reading read() override;

 private:
  struct Package {
    std::filesystem::path energy;
    std::uint64_t last_uj = 0;
    std::uint64_t range_uj = 0;
  };
  explicit PackageMeter(std::vector<Package> packages) : packages_(std::move(packages)) {}

  std::vector<Package> packages_;
  std::uint64_t used_uj_ = 0;  ///< since it was opened
};

}  // namespace tessera::device
