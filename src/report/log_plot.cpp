#include "report/log_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tessera::report {

namespace {

constexpr double kLeft = 68;  ///< margins of a panel, for titles and labels
constexpr double kRight = 18;
constexpr double kTop = 34;
constexpr double kBottom = 52;
constexpr double kPlotWidth = kPanelWidth - kLeft - kRight;
constexpr double kPlotHeight = kPanelHeight - kTop - kBottom;
constexpr double kCharacterWidth = 6.6;  ///< approximately, at font size 11
constexpr int kMaxRuledDecades = 4;      ///< most decades that still get lines at 2 to 9

/// The colours of Okabe and Ito, which are distinguishable with any colour vision. Black is left
/// for text, and their yellow is too pale for a line on white.
constexpr std::array<std::string_view, 7> kColors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                     "#E69F00", "#56B4E9", "#666666"};

/// Printable ASCII with escaped XML characters: the names come from drivers and may be any bytes.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '"') {
      safe += "&quot;";
    } else {
      safe += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  return safe;
}

std::string_view color_of(std::size_t look) {
  return kColors[look % kColors.size()];
}

std::string draw_line(double x1, double y1, double x2, double y2, std::string_view color) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, color);
}

/// A different shape for each look, so that lines are distinguishable without colour.
std::string draw_marker(std::size_t look, bool hollow, double x, double y) {
  constexpr std::array<std::string_view, 5> kShapes = {
      "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-3.6,-3.6h7.2v7.2h-7.2z", "M0,-4.8l4.6,8h-9.2z",
      "M0,-5l5,5l-5,5l-5,-5z", "M0,4.8l4.6,-8h-9.2z"};
  return fmt::format(
      "<path d=\"{}\" transform=\"translate({:.1f},{:.1f})\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"1.4\"/>\n",
      kShapes[look % kShapes.size()], x, y, hollow ? "#FFFFFF" : color_of(look), color_of(look));
}

/// Converts values to positions within a panel.
struct Frame {
  const PlotPanel& panel;
  double left = 0;
  double top = 0;

  static double share(double value, const PlotRange& range) {
    if (range.high <= range.low) return 0.5;
    return std::log(value / range.low) / std::log(range.high / range.low);
  }
  double x(double value) const { return left + kPlotWidth * share(value, panel.x); }
  double y(double value) const { return top + kPlotHeight * (1 - share(value, panel.y)); }
  double right() const { return left + kPlotWidth; }
  double bottom() const { return top + kPlotHeight; }
};

std::string draw_grid(const Frame& frame) {
  std::string svg;
  const PlotRange& range = frame.panel.y;
  const auto first = static_cast<int>(std::lround(std::log10(range.low)));
  const auto last = static_cast<int>(std::lround(std::log10(range.high)));
  for (int power = first; power <= last; ++power) {
    const double value = std::pow(10, power);
    const double y = frame.y(value);
    svg += draw_line(frame.left, y, frame.right(), y, "#CCCCCC");
    svg += draw_text(frame.panel.y_label(value), frame.left - 6, y + 4, 11, Anchor::end);
    const bool crowded = last - first > kMaxRuledDecades;
    for (int digit = 2; digit < 10 && power < last && !crowded; ++digit) {
      svg += draw_line(frame.left, frame.y(digit * value), frame.right(), frame.y(digit * value),
                       "#F0F0F0");
    }
  }
  double free_from = frame.left - kLeft;
  for (const double value : frame.panel.x_ticks) {
    const double x = frame.x(value);
    svg += draw_line(x, frame.top, x, frame.bottom() + 4, "#DDDDDD");
    const std::string label = frame.panel.x_label(value);
    const double half = kCharacterWidth * static_cast<double>(label.size()) / 2;
    if (x - half < free_from) continue;
    free_from = x + half + kCharacterWidth;
    svg += draw_text(label, x, frame.bottom() + 17, 11, Anchor::middle);
  }
  return svg;
}

std::string draw_series(const Frame& frame, const PlotSeries& series) {
  std::string path;
  std::string markers;
  for (const PlotPoint& point : series.points) {
    if (!(point.x > 0 && point.y > 0)) continue;
    const double x = frame.x(point.x);
    const double y = frame.y(point.y);
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x, y);
    markers += draw_marker(series.look, series.dashed, x, y);
  }
  return fmt::format(
      "<g>\n<title>{}</title>\n<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
      "stroke-width=\"{}\"{}/>\n{}</g>\n",
      escaped(series.name), path, color_of(series.look), series.dashed ? "1.3" : "2",
      series.dashed ? " stroke-dasharray=\"5,4\"" : "", markers);
}

}  // namespace

PlotRange decades(const std::vector<PlotSeries>& series) {
  bool any = false;
  PlotRange range;
  for (const PlotSeries& one : series) {
    for (const PlotPoint& point : one.points) {
      if (!(point.y > 0)) continue;
      range.low = any ? std::min(range.low, point.y) : point.y;
      range.high = any ? std::max(range.high, point.y) : point.y;
      any = true;
    }
  }
  if (!any) return {};
  const double low = std::floor(std::log10(range.low));
  const double high = std::max(std::ceil(std::log10(range.high)), low + 1);
  return {std::pow(10, low), std::pow(10, high)};
}

std::string draw_panel(const PlotPanel& panel, double left, double top) {
  const Frame frame{panel, left + kLeft, top + kTop};
  std::string svg = draw_text(panel.title, frame.left, top + 20, 14, Anchor::start, true);
  svg += draw_grid(frame);
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#888888\"/>\n",
      frame.left, frame.top, kPlotWidth, kPlotHeight);
  svg += draw_text(panel.x_title, (frame.left + frame.right()) / 2, frame.bottom() + 36, 12,
                   Anchor::middle);
  const double middle = (frame.top + frame.bottom()) / 2;
  svg += fmt::format("<g transform=\"rotate(-90 {0:.1f} {1:.1f})\">\n{2}</g>\n", left + 14, middle,
                     draw_text(panel.y_title, left + 14, middle, 12, Anchor::middle));
  for (const PlotSeries& series : panel.series) svg += draw_series(frame, series);
  return svg;
}

std::string draw_key(std::size_t look, bool dashed, const std::string& text, double left,
                     double middle) {
  std::string svg = fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"2\"{}/>\n",
      left, middle, left + 26, middle, color_of(look), dashed ? " stroke-dasharray=\"5,4\"" : "");
  svg += draw_marker(look, dashed, left + 13, middle);
  return svg + draw_text(text, left + 34, middle + 4, 12);
}

std::string draw_text(const std::string& text, double x, double y, int size, Anchor anchor,
                      bool bold) {
  constexpr std::array<std::string_view, 3> kAnchors = {"start", "middle", "end"};
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
      size, kAnchors[static_cast<std::size_t>(anchor)], bold ? " font-weight=\"bold\"" : "",
      escaped(text));
}

std::string svg_document(double width, double height, const std::string& comment,
                         const std::string& title, const std::string& elements) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!-- {4} -->\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" "
      "fill=\"#222222\">\n<title>{2}</title>\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#FFFFFF\"/>\n{3}</svg>\n",
      width, height, escaped(title), elements, comment);
}

}  // namespace tessera::report
