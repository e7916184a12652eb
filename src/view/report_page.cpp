#include "view/report_page.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "view/http/assets.hpp"

namespace tessera::view {
namespace {

constexpr std::array<std::string_view, 4> kModules = {"scales.js", "dom.js", "charts.js",
                                                      "run_view.js"};

std::string_view text_of(std::string_view asset) {
  const Asset* const found = find_asset(asset);
  if (found == nullptr) throw std::logic_error("the program has no page of that name");
  return found->text;
}

/// The modules as one script: without imports, which are lines of their own, and exports.
std::string joined_modules() {
  std::string script;
  for (const std::string_view name : kModules) {
    std::string_view rest = text_of(name);
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n') + 1);
      if (line.empty()) line = rest;
      rest.remove_prefix(line.size());
      if (line.starts_with("import ")) continue;
      if (line.starts_with("export ")) line.remove_prefix(std::string_view("export ").size());
      script += line;
    }
  }
  return script + "showRun(JSON.parse(document.getElementById(\"run-data\").textContent));\n";
}

/// JSON in which no text can end the element that holds it.
std::string embedded(const report::Json& document) {
  std::string text;
  for (const char c : document.dump(-1, ' ', false, report::Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

void replace(std::string& page, std::string_view what, const std::string& by) {
  const auto at = page.find(what);
  if (at == std::string::npos) throw std::logic_error("the page of a run has changed");
  page.replace(at, what.size(), by);
}

void add_losses(report::Json& messages, std::string_view what,
                const std::vector<report::LostDevice>& lost, const report::RankReport& rank) {
  for (const report::LostDevice& one : lost) {
    messages.push_back(fmt::format("{} {} of rank {} on {}: {}", what, one.device, rank.rank,
                                   rank.host, one.cause));
  }
}

}  // namespace

std::string report_page(const report::Json& document) {
  std::string page(text_of("run.html"));
  replace(page, R"(<link rel="stylesheet" href="/run.css">)",
          fmt::format("<style>\n{}</style>", text_of("run.css")));
  replace(page, R"(<script src="/run.js" type="module"></script>)",
          fmt::format("<script id=\"run-data\" type=\"application/json\">{}</script>\n"
                      "<script type=\"module\">\n{}</script>",
                      embedded(document), joined_modules()));
  return page;
}

void finish_document(report::Json& document, const report::Json& report,
                     std::span<const report::RankReport> ranks, const report::InFlight& in_flight) {
  document["report"] = report;
  const double wall_s = report.value("wall_s", 0.0);
  document["elapsed_s"] = wall_s;
  for (const char* const key : {"job", "outputs", "version"}) {
    if (report.contains(key)) document[key] = report[key];
  }
  report::Json& messages = document["messages"];
  for (const report::RankReport& rank : ranks) {
    add_losses(messages, "restarted", rank.restarted, rank);
    add_losses(messages, "lost", rank.lost, rank);
  }
  for (const auto& [rank, host] : in_flight.lost) {
    messages.push_back(fmt::format("lost rank {} on {}", rank, host));
  }
  report::Json threads = report::timeline_json(ranks, wall_s);
  if (!threads.empty()) document["timeline"] = std::move(threads);
}

std::string data_url(std::string_view type, std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string url = fmt::format("data:{};base64,", type);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      url += i + k <= bytes.size() ? kDigits[three >> (18 - 6 * k) & 63] : '=';
    }
  }
  return url;
}

}  // namespace tessera::view
