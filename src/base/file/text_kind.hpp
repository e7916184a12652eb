// The kinds of text files that Tessera writes, and how a file shows that it is one: all of its
// first bytes, as Tessera writes them, and not a word that any text about Tessera may have.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/file/unfinished_file.hpp"

namespace tessera::base {

struct TextKind {
  std::string_view name;
  /// The first bytes. In one of `variants`, '*' stands for it.
  std::string_view mark;
  std::string_view variants = "*";  ///< separated by spaces
};

inline constexpr TextKind kReport{"report", "{\n  \"schema\": \"tessera-*-1\",\n  \"command\": \"",
                                  "report reduce bench"};
inline constexpr TextKind kTrace{"trace", R"({"otherData":{"program":"tessera","command":")"};
inline constexpr TextKind kPage{"page about a run",
                                "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                                "<meta charset=\"utf-8\">\n"
                                "<meta name=\"viewport\" content=\"width=device-width, "
                                "initial-scale=1\">\n"
                                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                                "<meta name=\"generator\" content=\"tessera\">\n"};
inline constexpr TextKind kPlot{"plot",
                                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                "<!-- tessera bench: a plot of what it measured -->\n<svg "};
inline constexpr std::array kTextKinds = {kReport, kTrace, kPage, kPlot};

/// True if the file begins as this kind does.
bool is_of_kind(const std::string& path, const TextKind& kind);
/// The same as a function.
IsOurs of_kind(const TextKind& kind);

}  // namespace tessera::base
