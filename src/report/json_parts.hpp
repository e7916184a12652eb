// JSON documents and the parts that several of them share.
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

/// The beginning of every document: its schema "tessera-NAME-1", the command, the version.
Json document(const std::string& command);

/// The report of a render.
Json to_document(const RunReport& run);

/// The document as text. A path may be any bytes; those that are not UTF-8 are \xff and the like
/// (base::as_utf8()). NaN and infinities, which JSON lacks, are null.
std::string dump(const Json& json);
/// Adds the energy of the ranks, as far as it is known, and that `per` unit of their work, of
/// which they did `amount`.
void add_energy(Json& json, std::span<const RankReport> ranks, const std::string& per,
                double amount);
/// The ranks of a run, each with the keys of numbers_of(rank).
Json ranks_json(std::span<const RankReport> ranks, Json (*numbers_of)(const RankReport&));

}  // namespace tessera::report
