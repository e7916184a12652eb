// Files that stopped and finished runs leave beside their outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::command {

struct Leftover {
  std::string path;
  std::uint64_t bytes = 0;
  std::string what;     ///< one line: its kind, and the output that it belongs to
  bool in_use = false;  ///< a run writes it, or may write it
};

/// The leftovers in `folder`, by name. A file counts only if its contents say that Tessera wrote
/// it. Throws a missing error if there is no such folder.
std::vector<Leftover> find_leftovers(const std::string& folder);

/// Removes the file. False, and nothing is removed, if a run has begun to use it.
bool remove_leftover(const Leftover& leftover);

}  // namespace tessera::command
