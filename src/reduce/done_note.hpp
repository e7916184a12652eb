// OUTPUT.done, a small file beside a finished output that records its job and inputs, so that the
// same command finds that nothing is left to do (docs/decisions/013).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "job/arrays/reduce_job.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::reduce {

/// The numbers that a report needs about a finished output, so that nothing is computed again.
struct FinishedOutput {
  statistics::SpecialCounts specials;  ///< counts of NaN and infinities of the input array
  std::int64_t items = 0;              ///< work items; of a table of groups its rows
};

/// Path of OUTPUT.done.
std::string finished_path(const std::string& output);

/// Writes OUTPUT.done. To be called when `part` is complete and synced, before it is renamed to
/// `output`. `identity` is ReduceCheckpoints::identity(): equal text means an equal result. Throws
/// base::Error.
void write_done_note(const std::string& output, const std::string& part,
                     const std::string& identity, const FinishedOutput& what);

/// The same, but only prints an error of the `command`: the output is good without a note.
void try_to_note(const std::string& command, const std::string& output, const std::string& part,
                 const std::string& identity, const FinishedOutput& what);

/// Whether write_done_note() wrote the file `note`.
bool is_done_note(const std::string& note);

/// Throws a usage error if OUTPUT.done exists and was not written by write_done_note().
void check_note(const std::string& output);

/// Returns the note if `output` exists, has the recorded size, modification time and checksum of
/// samples, and was recorded with the same `identity`.
std::optional<FinishedOutput> find_finished(const std::string& output, const std::string& identity);

}  // namespace tessera::reduce
