#include "post/color/overview.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "post/color/color.hpp"
#include "store/image/formats.hpp"

namespace tessera::post {
namespace {

int scale_of(const std::string& input, const base::ImageSize& most_px) {
  const base::ImageSize all = store::open_image(input)->header().size_px;
  const auto parts = [](std::int64_t side, std::int64_t most) { return (side + most - 1) / most; };
  const std::int64_t scale =
      std::max(parts(all.width, most_px.width), parts(all.height, most_px.height));
  return static_cast<int>(std::min({scale, all.width, all.height}));
}

/// A folder of this process alone, removed at the end.
struct TemporaryFolder {
  std::string path = (std::filesystem::temp_directory_path() / "tessera-XXXXXX").string();

  TemporaryFolder() {
    if (::mkdtemp(path.data()) == nullptr) {
      throw base::run_error("{}: cannot make this folder: {}", path, std::strerror(errno));
    }
  }
  ~TemporaryFolder() {
    std::error_code gone;
    std::filesystem::remove_all(path, gone);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace

std::string overview_png(comm::World& world, const std::string& input, job::ColorJob job,
                         const base::ImageSize& most_px) {
  job.input = input;
  job.quiet = true;
  job.overwrite = true;
  job.trace = job.report_html = "";
  std::optional<TemporaryFolder> folder;
  comm::agree(world, [&] {
    if (world.is_root()) job.output = folder.emplace().path + "/overview.png";
    if (world.is_root()) job.scale = scale_of(input, most_px);
  });
  job.scale = comm::broadcast_value(world, job.scale);
  color_file(world, job);
  if (!world.is_root()) return "";
  std::ifstream file(job.output, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tessera::post
