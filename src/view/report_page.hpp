// A run as a self-contained HTML file: the page with the document of the run inside.
#pragma once

#include <string>

#include "report/live_run.hpp"

namespace tessera::view {

/// `document`: report::LiveRun::document() after finish_document().
std::string report_page(const report::Json& document);

/// Completes the document of a finished run: adds the numbers of --report, messages about lost
/// ranks and devices, and a timeline of the threads if they recorded spans. `report` may be null.
void finish_document(report::Json& document, const report::Json& report,
                     std::span<const report::RankReport> ranks, const report::InFlight& in_flight);

/// A file as a data: URL.
std::string data_url(std::string_view type, std::string_view bytes);

}  // namespace tessera::view
