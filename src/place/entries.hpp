// Files of several places: "name { ... }", a comment behind ;, and a backslash that joins lines.
#pragma once

#include "place/numbers.hpp"

namespace tessera::place {

struct Entry {
  std::string name;
  std::string text;  ///< between the braces, in one line, with single blanks
};

/// The entry that the source names, or its only one. Refuses a file with others, naming them.
Entry entry_of(const Source& source);

/// Which word of a key that is there twice.
enum class Twice { first_counts, last_counts };

/// The words KEY=VALUE of a line, "..." in quotes being one value.
Values words_of(std::string_view text, Twice twice = Twice::first_counts);

}  // namespace tessera::place
