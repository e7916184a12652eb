// The files that runs which were stopped, and finished ones, leave beside their outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::command {

struct Leftover {
  std::string path;
  std::uint64_t bytes = 0;
  std::string what;     ///< what it is and belongs to, on one line
  bool in_use = false;  ///< a run writes it, or that is unknown
};

/// The leftovers in `folder`, by name. A file counts only if its contents say that Tessera wrote
/// it. Throws a missing error if there is no such folder.
std::vector<Leftover> find_leftovers(const std::string& folder);

/// Removes the file, unless a run has begun to use it. False if so.
bool remove_leftover(const Leftover& leftover);

}  // namespace tessera::command
