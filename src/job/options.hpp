// Tables of options. Each option is declared once: the command line, job files, --help, the printed
// configuration and the attributes in the output all use these tables.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/render_job.hpp"

namespace tessera::job {

/// Side of the largest tile, in pixels.
inline constexpr int kLargestTilePx = 16384;

enum class Scope {
  image,   ///< changes pixels: part of a job's identity
  output,  ///< what is written and where
  run      ///< how the work is done
};

/// The types that a job file may have under a key; on the command line, all values are text.
enum class Kind {
  text,    ///< a string
  number,  ///< a number, or a string for more digits or a unit
  list,    ///< a string, or an array of numbers or strings, joined by commas
  toggle   ///< true or false; a flag without a value on the command line
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
  /// Of an option that decides what is stored: what it adds to the fingerprint, the same for every
  /// spelling of a value. `verify` and `merge` read these options from a file, and no others.
  std::function<std::string(const T&)> identity{};
  /// The value of files that were written before there was this option; "" = all files have it.
  std::string_view value_of_old_files{};
};

/// Options of `render` and `plan`, in the order of --help.
std::span<const Option<RenderJob>> render_options();

/// An option as given, before it is applied. They are applied in order; later ones win.
struct Given {
  std::string name;
  std::string value;
  std::string origin;  ///< "--size" or "jobs/a.toml:3: size", for messages

  friend bool operator==(const Given&, const Given&) = default;
};

/// Applies `given` in order, but "view" first, so that other keys override it. Then checks
/// combinations of options: center, width, zoom too deep for f64, ...
RenderJob make_render_job(std::span<const Given> given);

/// The job as (key, text) pairs, from which make_render_job() makes the same job. Keys without a
/// value (no view, no PNG, ...) are left out.
std::vector<std::pair<std::string, std::string>> describe(const RenderJob& job);

}  // namespace tessera::job
