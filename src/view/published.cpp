#include "view/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "base/thread_team.hpp"
#include "job/image/coloring.hpp"
#include "job/image/resolution.hpp"
#include "job/memory.hpp"
#include "post/color/picture.hpp"
#include "report/json_parts.hpp"
#include "store/picture/pmtiles.hpp"
#include "view/histograms.hpp"
#include "view/http/assets.hpp"
#include "view/image_json.hpp"
#include "view/live_file.hpp"
#include "view/look_scales.hpp"
#include "view/new_page.hpp"
#include "view/pyramids.hpp"
#include "view/tile_image.hpp"

namespace tessera::view {
namespace {

namespace fs = std::filesystem;

// crossed by: test_many_pictures_are_one_file
constexpr std::int64_t kMaxFiles = 20000;
constexpr std::size_t kAtATime = 256;  ///< pictures between two writes
/// What the page needs of the viewer's.
constexpr auto kAssets = std::to_array<std::string_view>(
    {"published.js", "api.js", "dom.js", "keys.js", "map.js", "pmtiles.js", "theme.js",
     "zoom_bar.js", "app.css", "leaflet/leaflet.js", "leaflet/leaflet.css"});

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  base::PosixFile file(path.string());
  file.write(bytes);
  file.close();
}

void write_text(const fs::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text)));
}

/// A picture's place: zoom 0 is the whole image in one picture.
struct Place {
  int zoom = 0;
  std::int64_t x = 0, y = 0;
  std::uint64_t number = 0;  ///< as PMTiles has it
};

/// An image with all that its pictures need.
class Pictures {
 public:
  Pictures(const job::PublishJob& job, int threads)
      : memory_bytes_(job.memory_bytes - std::min(job.memory_bytes, job::kProgramBytes)),
        image_(std::make_shared<OpenImage>(std::make_shared<LiveFile>(job.input),
                                           static_cast<std::int64_t>(memory_bytes_ / 64))),
        look_(job),
        tiles_(static_cast<std::size_t>(memory_bytes_ / 2)),
        pyramids_(threads, memory_bytes_ / 4, job.cache, throttle_) {
    post::palette_of(look_);
    look_.equalize_auto = job.equalize_auto;
    job::settle_colors(look_, job::is_beyond_f64(image_->job()));
    look_.field = job::field_name(image_->field(look_.field));
    if (look_.distance > 0 && !image_->has(job::Field::distance)) {
      throw base::usage_error("--distance: {} has no distances", job.input);
    }
    if (look_.light && !image_->has(job::Field::gradient_x)) {
      throw base::usage_error("--light: {} has no gradient", job.input);
    }
    if (!image_->complete()) {
      base::log("tessera: {}: is not complete; what is missing is transparent", job.input);
    }
  }

  /// Makes what the pictures are made from. Takes time.
  void prepare() {
    const job::Field field = image_->field(look_.field);
    scales_ = {*image_, look_, [&](job::Field one) { return build(one); }};
    if (look_.equalize) histogram_ = Histograms(tiles_).of(*image_, field);
  }

  const OpenImage& image() const { return *image_; }
  int levels() const { return levels_of(image_->grid().size_px); }
  std::int64_t count() const {
    std::int64_t count = 0;
    for (int level = 0; level < levels(); ++level) {
      count += tiles_at(image_->grid().size_px, level).pixels();
    }
    return count;
  }
  base::Bytes png(const Place& place) {
    return tiles_.png(*image_, scales_.scales(), {levels() - 1 - place.zoom, place.x, place.y},
                      look_, histogram_.get());
  }
  /// Calls visit() with all places, in the order of their numbers.
  void for_each(const std::function<void(const Place&)>& visit) const {
    for (int zoom = 0; zoom < levels(); ++zoom) {
      const base::ImageSize grid = tiles_at(image_->grid().size_px, levels() - 1 - zoom);
      visit_square(zoom, zoom, 0, grid, visit);
    }
  }

 private:
  /// The 4^order places from `index` on, which are a square, without those beside the image.
  static void visit_square(int zoom, int order, std::uint64_t index, const base::ImageSize& grid,
                           const std::function<void(const Place&)>& visit) {
    const store::PmtilesPlace at = store::pmtiles_place(zoom, index);
    const auto begin = [order](std::int64_t place) { return place >> order << order; };
    if (begin(at.x) >= grid.width || begin(at.y) >= grid.height) return;
    if (order == 0) {
      return visit({zoom, at.x, at.y, store::pmtiles_number(zoom, 0, 0) + index});
    }
    for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
      visit_square(zoom, order - 1, index + (quarter << (2 * (order - 1))), grid, visit);
    }
  }

  std::shared_ptr<Pyramid> build(job::Field field) {
    auto pyramid = pyramids_.of(image_, field);
    while (pyramid && !pyramid->built()) {
      base::throw_if_stopped("publish");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      pyramid = pyramids_.of(image_, field);
      if (!pyramid) throw base::run_error("{}: its smaller scales cannot be made", image_->path());
    }
    return pyramid;
  }

  std::uint64_t memory_bytes_;
  std::shared_ptr<const OpenImage> image_;
  job::ColorJob look_;
  CpuThrottle throttle_;
  TileImages tiles_;
  Pyramids pyramids_;
  LookScales scales_;
  std::shared_ptr<const Histogram> histogram_;
};

/// Makes all pictures with all threads, and gives them to put() in their order.
void make_all(Pictures& pictures, int threads,
              const std::function<void(const Place&, const base::Bytes&)>& put) {
  base::ThreadTeam team(threads);
  const std::unique_ptr<base::StatusLine> line = base::status_line(false);
  const std::int64_t all = pictures.count();
  std::int64_t done = 0;
  std::vector<Place> places;
  std::vector<base::Bytes> made;
  const auto flush = [&] {
    base::throw_if_stopped("publish");
    made.assign(places.size(), {});
    std::atomic<std::size_t> next{0};
    team.run(team.size(), [&](int) {
      for (std::size_t i = next++; i < places.size(); i = next++) made[i] = pictures.png(places[i]);
    });
    for (std::size_t i = 0; i < places.size(); ++i) put(places[i], made[i]);
    done += std::ssize(places);
    line->count("publish", done, all);
    if (line->due()) line->show(fmt::format("publish: {} of {} pictures", done, all));
    places.clear();
  };
  pictures.for_each([&](const Place& place) {
    places.push_back(place);
    if (places.size() == kAtATime) flush();
  });
  flush();
}

Published put_in_folder(Pictures& pictures, const fs::path& folder, int threads) {
  Published published{.tiles = kTilesFolder};
  make_all(pictures, threads, [&](const Place& place, const base::Bytes& png) {
    write_file(folder / kTilesFolder / fmt::format("{}/{}/{}.png", place.zoom, place.x, place.y),
               png);
    ++published.pictures;
    published.bytes += png.size();
  });
  published.stored = published.pictures;
  return published;
}

Published put_in_file(Pictures& pictures, const job::PublishJob& job, const fs::path& folder,
                      int threads) {
  Published published{.tiles = kArchive};
  const report::Json metadata = {{"name", fs::path(job.input).filename().string()},
                                 {"generator", "tessera"}};
  store::PmtilesWriter writer((folder / kArchive).string(), pictures.levels(), metadata.dump(),
                              base::Replace::nothing);
  make_all(pictures, threads, [&](const Place& place, const base::Bytes& png) {
    writer.put(place.number, png);
    ++published.pictures;
  });
  writer.finish();
  published.stored = static_cast<std::int64_t>(writer.stored());
  published.bytes = writer.size_bytes();
  return published;
}

void write_page(const fs::path& folder) {
  write_text(folder / "index.html", find_asset("published.html")->text);
  for (const std::string_view name : kAssets) {
    fs::create_directories((folder / name).parent_path());
    write_text(folder / name, find_asset(name)->text);
  }
}

void write_facts(const Pictures& pictures, const job::PublishJob& job, const fs::path& folder,
                 const Published& published) {
  const OpenImage& image = pictures.image();
  report::Json facts = image_json(
      {0, fs::path(job.input).filename().string(),
       std::make_shared<OpenImage>(std::make_shared<LiveFile>(job.input), image.grid().count())});
  for (const char* const key : {"id", "version", "tiles_done"}) facts.erase(key);
  facts["levels"] = pictures.levels();
  facts["tiles"] = published.tiles;
  const std::string text = facts.dump(1, ' ', false, report::Json::error_handler_t::replace);
  write_text(folder / kFacts, text);
}

}  // namespace

Published publish(const job::PublishJob& job, int threads) {
  check_pages("tessera publish");
  Pictures pictures(job, threads);
  NewPage page(job);
  pictures.prepare();
  write_page(page.folder());
  const bool many = pictures.count() > kMaxFiles;
  const bool is_file = job.tiles == job::PublishJob::Tiles::file ||
                       (job.tiles == job::PublishJob::Tiles::chosen && many);
  Published published = is_file ? put_in_file(pictures, job, page.folder(), threads)
                                : put_in_folder(pictures, page.folder(), threads);
  write_facts(pictures, job, page.folder(), published);
  page.finish();
  return published;
}

}  // namespace tessera::view
