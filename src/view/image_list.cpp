#include "view/image_list.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/text.hpp"
#include "store/image/formats.hpp"
#include "store/image/parts.hpp"
#include "view/http/target.hpp"

namespace tessera::view {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kCheckInterval{1};
/// A file that grows is read again for at most this part of the time: requests wait for it.
constexpr int kRestPerRead = 50;
/// Open files: fewer than a process may have.
constexpr std::size_t kMaxOpen = 64;
constexpr std::string_view kPart = ".part";

std::string finished_name(std::string path) {
  if (path.ends_with(kPart)) path.resize(path.size() - kPart.size());
  return path;
}

/// The same for all ways to write a path.
fs::path place_of(const std::string& path) {
  return fs::absolute(path).lexically_normal();
}

/// The file that has the image now.
std::string current_path(const std::string& finished) {
  const std::string unfinished = store::unfinished_image(finished);
  return !unfinished.empty() && !fs::exists(finished) ? unfinished : finished;
}

/// The image whose parts are in the folder; "" if it is not one of parts.
std::string image_in_parts(const std::string& folder) {
  constexpr std::string_view kParts = ".parts";
  if (!folder.ends_with(kParts) || !store::read_parts_facts(folder)) return "";
  return folder.substr(0, folder.size() - kParts.size());
}

/// The last parts of an absolute path.
std::string tail_of(const fs::path& path, std::ptrdiff_t parts) {
  auto part = path.end();
  while (parts-- > 0 && part != path.begin()) --part;
  fs::path tail;
  for (; part != path.end(); ++part) tail /= *part;
  return tail.string();
}

/// Names that differ, of different paths of one file name.
std::vector<std::string> names_of(const std::vector<fs::path>& paths) {
  std::vector<std::string> names;
  std::set<std::string> different;
  for (std::ptrdiff_t parts = 1; different.size() < paths.size(); ++parts) {
    names.clear();
    for (const fs::path& path : paths) names.push_back(tail_of(path, parts));
    different = {names.begin(), names.end()};
  }
  return names;
}

bool is_image_name(const std::string& name) {
  const auto suffixes = store::image_formats().front().suffixes;
  const std::string finished = finished_name(name);
  return std::ranges::any_of(suffixes, [&](auto suffix) { return finished.ends_with(suffix); });
}

}  // namespace

ImageList::ImageList(const std::vector<std::string>& paths,
                     const std::vector<std::string>& expected, std::int64_t max_tiles,
                     CpuThrottle& throttle)
    : max_tiles_(max_tiles), throttle_(throttle) {
  for (const std::string& path : expected) add(path);
  for (const std::string& path : paths) {
    std::error_code unknown;
    if (const std::string image = image_in_parts(path); !image.empty()) {
      add(image);
    } else if (fs::is_directory(path, unknown)) {
      folders_.push_back(path);
    } else {
      add(path);
      Entry& entry = entries_[ids_.at(place_of(finished_name(path)))];
      open(entry, current_path(entry.path));
    }
  }
  find_files();
}

void ImageList::add(const std::string& file) {
  const std::string path = finished_name(file);
  if (ids_.try_emplace(place_of(path), entries_.size()).second) entries_.push_back({.path = path});
}

/// Called with mutex_ locked, but by the constructor.
void ImageList::find_files() {
  next_scan_ = Clock::now() + kCheckInterval;
  for (const std::string& folder : folders_) {
    std::vector<std::string> names;
    std::error_code gone;
    for (const auto& file : fs::directory_iterator(folder, gone)) {
      const std::string name = file.path().string();
      if (is_image_name(name) && file.is_regular_file(gone)) names.push_back(name);
      if (const std::string image = image_in_parts(name); !image.empty()) names.push_back(image);
    }
    std::ranges::sort(names, {}, [](const std::string& name) {
      return std::pair(base::natural_key(name), name);
    });
    for (const std::string& name : names) add(name);
  }
  name_all();
}

/// Files of one name have their folders before it.
void ImageList::name_all() {
  if (!entries_.empty() && !entries_.back().name.empty()) return;
  std::map<fs::path, std::vector<Entry*>> by_name;
  for (Entry& entry : entries_) by_name[fs::path(entry.path).filename()].push_back(&entry);
  for (const auto& [name, alike] : by_name) {
    std::vector<fs::path> paths;
    for (const Entry* const entry : alike) paths.push_back(place_of(entry->path));
    const std::vector<std::string> names = names_of(paths);
    for (std::size_t i = 0; i < alike.size(); ++i) alike[i]->name = names[i];
  }
}

/// Another file of the same name, and the first one, is opened beside those who read the old one.
void ImageList::open(Entry& entry, const std::string& path) {
  if (entry.file && entry.identity == base::identity_of(path)) {
    entry.file->reopen(path);
  } else {
    entry.file = std::make_shared<LiveFile>(path);
    entry.identity = base::identity_of(path);
  }
  entry.image = std::make_shared<OpenImage>(entry.file, max_tiles_);
}

/// Opens a file for the first time or again. An error keeps what was there.
void ImageList::refresh(Entry& entry) {
  const auto now = Clock::now();
  entry.last_use = now;
  if (entry.image && (now < entry.next_check || throttle_.pause(now) > Clock::duration{})) return;
  entry.next_check = now + kCheckInterval;
  const std::string path = current_path(entry.path);
  const std::string status = base::describe_status(path);
  const bool same = entry.image && entry.image->complete() && status == entry.status;
  if (same) return;
  try {
    const ThrottledWork work(&throttle_);
    open(entry, path);
    entry.status = status;
  } catch (const base::Error&) {  // no image, or one that is being created
    if (!fs::exists(path)) entry.image = nullptr;
  }
  const auto end = Clock::now();
  entry.next_check = std::max(entry.next_check, end + kRestPerRead * (end - now));
}

void ImageList::close_old_ones() {
  std::vector<Entry*> open;
  for (Entry& entry : entries_) {
    if (entry.image) open.push_back(&entry);
  }
  if (open.size() <= kMaxOpen) return;
  std::ranges::sort(open, std::greater{}, &Entry::last_use);
  for (std::size_t i = kMaxOpen; i < open.size(); ++i) {
    open[i]->image = nullptr;
    open[i]->file = nullptr;
  }
}

ListedImage ImageList::listed(std::size_t id) {
  Entry& entry = entries_[id];
  refresh(entry);
  return {.id = static_cast<int>(id), .name = entry.name, .image = entry.image};
}

void ImageList::for_each(const std::function<void(const ListedImage&)>& use) {
  const std::scoped_lock lock(mutex_);
  if (Clock::now() >= next_scan_) find_files();
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    if (const ListedImage image = listed(id); image.image) use(image);
    close_old_ones();
  }
}

ListedImage ImageList::at(std::int64_t id) {
  const std::scoped_lock lock(mutex_);
  if (id < 0 || id >= std::ssize(entries_)) throw HttpError(404, "there is no such image");
  ListedImage image = listed(static_cast<std::size_t>(id));
  if (!image.image) throw HttpError(404, image.name + ": there is no such image any more");
  close_old_ones();
  return image;
}

}  // namespace tessera::view
