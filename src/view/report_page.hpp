// A run as one HTML file that needs nothing else: its page with the document of the run inside.
#pragma once

#include <string>

#include "report/live_run.hpp"

namespace tessera::view {

/// `document`: of report::LiveRun::document(), with what finish_document() adds.
std::string report_page(const report::Json& document);

/// Adds the numbers of a run that is over, as --report has them, its losses as messages, and the
/// timeline of its threads if they recorded spans. `report` may be null.
void finish_document(report::Json& document, const report::Json& report,
                     std::span<const report::RankReport> ranks, const report::InFlight& in_flight);

/// A file as the text of a URL.
std::string data_url(std::string_view type, std::string_view bytes);

}  // namespace tessera::view
