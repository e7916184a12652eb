// Options, each declared once: the command line, job files, --help, the printed configuration and
// the attributes in the output all come from these tables.
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

/// What a job file may hold under a key; the command line has text for all of them.
enum class Kind {
  text,    ///< a string
  number,  ///< a number, or a string for more digits or a unit
  list,    ///< a string, or an array of numbers or strings that is joined by commas
  toggle   ///< true or false; a flag without a value on the command line
};

/// One option of a job struct T. `set` parses and checks one value; `what` says where the value
/// comes from ("--size", "jobs/a.toml:3: size") and begins the usage error that `set` throws.
/// `get` prints the value so that `set` reads it back; "" = nothing to be said.
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

/// What was given, before it is applied: name and text, in order; later entries win.
struct Given {
  std::string name;
  std::string value;
  std::string origin;  ///< "--size" or "jobs/a.toml:3: size", for messages

  friend bool operator==(const Given&, const Given&) = default;
};

/// Applies `given` in order ("view" first wherever it stands, so that other keys win over it),
/// then checks what several options say together: center, width, zoom too deep for f64, ...
RenderJob make_render_job(std::span<const Given> given);

/// The job as (key, text) pairs that make_render_job() reads back to the same job; keys without
/// a value (no view, no PNG, ...) are left out.
std::vector<std::pair<std::string, std::string>> describe(const RenderJob& job);

}  // namespace tessera::job
