#include "device/host/package_meter.hpp"

#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace tessera::device {
namespace {

template <class T>
std::optional<T> read_one(const std::filesystem::path& path) {
  std::ifstream file(path);
  T value{};
  if (file >> value) return value;
  return std::nullopt;
}

/// A package itself: neither a part of one (intel-rapl:0:0) nor the platform (psys), which
/// has the packages in it.
bool is_package(const std::filesystem::path& zone) {
  const std::string name = zone.filename().string();
  if (!name.starts_with("intel-rapl:") || name.find(':') != name.rfind(':')) return false;
  return read_one<std::string>(zone / "name").value_or("").starts_with("package");
}

}  // namespace

std::unique_ptr<PackageMeter> PackageMeter::open(const std::filesystem::path& folder) {
  std::vector<Package> packages;
  std::error_code absent;
  for (const auto& zone : std::filesystem::directory_iterator(folder, absent)) {
    if (!is_package(zone.path())) continue;
    const auto now_uj = read_one<std::uint64_t>(zone.path() / "energy_uj");
    const auto range_uj = read_one<std::uint64_t>(zone.path() / "max_energy_range_uj");
    if (!now_uj || !range_uj) return nullptr;
    packages.push_back({zone.path() / "energy_uj", *now_uj, *range_uj});
  }
  if (packages.empty()) return nullptr;
  return std::unique_ptr<PackageMeter>(new PackageMeter(std::move(packages)));
}

base::Reading PackageMeter::read() {
  for (Package& package : packages_) {
    const auto now_uj = read_one<std::uint64_t>(package.energy);
    if (!now_uj) return {};
    const std::uint64_t wrapped_uj = *now_uj < package.last_uj ? package.range_uj : 0;
    used_uj_ += *now_uj + wrapped_uj - package.last_uj;
    package.last_uj = *now_uj;
  }
  return {.energy_j = static_cast<double>(used_uj_) * 1e-6};
}

}  // namespace tessera::device
