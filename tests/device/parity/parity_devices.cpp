#include "parity_devices.hpp"

#include <cstdlib>
#include <map>

#include "base/error.hpp"
#include "device/select/registry.hpp"

namespace tessera::device {
namespace {

std::string why_closed(const std::string& device) {
  try {
    open_devices(device, {.threads = 1});
    return "";
  } catch (const base::Error& error) {
    const bool required = device == "opencl" && std::getenv("TESSERA_REQUIRE_OPENCL") != nullptr;
    if (required || error.code() != base::ExitCode::missing) throw;
    return error.what();
  }
}

}  // namespace

std::string why_skipped(const std::string& device) {
  static std::map<std::string, std::string> known;  // opening looks at the whole machine
  const auto [entry, is_new] = known.try_emplace(device);
  if (is_new) entry->second = why_closed(device);
  return entry->second;
}

}  // namespace tessera::device
