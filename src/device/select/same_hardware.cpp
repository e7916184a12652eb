#include "device/select/same_hardware.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace tessera::device {
namespace {

/// Normalises a uuid: backends write it as "GPU-12ab-...", "12AB..." or "12ab-...".
std::string digits_of(std::string_view uuid) {
  std::string digits;
  for (const unsigned char c : uuid) {
    if (std::isxdigit(c)) digits += static_cast<char>(std::tolower(c));
  }
  return digits;
}

/// Normalises a PCI address: "17:00.0" in domain 0 may be written as "0000:17:00.0" or
/// "00000000:17:00.0".
std::string address_of(std::string_view pci) {
  if (pci.empty()) return {};
  std::string address;
  for (const unsigned char c : pci) address += static_cast<char>(std::tolower(c));
  const std::size_t colon = address.find(':');
  if (colon == address.rfind(':')) return ":" + address;
  return address.substr(std::min(address.find_first_not_of('0'), colon));
}

}  // namespace

std::string_view backend_of(const DeviceInfo& info) {
  return std::string_view(info.name).substr(0, info.name.find(':'));
}

bool same_hardware(const DeviceInfo& a, const DeviceInfo& b) {
  const bool same_backend = backend_of(a) == backend_of(b);
  const std::string uuid_a = digits_of(a.uuid);
  const std::string uuid_b = digits_of(b.uuid);
  const bool uuids = !uuid_a.empty() && !uuid_b.empty();
  // Backends may report different uuids for the same partitioned GPU.
  if (uuids && (same_backend || uuid_a == uuid_b)) return uuid_a == uuid_b;
  const std::string pci_a = address_of(a.pci);
  const std::string pci_b = address_of(b.pci);
  if (!pci_a.empty() && !pci_b.empty()) return pci_a == pci_b;
  if (uuids) return false;
  return same_backend ? a.name == b.name : a.detail == b.detail && !a.detail.empty();
}

}  // namespace tessera::device
