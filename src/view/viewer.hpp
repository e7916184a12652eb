// Answers the requests of the page. docs/viewer.md lists them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/json_parts.hpp"
#include "view/histograms.hpp"
#include "view/http/access.hpp"
#include "view/http/http.hpp"
#include "view/http/router.hpp"
#include "view/http/work_gate.hpp"
#include "view/image_list.hpp"
#include "view/look.hpp"
#include "view/pyramids.hpp"
#include "view/region.hpp"
#include "view/tile_image.hpp"

namespace tessera::view {

struct ViewerSpec {
  std::vector<std::string> paths;       ///< files and folders
  std::vector<std::string> expected{};  ///< files that need not exist yet
  int threads = 1;                      ///< requests in work at a time
  int max_waiting = 256;                ///< requests in the queue
  std::size_t cache_bytes = 0;          ///< bytes of decoded chunks
  std::string cache;                    ///< folder of pyramids that cannot lie beside their images
  std::uint64_t memory_bytes = 0;       ///< for `color`, which makes pictures of regions
  PaletteFiles palettes{};              ///< beside the built-in ones
  std::string token;                    ///< token that every request needs; "" = none is needed
  std::vector<Route> routes{};          ///< before those of the viewer
  report::Json facts = report::Json::object();  ///< added to the list of images
};

/// Any thread may use it.
class Viewer {
 public:
  /// Throws the errors of ImageList.
  explicit Viewer(const ViewerSpec& spec);

  HttpAnswer answer(const HttpRequest& request);

 private:
  std::vector<Route> routes();
  HttpAnswer dispatch(const HttpRequest& request);
  HttpAnswer asset(const Asked& asked);
  HttpAnswer list(const Asked& asked);
  HttpAnswer image(const Asked& asked);
  HttpAnswer pixel(const Asked& asked);
  HttpAnswer map(const Asked& asked);
  HttpAnswer palettes(const Asked& asked);
  HttpAnswer region_png(const Asked& asked);
  HttpAnswer region_toml(const Asked& asked);
  HttpAnswer region_text(const Asked& asked);
  HttpAnswer tile(const Asked& asked);
  /// Null if the look does not need it.
  std::shared_ptr<const Histogram> histogram_of(const OpenImage& image, const job::ColorJob& look);

  Access access_;
  Router router_;
  report::Json facts_;
  PaletteFiles palettes_;
  CpuThrottle throttle_;
  ImageList images_;
  std::uint64_t memory_bytes_;
  int threads_;
  TileImages tiles_;
  Histograms histograms_;
  Pyramids pyramids_;
  WorkGate gate_;
  WorkGate region_gate_;
};

}  // namespace tessera::view
