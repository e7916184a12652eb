// Tables of options. Each option is declared once: the command line, job files, --help, the printed
// configuration and the attributes in the output all use these tables.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "job/image/render_job.hpp"
#include "job/standard_output.hpp"

namespace tessera::job {

/// Side of the largest tile, in pixels.
inline constexpr int kLargestTilePx = 16384;

enum class Scope {
  image,   ///< changes pixels: part of a job's identity
  output,  ///< results and their files
  run      ///< how the work is done
};

/// The types that a job file may have under a key; on the command line, all values are text.
enum class Kind {
  text,    ///< a string
  number,  ///< a number, or a string for more digits or a unit
  integer,
  list,   ///< a string, or an array of numbers or strings, joined by commas
  toggle  ///< true or false; a flag without a value on the command line
};

/// One option of a job struct T. `set` parses and checks a value; `what` is the value's origin
/// ("--size", "jobs/a.toml:3: size") and begins the usage errors of `set`. `get` prints the value
/// so that `set` reads it back; "" = no value.
template <class T>
struct Option {
  std::string_view name;   ///< "--NAME" and the job file's key
  std::string_view value;  ///< "WxH" in --help; "" for a toggle
  std::string_view help;   ///< one line
  Scope scope = Scope::run;
  Kind kind = Kind::text;
  std::function<void(T&, std::string_view text, std::string_view what)> set{};
  std::function<std::string(const T&)> get{};
  /// The option's part of the fingerprint, equal for all spellings of a value. Only options that
  /// decide what is stored have it. `verify` and `merge` read these options from a file.
  std::function<std::string(const T&)> identity{};
  /// The value in files that are older than this option; "" = all files have it.
  std::string_view value_of_old_files{};
};

/// The row of a base's member for the option table of a job.
template <class Job, class Base>
Option<Job> inherited(const Option<Base>& row) {
  Option<Job> option{row.name, row.value, row.help, row.scope, row.kind};
  option.set = row.set;
  option.get = row.get;
  return option;
}

/// Whether values of an option are paths, by what --help has for them: "FILE.png", "FOLDER".
constexpr bool names_path(std::string_view value) {
  return value.starts_with("FILE") || value.starts_with("FOLDER") || value.starts_with("OUT");
}

/// Whether they may be addresses of the web too: "FILE|LINK".
constexpr bool takes_link(std::string_view value) {
  return value.ends_with("LINK");
}

/// An option as given, before it is applied. They are applied in order; later ones win.
struct Given {
  std::string name;
  std::string value;
  std::string origin;  ///< "--size" or "jobs/a.toml:3: size", for messages

  friend bool operator==(const Given&, const Given&) = default;
};

/// Applies the options in order. Their names must be in the table. Throws a usage error, too, if
/// two of them write to standard output.
template <class T>
void apply_options(T& job, std::span<const Option<T>> options, std::span<const Given> given) {
  for (const Given& one : given) {
    const auto option = std::ranges::find(options, one.name, &Option<T>::name);
    option->set(job, one.value, one.origin);
    if constexpr (requires { job.given; }) job.given.push_back(one.name);
  }
  if constexpr (std::is_base_of_v<RunSpec, T>) check_standard_output(job);
}

/// The job as (key, text) pairs; keys without a value are left out.
template <class T>
std::vector<std::pair<std::string, std::string>> describe_options(
    const T& job, std::span<const Option<T>> options) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Option<T>& option : options) {
    if (std::string text = option.get(job); !text.empty()) {
      lines.emplace_back(option.name, std::move(text));
    }
  }
  return lines;
}

/// Options of `render` and `plan`, in the order of --help.
std::span<const Option<RenderJob>> render_options();

/// Applies `given` in order, but "view" first, so that other keys override it. Sets options that
/// follow from others (job/defaults.hpp). Then checks combinations of options: center, width, zoom
/// too deep for f64, ...
RenderJob make_render_job(std::span<const Given> given);

/// The job as (key, text) pairs, from which make_render_job() makes the same job, with
/// smooth_by_default = false and given iterations. Keys without a value (no view, no PNG, ...) are
/// left out.
std::vector<std::pair<std::string, std::string>> describe(const RenderJob& job);

}  // namespace tessera::job
