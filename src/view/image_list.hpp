// The images that the viewer may show: the named files, and those of the named folders.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "view/cpu_throttle.hpp"
#include "view/open_image.hpp"

namespace tessera::view {

/// An image of the list.
struct ListedImage {
  int id = 0;
  /// Of the finished file, without folders; with as many as tell files of one name apart.
  std::string name;
  std::shared_ptr<const OpenImage> image;
};

/// Any thread may use it. No request can name a path: an image is its index in this list, which it
/// keeps.
class ImageList {
 public:
  /// Throws a missing error for a path that does not exist, and the errors of OpenImage for a named
  /// file. `expected`: files that need not exist yet. Images of more than `max_tiles` in folders
  /// are left out. Files that grow are read again as `throttle` permits.
  ImageList(const std::vector<std::string>& paths, const std::vector<std::string>& expected,
            std::int64_t max_tiles, CpuThrottle& throttle);

  /// Looks for new files first, then calls use(image) for each image. Few of them stay open.
  void for_each(const std::function<void(const ListedImage&)>& use);
  /// The image in a state that is at most a second old. Throws HttpError 404 for an unknown id.
  ListedImage at(std::int64_t id);

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::string path;    ///< path of the finished file
    std::string name{};  ///< as in ListedImage
    std::shared_ptr<LiveFile> file;
    base::FileIdentity identity;  ///< identity of the file
    std::shared_ptr<const OpenImage> image;
    std::string status;  ///< of the file when it was opened (base::describe_status)
    Clock::time_point next_check;
    Clock::time_point last_use;
  };
  void find_files();
  void add(const std::string& file);
  void name_all();
  void open(Entry& entry, const std::string& path);
  void refresh(Entry& entry);
  void close_old_ones();
  ListedImage listed(std::size_t id);

  std::int64_t max_tiles_;
  CpuThrottle& throttle_;
  std::mutex mutex_;
  std::vector<std::string> folders_;
  std::vector<Entry> entries_;
  std::map<std::filesystem::path, std::size_t> ids_;  ///< by absolute path
  Clock::time_point next_scan_;
};

}  // namespace tessera::view
