// The files of a page while they are made: in a folder inside OUT, so that the page that is there
// stays as it is until the new one is whole, and OUT may be any folder, or a file system of its
// own.
#pragma once

#include <filesystem>

#include "base/file/unfinished_folder.hpp"
#include "job/image/publish_job.hpp"

namespace tessera::view {

/// One of the two is what a page has its pictures in.
inline constexpr const char* kTilesFolder = "tiles";
inline constexpr const char* kArchive = "image.pmtiles";
/// With it, a page is complete.
inline constexpr const char* kFacts = "image.json";

class NewPage {
 public:
  /// Makes the folder job.output if there is none. Throws a usage error if it has other files, a
  /// page that may not be replaced, or the image in it, and if another run makes a page there.
  explicit NewPage(const job::PublishJob& job);

  /// Where its files are put.
  const std::filesystem::path& folder() const { return folder_; }
  /// Its files take the places of those of the page that is there.
  void finish();

 private:
  /// OUT; one that was made goes with the files of a page that was not finished.
  struct Out {
    explicit Out(std::filesystem::path folder);
    ~Out();
    Out(const Out&) = delete;
    Out& operator=(const Out&) = delete;
    std::filesystem::path path;
    bool made = false;
  };

  Out out_;
  base::UnfinishedFile lock_;
  base::UnfinishedFolder unfinished_;
  std::filesystem::path folder_;
};

}  // namespace tessera::view
