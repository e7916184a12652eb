#include "job/image/film_file.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "job/image/coloring.hpp"
#include "job/job_file.hpp"

namespace tessera::job {
namespace {

using GivenList = std::vector<Given>;

GivenList film_table(const std::string& path, const std::string& text) {
  std::vector<Key> keys = keys_of(film_options());
  keys.push_back({"output", Kind::text, true});
  return parse_job_table(path, text, kFilmTable, keys);
}

/// Takes the last value of a key out of the list.
std::string take(GivenList& given, std::string_view name, std::string usual) {
  for (const Given& one : given) {
    if (one.name == name) usual = one.value;
  }
  std::erase_if(given, [&](const Given& one) { return one.name == name; });
  return usual;
}

bool is_color(const Given& given) {
  static const std::vector<Option<FilmJob>> colors = coloring_options<FilmJob>();
  return std::ranges::find(colors, given.name, &Option<FilmJob>::name) != colors.end();
}

}  // namespace

bool is_job_file(std::string_view path) {
  return path.ends_with(".toml");
}

FilmFile parse_film_file(const std::string& path, const std::string& text) {
  FilmFile file;
  file.given = parse_job_text(path, text, render_options(), kFilmTable);
  file.input = take(file.given, "output", RenderJob{}.output);
  if (std::ranges::find(file.given, "frames", &Given::name) == file.given.end()) {
    throw base::usage_error("{}: has no frames, the number of images of a zoom", path);
  }
  std::erase_if(file.given, [](const Given& one) { return !is_color(one); });
  GivenList table = film_table(path, text);
  file.output = take(table, "output", "");
  file.given.insert(file.given.end(), table.begin(), table.end());
  return file;
}

void check_film_table(const std::string& path, const std::string& text) {
  GivenList table = film_table(path, text);
  take(table, "output", "");
  FilmJob job;
  apply_options<FilmJob>(job, film_options(), table);
}

}  // namespace tessera::job
