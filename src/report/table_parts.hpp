// Parts that the tables of renders and of reductions share. For this folder only.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "report/timings.hpp"

namespace tessera::report {

using Text = std::back_insert_iterator<std::string>;

constexpr std::size_t kRankLines = 32;  ///< most ranks with a line; the JSON has all
constexpr std::size_t kWidth = 80;

/// At most `width` bytes, escaped as by base::printable(). A truncated text ends in "~".
std::string cut(const std::string& text, std::size_t width);

/// "3", or "all" for a negative number.
std::string rank_name(int rank);

/// Prints the work that was repeated and the lost ranks; nothing if nothing was lost, even if slow
/// items were repeated at the end.
void print_in_flight(Text out, const InFlight& in_flight);

/// "lost           cuda:0 of rank 1 on HOST: cause"
void print_loss(Text out, std::string_view what, const LostDevice& lost, int rank,
                const std::string& host);

/// "joined         cuda:0 of rank 1 on HOST after 0.31 s": the devices that were opened while
/// others worked.
void print_openings(Text out, const std::vector<RankReport>& ranks);

/// "energy         1.23 kJ: cores 200 J, GPUs 1.03 kJ; 34 J per gigapixel", and a line for each GPU
/// that tells something. `amount`: how many units, named `per`, the ranks did.
void print_energy(Text out, const std::vector<RankReport>& ranks, std::string_view per,
                  double amount);

/// A line for each failed device or restarted process. Beyond kRankLines lines it prints only the
/// number of the others.
template <class Rank>
void print_losses(Text out, const std::vector<Rank>& ranks, std::string_view what,
                  std::vector<LostDevice> Rank::*devices) {
  std::size_t lines = 0;
  for (const Rank& rank : ranks) {
    for (const LostDevice& lost : rank.*devices) {
      if (++lines <= kRankLines) print_loss(out, what, lost, rank.rank, rank.host);
    }
  }
  if (lines > kRankLines) {
    fmt::format_to(out, "{:<14} {} more, in the JSON report\n", what, lines - kRankLines);
  }
}

/// Calls line(rank) for the first kRankLines ranks, and line(total) if there are several.
template <class Rank, class Line>
void for_each_line(Text out, const std::vector<Rank>& ranks, const Rank& total, const Line& line) {
  const std::size_t shown = std::min(ranks.size(), kRankLines);
  for (std::size_t i = 0; i < shown; ++i) line(ranks[i]);
  if (shown < ranks.size()) {
    fmt::format_to(out, "{:>6}  {}, in the JSON report\n", "...",
                   base::count_of(static_cast<std::int64_t>(ranks.size() - shown), "more rank"));
  }
  if (ranks.size() != 1) line(total);
}

}  // namespace tessera::report
