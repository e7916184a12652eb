#include "command/page/run_page.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/file/text_kind.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "command/serve_command.hpp"
#include "plan/tile_grid.hpp"
#include "post/color/overview.hpp"
#include "report/printers.hpp"
#include "store/image/formats.hpp"
#include "view/report_page.hpp"

namespace tessera::command {
namespace {

/// A picture that was there before is shown if it is no larger, since its data is gone.
constexpr std::uint64_t kLargestPicture = 2 << 20;

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string read_small(const std::string& path) {
  std::error_code gone;
  const auto bytes = std::filesystem::file_size(path, gone);
  if (gone || bytes > kLargestPicture) return "";
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void print_run_address(const std::string& command, const std::string& host,
                       const RunServer& server) {
  const std::string path =
      server.token().empty() ? "/run" : fmt::format("/run?token={}", server.token());
  fmt::print(stderr, "{}: progress page: {}\n", command, address_of(server.page(), host, path));
  print_tunnel(server.page(), host, path);
}

void add_picture(report::Json& document, const std::string& png) {
  if (!png.empty()) document["picture"] = view::data_url("image/png", png);
}

/// Collective. The picture on the gather rank; "" of a run that was stopped, whose workers have
/// ended. `overview`: of a picture whose data is gone.
std::string picture_of(comm::World& world, const job::RenderJob& job, bool is_stopped,
                       const std::string& overview) {
  if (is_stopped) return "";
  if (job.picture_only) {
    if (!world.is_root()) return "";
    return overview.empty() ? read_small(job.png) : overview;
  }
  const std::string file = job.share.whole() ? job.output : base::part_path(job.output);
  return post::overview_of(world, job, file);
}

/// The tiles of a file and who made them, as a run that is over.
void recall_tiles(const store::ImageReader& reader, report::LiveRun& live) {
  const plan::TileGrid grid{reader.header().size_px, reader.header().tile_px};
  live.set_grid({grid.columns(), grid.rows(), grid.tile_px, grid.tile_px});
  live.begin("render", "tile", grid.count(), {}, 0);
  std::int64_t tile = 0;
  reader.for_each_tile([&](const store::TileRow& row) {
    const std::int64_t number = tile++;
    if (row.rank < 0) return;
    live.store(number, {.rank = row.rank});
    live.take_time(number,
                   {.rank = row.rank,
                    .start_s = static_cast<float>(row.start_s),
                    .seconds = static_cast<float>(row.compute_s)},
                   row.device);
  });
}

report::Json attributes_json(const store::ImageReader& reader) {
  report::Json json = report::Json::object();
  for (const store::Attribute& attribute : reader.header().attributes) {
    json[attribute.name] = attribute.text;
  }
  return json;
}

}  // namespace

WatchedRun::WatchedRun(comm::World& world, const job::RunSpec& job, const std::string& command,
                       const std::string& title, const std::string& image,
                       const job::Coloring& look) {
  const bool requested = job.serve || !job.report_html.empty();
  if (requested && world.is_root()) {
    live_.emplace(command, name_of_file(title), base::version_and_commit(), world.origin());
  }
  if (!job.serve) return;
  comm::agree(world, [&] {
    if (!live_) return;
    server_.emplace(*live_, image, look, job.serve_listen, job.no_token);
    print_run_address(command, world.host(), *server_);
  });
}

WatchedRun::~WatchedRun() {
  if (live_ && live_->running()) live_->end("stopped");
}

void write_run_page(comm::World& world, const job::RenderJob& job, report::LiveRun* live,
                    const report::RunReport& run, const std::string& overview) {
  const bool is_stopped = comm::broadcast_value(world, !run.state.stopped.empty());
  const std::string png = picture_of(world, job, is_stopped, overview);
  comm::agree(world, [&] {
    if (live == nullptr) return;
    if (run.found_complete && !job.picture_only) {
      recall_tiles(*store::open_image(job.output), *live);
    }
    report::Json document = live->document();
    view::finish_document(document, report::to_document(run), run.ranks, run.in_flight);
    add_picture(document, png);
    report::write_text_file(job.report_html, view::report_page(document),
                            base::of_kind(base::kPage));
  });
}

void write_run_page(const job::RunSpec& job, report::LiveRun& live,
                    const report::ReduceReport& run) {
  report::Json document = live.document();
  view::finish_document(document, report::Json::parse(report::to_json(run)), run.ranks,
                        run.in_flight);
  report::write_text_file(job.report_html, view::report_page(document), base::of_kind(base::kPage));
}

void write_file_page(comm::World& world, const std::string& input, const std::string& output,
                     const report::RunReport& run) {
  const std::string png = post::overview_png(world, input, {}, post::kOverviewPx);
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    const auto reader = store::open_image(input);
    const bool complete = reader->attribute("status") == "complete";
    report::LiveRun live("render", name_of_file(input), run.version, base::Clock::now());
    recall_tiles(*reader, live);
    live.end(complete ? "complete" : "unfinished");
    report::Json document = live.document();
    view::finish_document(document, report::to_document(run), run.ranks, run.in_flight);
    document["timeline"] = live.timeline(run.wall_s);
    document["rates"] = nullptr;
    document["attributes"] = attributes_json(*reader);
    add_picture(document, png);
    report::write_text_file(output, view::report_page(document), base::of_kind(base::kPage));
  });
}

}  // namespace tessera::command
