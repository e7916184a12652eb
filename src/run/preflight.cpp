#include "run/preflight.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/posix_file.hpp"
#include "base/text.hpp"
#include "job/fingerprint.hpp"
#include "plan/file_size.hpp"
#include "run/picture.hpp"

namespace tessera::run {
namespace {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto whole = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return whole(a) == whole(b);
}

}  // namespace

void check_output(const std::string& path, const std::string& what, bool may_replace) {
  std::error_code error;
  const std::string folder = base::folder_of(path);
  if (!std::filesystem::is_directory(folder, error)) {
    throw base::usage_error("{} {}: there is no folder {}", what, path, folder);
  }
  if (std::filesystem::is_directory(path, error)) {
    throw base::usage_error("{} {}: is a folder; name a file", what, path);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw base::usage_error("{} {}: cannot write in {}: {}", what, path, folder,
                            std::strerror(errno));
  }
  if (!may_replace && std::filesystem::exists(path, error)) {
    throw base::usage_error("{} {}: is there already; --overwrite replaces it", what, path);
  }
}

void check_text_output(const std::string& path, const std::string& what) {
  if (!base::is_special(path)) return check_output(path, what, true);
  if (access(path.c_str(), W_OK) == 0) return;
  throw base::usage_error("{} {}: cannot be written: {}", what, path, std::strerror(errno));
}

void check_distinct(const std::vector<NamedFile>& files) {
  std::vector<NamedFile> taken;
  for (const NamedFile& file : files) {
    if (file.path.empty() || base::is_special(file.path)) continue;
    const std::string part = base::part_path(file.path);
    for (const NamedFile& other : taken) {
      if (!same_file(file.path, other.path) && !same_file(part, other.path)) continue;
      throw base::usage_error("{} {}: would overwrite {} {}; give another name", file.what,
                              file.path, other.what, other.path);
    }
    taken.push_back(file);
    taken.push_back({file.what, part});
  }
}

namespace {

store::FoundImage look_for_image(const job::RenderJob& job) {
  using What = store::FoundImage::What;
  store::FoundImage found = store::find_image(job.output, job::fingerprint(job));
  if (job.overwrite) return {};
  if (found.what == What::other) {
    throw base::usage_error("--output {}: {}{}; --overwrite replaces it", job.output,
                            found.at == job.output ? "" : found.at + " ", found.detail);
  }
  if (job.resume && found.what == What::nothing) {
    throw base::missing_error("--resume: there is neither {} nor {}", job.output,
                              base::part_path(job.output));
  }
  return found;
}

void check_picture_there(const job::RenderJob& job) {
  if (find_picture(job.png, origin_of(job), job.output) != FoundPicture::other) return;
  throw base::usage_error(
      "--png {}: is there already, and no picture that Tessera made of the whole of {}; "
      "--overwrite "
      "replaces it",
      job.png, job.output);
}

}  // namespace

store::FoundImage check_render_outputs(const job::RenderJob& job, const plan::TileGrid& tiles) {
  check_output(job.output, "--output", true);
  store::FoundImage found = look_for_image(job);
  const bool complete = found.what == store::FoundImage::What::complete;
  const std::string part = base::part_path(job.output);
  if (!job.png.empty()) {
    check_output(job.png, "--png", job.overwrite || complete);
    if (complete) check_picture_there(job);
  }
  if (!job.report.empty()) check_text_output(job.report, "--report");
  if (!job.trace.empty()) check_text_output(job.trace, "--trace");

  if (complete) return found;
  const double least = plan::file_size_range(job, tiles).least_bytes;
  std::error_code error;
  const auto space = std::filesystem::space(base::folder_of(job.output), error);
  if (error) return found;
  // What an earlier run left unfinished is replaced first.
  const auto left_over = std::filesystem::file_size(part, error);
  const auto available = static_cast<double>(space.available + (error ? 0 : left_over));
  if (available < least) {
    const auto [free, needed] = base::format_different_bytes(available, least);
    throw base::usage_error(
        "--output {}: {} free on that disk, the file needs {} at the very least", job.output, free,
        needed);
  }
  return found;
}

}  // namespace tessera::run
