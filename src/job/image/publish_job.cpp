#include "job/image/publish_job.hpp"

#include "base/error.hpp"
#include "job/image/coloring.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {
namespace {

using Tiles = PublishJob::Tiles;

void set_tiles(PublishJob& job, std::string_view text, std::string_view what) {
  if (text == "auto") {
    job.tiles = Tiles::chosen;
  } else if (text == "folder") {
    job.tiles = Tiles::folder;
  } else if (text == "file") {
    job.tiles = Tiles::file;
  } else {
    throw base::usage_error("{}: '{}' is none of auto, folder and file", what, text);
  }
}

std::string tiles_text(const PublishJob& job) {
  if (job.tiles == Tiles::chosen) return "auto";
  return job.tiles == Tiles::folder ? "folder" : "file";
}

}  // namespace

std::span<const Option<PublishJob>> publish_options() {
  static const std::vector<Option<PublishJob>> options = [] {
    std::vector<Option<PublishJob>> all = coloring_options<PublishJob>();
    std::erase_if(all, [](const auto& option) { return option.name == "png-depth"; });
    all.push_back(
        field_option<PublishJob>("iterations or smooth; by default smooth, if the file has it"));
    all.push_back({"tiles", "auto|folder|file",
                   "pictures as files of a folder, for every web server, or in one file (PMTiles), "
                   "for servers that answer range requests; auto is a folder of up to 20000",
                   Scope::output, Kind::text, set_tiles, tiles_text});
    all.push_back(optional_path({"cache", "FOLDER",
                                 "folder for the smaller scales of a file whose folder cannot be "
                                 "written"},
                                &PublishJob::cache));
    all.push_back(run_option<PublishJob>(RunOption::threads));
    all.push_back(run_option<PublishJob>(RunOption::memory));
    all.push_back(
        toggle<PublishJob>({"overwrite", "", "replace the files of an earlier page", Scope::output},
                           &PublishJob::overwrite));
    all.push_back(run_option<PublishJob>(RunOption::quiet));
    return all;
  }();
  return options;
}

}  // namespace tessera::job
