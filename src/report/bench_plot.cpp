#include <fmt/format.h>

#include "base/text.hpp"
#include "report/bench_printers.hpp"
#include "report/log_plot.hpp"

namespace tessera::report {

namespace {

constexpr double kMargin = 16;
constexpr double kKeyHeight = 19;
constexpr std::size_t kColumns = 2;

/// The label of a power of ten: "1 µs", "10 ms", "100 s".
std::string time_label(double seconds) {
  if (seconds < 0.9e-6) return fmt::format("{:g} µs", seconds * 1e6);
  if (seconds < 0.9e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 0.9) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.0f} s", seconds);
}

/// "500", "10 k", "1.5 M"
std::string count_label(double count) {
  if (count < 1e4) return fmt::format("{:g}", count);
  if (count < 1e6) return fmt::format("{:g} k", count * 1e-3);
  if (count < 1e9) return fmt::format("{:g} M", count * 1e-6);
  return fmt::format("{:g} G", count * 1e-9);
}

std::string plain_label(double value) {
  return fmt::format("{:g}", value);
}

/// Axes of a panel over the measured `sizes`, with a little room at both ends.
template <class Size>
void set_x_axis(PlotPanel& panel, const std::vector<Size>& sizes, std::string (*label)(double)) {
  constexpr double kRoom = 1.15;
  for (const Size size : sizes) panel.x_ticks.push_back(static_cast<double>(size));
  panel.x = {panel.x_ticks.front() / kRoom, panel.x_ticks.back() * kRoom};
  panel.x_label = label;
}

std::vector<PlotSeries> render_series(const BenchReport& bench, std::uint32_t iterations) {
  std::vector<PlotSeries> all;
  for (std::size_t look = 0; look < bench.devices.size(); ++look) {
    const std::string& name = bench.devices[look].name;
    PlotSeries first{name + ", first call", look, true, {}};
    PlotSeries later{name + ", later calls", look, false, {}};
    for (const std::int64_t side_px : sides_of(bench)) {
      const RenderCase* const render = find_render(bench, name, side_px, iterations);
      if (render == nullptr) continue;
      first.points.push_back({static_cast<double>(side_px), render->times.first_s});
      later.points.push_back({static_cast<double>(side_px), render->times.median_s()});
    }
    if (first.points.empty()) continue;
    all.push_back(std::move(first));
    all.push_back(std::move(later));
  }
  return all;
}

std::vector<PlotSeries> array_series(const BenchReport& bench, ArrayWork work) {
  std::vector<PlotSeries> all;
  for (std::size_t look = 0; look < bench.devices.size(); ++look) {
    const std::string& name = bench.devices[look].name;
    PlotSeries series{fmt::format("{}, {}", name, title_of(work)), look, false, {}};
    for (const ArrayCase& array : bench.arrays) {
      if (array.work != work || array.device != name) continue;
      series.points.push_back({static_cast<double>(array.elements), array.bytes_per_s() * 1e-9});
    }
    if (!series.points.empty()) all.push_back(std::move(series));
  }
  return all;
}

/// Gives all panels the same y axis, so that they can be compared.
void share_y_axis(std::vector<PlotPanel>& panels) {
  std::vector<PlotSeries> all;
  for (const PlotPanel& panel : panels) {
    all.insert(all.end(), panel.series.begin(), panel.series.end());
  }
  for (PlotPanel& panel : panels) panel.y = decades(all);
}

std::vector<PlotPanel> render_panels(const BenchReport& bench) {
  std::vector<PlotPanel> panels;
  for (const std::uint32_t iterations : iterations_of(bench)) {
    PlotPanel panel{.title = fmt::format("Mandelbrot, {}", base::count_of(iterations, "iteration")),
                    .x_title = "side of the picture in pixels",
                    .y_title = "time of a picture",
                    .y_label = time_label,
                    .series = render_series(bench, iterations)};
    set_x_axis(panel, sides_of(bench), plain_label);
    panels.push_back(std::move(panel));
  }
  share_y_axis(panels);
  return panels;
}

std::vector<PlotPanel> array_panels(const BenchReport& bench) {
  std::vector<PlotPanel> panels;
  if (bench.arrays.empty()) return panels;
  for (const ArrayWork work : kArrayWork) {
    PlotPanel panel{.title = fmt::format("{}, arrays of f64", title_of(work)),
                    .x_title = "elements",
                    .y_title = "GB/s, later calls",
                    .y_label = plain_label,
                    .series = array_series(bench, work)};
    set_x_axis(panel, elements_of(bench), count_label);
    panels.push_back(std::move(panel));
  }
  share_y_axis(panels);
  return panels;
}

/// Title and a line for each device; moves `top` below it.
std::string draw_head(const BenchReport& bench, double& top) {
  std::string svg = draw_text(fmt::format("tessera bench {} on {}", bench.version, bench.host),
                              kMargin, top + 16, 16, Anchor::start, true);
  top += 38;
  for (std::size_t look = 0; look < bench.devices.size(); ++look) {
    const BenchDevice& device = bench.devices[look];
    svg += draw_key(look, false, fmt::format("{}: {}", device.name, device.detail), kMargin, top);
    top += kKeyHeight;
  }
  svg += draw_text(
      "solid: later calls, their median; dashed: first call, with opening the device "
      "and compiling for it",
      kMargin, top + 4, 12);
  top += kKeyHeight;
  return svg;
}

/// Draws the panels in rows of kColumns; moves `top` below them.
std::string draw_panels(const std::vector<PlotPanel>& panels, double& top) {
  std::string svg;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t column = i % kColumns;
    svg += draw_panel(panels[i], kMargin + static_cast<double>(column) * kPanelWidth, top);
    if (column + 1 == kColumns || i + 1 == panels.size()) top += kPanelHeight;
  }
  return svg;
}

}  // namespace

std::string to_svg(const BenchReport& bench) {
  double top = kMargin;
  std::string svg = draw_head(bench, top);
  svg += draw_panels(render_panels(bench), top);
  svg += draw_panels(array_panels(bench), top);
  return svg_document(2 * kMargin + kColumns * kPanelWidth, top + kMargin,
                      "tessera bench: a plot of what it measured", "what tessera bench measured",
                      svg);
}

}  // namespace tessera::report
