// A film in a job file: the options of `render` at its top, and those of `film` in a table [film].
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/image/film_job.hpp"
#include "job/image/options.hpp"

namespace tessera::job {

inline constexpr std::string_view kFilmTable = "film";

/// Whether the argument of `film` is a job file.
bool is_job_file(std::string_view path);

/// The film of a job file: the table [film], and the render that makes its images.
struct FilmFile {
  std::string input;         ///< the output of its render
  std::string output;        ///< "output" of the table; "" if it has none
  std::vector<Given> given;  ///< the colours at its top, and the options in the table
};

/// Throws usage errors that name `path` and the line.
FilmFile parse_film_file(const std::string& path, const std::string& text);

/// The same check for those who render the images; nothing if there is no table.
void check_film_table(const std::string& path, const std::string& text);

}  // namespace tessera::job
