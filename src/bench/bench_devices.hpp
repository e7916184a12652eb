// Chooses the devices that `tessera bench` compares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/select/registry.hpp"

namespace tessera::bench {

inline constexpr std::string_view kEveryDevice = "auto";

/// For "auto": every usable device except `reference`, with `cpu` for the cores; skipped devices
/// and the reasons are appended to `left_out`. Otherwise the names in `list`; throws a usage error
/// for a repeated name.
std::vector<std::string> devices_to_compare(std::string_view list,
                                            const device::Placement& placement,
                                            std::vector<std::string>& left_out);

}  // namespace tessera::bench
