#include "job/standard_output.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::job {
namespace {

bool is_standard(std::string_view path) {
  return base::is_standard_output(path) || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

}  // namespace

void check_standard_output(const RunSpec& job,
                           std::vector<std::pair<std::string, std::string>> others) {
  others.insert(
      others.begin(),
      {{"--report", job.report}, {"--trace", job.trace}, {"--report-html", job.report_html}});
  std::string first = job.json ? "--json" : "";
  for (const auto& [option, path] : others) {
    if (!is_standard(path)) continue;
    if (!first.empty()) {
      throw base::usage_error("{} {}: {} writes to standard output, too; give {} a file", option,
                              path, first, option);
    }
    first = option;
  }
}

}  // namespace tessera::job
