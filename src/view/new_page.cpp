#include "view/new_page.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::view {
namespace {

namespace fs = std::filesystem;

/// The folder of the new files is "new-page.part.d".
constexpr std::string_view kNewPage = "new-page";

bool is_empty_but_for_new_page(const fs::path& folder) {
  return std::ranges::all_of(fs::directory_iterator(folder), [](const auto& entry) {
    return entry.path().filename().string().starts_with(kNewPage);
  });
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const fs::path below =
      fs::weakly_canonical(file).lexically_relative(fs::weakly_canonical(folder));
  return !below.empty() && *below.begin() != "..";
}

/// Returns OUT.
fs::path checked(const job::PublishJob& job) {
  fs::path folder(job.output);
  if (!fs::exists(folder)) return folder;
  if (!fs::is_directory(folder)) {
    throw base::usage_error("OUT {}: is a file; name a folder", job.output);
  }
  const bool is_ours = fs::exists(folder / "published.js");
  const bool is_empty = is_empty_but_for_new_page(folder);
  if (!is_empty && !is_ours) {
    throw base::usage_error("OUT {}: has other files; name a new folder", job.output);
  }
  if (!is_empty && !job.overwrite) {
    throw base::usage_error("OUT {}: has a page already; --overwrite replaces it", job.output);
  }
  if (lies_in(job.input, folder)) {
    throw base::usage_error("{}: lies in OUT {}, whose files are replaced; move it away", job.input,
                            job.output);
  }
  return folder;
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw base::file_error(from.string(), "rename to " + to.string(), error.value());
}

}  // namespace

NewPage::Out::Out(fs::path folder) : path(std::move(folder)) {
  std::error_code error;
  made = fs::create_directories(path, error);
  if (error) throw base::file_error(path.string(), "create", error.value());
}

NewPage::Out::~Out() {
  std::error_code not_empty;
  if (made) fs::remove(path, not_empty);
}

NewPage::NewPage(const job::PublishJob& job)
    : out_(checked(job)),
      lock_((out_.path / kNewPage).string(), {}),
      unfinished_((out_.path / kNewPage).string(), {}),
      folder_(unfinished_.path()) {}

void NewPage::finish() {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const fs::path name = entry.path().filename();
    if (name != kFacts && !name.string().starts_with('.')) names.push_back(name);
  }
  names.emplace_back(kFacts);
  const fs::path old = folder_ / ".old";
  fs::create_directory(old);
  const auto put_aside = [&](const fs::path& name) {
    if (fs::exists(fs::symlink_status(out_.path / name))) move(out_.path / name, old / name);
  };
  for (const char* const name : {kFacts, kArchive, kTilesFolder}) put_aside(name);
  for (const fs::path& name : names) {
    put_aside(name);
    move(folder_ / name, out_.path / name);
  }
}

}  // namespace tessera::view
