#include "job/serve_job.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/run_options.hpp"

namespace tessera::job {
namespace {

constexpr int kLargestPort = 65535;

}  // namespace

void set_listen(ServeJob& job, std::string_view text, std::string_view what) {
  std::string_view rest = base::trim(text);
  const bool only_port = !rest.empty() && rest.find_first_not_of("0123456789") == rest.npos;
  const std::size_t colon = rest.rfind(':');
  const bool has_port =
      colon != rest.npos && (rest.find(':') == colon || (colon > 0 && rest[colon - 1] == ']'));
  if (only_port || has_port) {
    const std::string_view port = only_port ? rest : rest.substr(colon + 1);
    job.port = static_cast<int>(base::parse_integer(port, what, 0, kLargestPort));
    rest = only_port ? "" : rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  if (!rest.empty()) job.address = rest;
}

std::string ServeJob::listen() const {
  const bool in_brackets = address.find(':') != std::string::npos;
  const std::string place =
      fmt::format("{}{}{}", in_brackets ? "[" : "", address, in_brackets ? "]" : "");
  return port < 0 ? place : fmt::format("{}:{}", place, port);
}

std::span<const Option<ServeJob>> serve_options() {
  static const std::vector<Option<ServeJob>> options = {
      {"listen", "ADDR:PORT",
       "address and port of the page; without a port that of the last time, 0 is any free one. "
       "For other machines use 0.0.0.0:PORT",
       Scope::run, Kind::text, set_listen, [](const ServeJob& job) { return job.listen(); }},
      optional_path({"cache", "FOLDER",
                     "folder for the reduced images of files in folders that cannot be written"},
                    &ServeJob::cache),
      {"palette-file", "FILE,...",
       "palettes of files, beside the built-in ones (docs/pictures.md has their format)",
       Scope::run, Kind::list,
       [](ServeJob& job, std::string_view text, std::string_view) {
         job.palette_files.clear();
         if (!text.empty()) job.palette_files = base::split(text, ',');
       },
       [](const ServeJob& job) { return fmt::format("{}", fmt::join(job.palette_files, ",")); }},
      run_option<ServeJob>(RunOption::no_token),
      run_option<ServeJob>(RunOption::threads),
      run_option<ServeJob>(RunOption::memory),
  };
  return options;
}

}  // namespace tessera::job
