// Options, each declared once: the command line, job files, --help, the printed configuration and
// the attributes in the output all come from these tables.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/render_job.hpp"

namespace tessera::job {

enum class Scope {
  image,   ///< changes pixels: part of a job's identity
  output,  ///< what is written and where
  run      ///< how the work is done
};

/// One option of a job struct T. `set` parses and checks one value and throws a usage error that
/// names the option; `get` prints the value so that `set` reads it back.
template <class T>
struct Option {
  std::string_view name;   ///< "--NAME" and the job file's key
  std::string_view value;  ///< "WxH" in --help; "" for a switch
  std::string_view help;   ///< one line
  Scope scope = Scope::run;
  std::function<void(T&, std::string_view)> set;
  std::function<std::string(const T&)> get;
};

/// Options of `render` and `plan`, in the order of --help.
std::span<const Option<RenderJob>> render_options();

/// What was given, before it is applied: name and text, in order; later entries win.
struct Given {
  std::string name;
  std::string value;
  std::string origin;  ///< "--size" or "jobs/a.toml:3: size", for messages
};

/// Keys of a TOML job file, flat. missing error if there is no such file; usage errors name file
/// and line for text that does not parse, and the nearest key for an unknown one.
std::vector<Given> read_job_file(const std::string& path, std::span<const std::string> known_keys);

/// Applies `given` in order ("view" first wherever it stands, so that other keys win over it),
/// then checks what several options say together: center, width, zoom too deep for f64, ...
RenderJob make_render_job(std::span<const Given> given);

/// The job as (key, text) pairs that make_render_job() reads back to the same job.
std::vector<std::pair<std::string, std::string>> describe(const RenderJob& job);

}  // namespace tessera::job
