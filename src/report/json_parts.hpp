// Parts that the JSON reports of renders and of reductions share. For this folder only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/timings.hpp"

namespace tessera::report {

using Json = nlohmann::ordered_json;

Json devices_json(const std::vector<LostDevice>& devices);
Json in_flight_json(const InFlight& in_flight);
Json texts_json(const std::vector<std::pair<std::string, std::string>>& texts);

/// The document as text. A path may be any bytes; invalid UTF-8 is replaced and does not throw.
std::string dump(const Json& json);
/// The ranks of a run, each with the keys of numbers_of(rank).
Json ranks_json(std::span<const RankReport> ranks, Json (*numbers_of)(const RankReport&));

}  // namespace tessera::report
