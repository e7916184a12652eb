// A --device list made concrete for this rank, together with the other ranks of its node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "comm/world.hpp"
#include "device/choice.hpp"

namespace tessera::run {

/// Collective: what each rank of this node sees, in node order.
std::vector<device::Sight> exchange_sights(comm::World& world,
                                           const std::vector<device::Seen>& mine);

/// Collective: the devices that this rank is to drive, as Lanes takes them: "cuda:1", "cpu". The
/// list is the same on every rank. All ranks throw an AgreedError when one of them cannot have what
/// is asked for. Ranks that share a GPU without being told to are a warning of one line, on stderr
/// of the gather rank.
std::string choose_devices(comm::World& world, std::string_view list, int threads);

}  // namespace tessera::run
