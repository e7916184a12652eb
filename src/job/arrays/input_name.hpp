// Splits the text of an INPUT, FILE[:/dataset][?options], and lists of them. A colon, a question
// mark, an equals sign or a comma may as well belong to a name: then it does if a file of that name
// is there. Otherwise \x3f and the like (base::printable()) stand for such a character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::job {

struct InputName {
  std::string path;     ///< path of the file; of a pattern as given
  std::string pattern;  ///< for glob(3), if `path` holds a `*`; otherwise ""
  std::string dataset;  ///< "/group/name" as given; "" = none
  std::string options;  ///< "dtype=f4&shape=3"
  bool has_options = false;
  std::string tail;  ///< the text behind the path, as given
};

/// Number of letters, digits and underscores at the beginning; 0 if it begins with a digit.
std::size_t length_of_name(std::string_view text);

/// Throws a usage error that begins with `text` for a URL, and if files of two readings are there.
InputName split_input(std::string_view text);

/// Whether `text` names an array in a file that is there, by any of its readings.
bool is_input(std::string_view text);

/// The length of NAME in "NAME=INPUT"; 0 if it is an INPUT alone. Throws a usage error if files of
/// both readings are there.
std::size_t length_of_input_name(std::string_view text);

/// The INPUTs of a list with commas between. A part that is no INPUT continues the one before, as
/// in "k.h5:/a,b". Throws a usage error if files of two readings are there.
std::vector<std::string> split_inputs(std::string_view list);

/// The file of a text that names nothing else, with its escapes replaced if that file is there and
/// none of the very name.
std::string found_name(std::string_view text);

/// The place of the ":/" before the dataset of an output; npos if none is named. The written file
/// has the very name that was given, without escapes.
std::size_t find_output_dataset(std::string_view text);

}  // namespace tessera::job
