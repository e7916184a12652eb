// Which devices `tessera bench` compares, and the arrays on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/select/registry.hpp"

namespace tessera::bench {

inline constexpr std::string_view kEveryDevice = "auto";

/// "auto": every usable device, `cpu` for the cores, without `reference`; what is left out, with
/// the reason, goes to `left_out`. Otherwise the names of `list`; usage error for a name twice.
std::vector<std::string> devices_to_compare(std::string_view list,
                                            const device::Placement& placement,
                                            std::vector<std::string>& left_out);

}  // namespace tessera::bench
