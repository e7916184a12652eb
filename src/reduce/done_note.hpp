// What a finished array was made of, in a small file beside it, so that the same command finds out
// that nothing is left to do (docs/decisions/013).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "statistics/output_partials.hpp"

namespace tessera::reduce {

/// What a report says about a finished output without making it again.
struct FinishedOutput {
  statistics::SpecialCounts specials;  ///< of the array that it was made of
  std::int64_t items = 0;              ///< of work
};

/// OUTPUT.done.
std::string finished_path(const std::string& output);

/// Before `part`, which is whole and on the disk, becomes `output`: `made_of` says of what, in
/// lines that are the same if and only if it would be the same again. Throws base::Error.
void note_finished(const std::string& output, const std::string& part, const std::string& made_of,
                   const FinishedOutput& what);

/// Usage error where OUTPUT.done is there and is nothing that note_finished() has made.
void check_note(const std::string& output);

/// Nothing unless `output` is there, is the very file that was noted, and was made of that.
std::optional<FinishedOutput> find_finished(const std::string& output, const std::string& made_of);

}  // namespace tessera::reduce
