// Line charts with logarithmic axes as SVG text, for any data.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tessera::report {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotSeries {
  std::string name;               ///< tooltip of the line
  std::size_t look = 0;           ///< number of a combination of colour and marker
  bool dashed = false;            ///< dashed line and hollow markers
  std::vector<PlotPoint> points;  ///< ascending x; points that are not above 0 are left out
};

/// Both ends are greater than 0.
struct PlotRange {
  double low = 1;
  double high = 10;
};

struct PlotPanel {
  std::string title;
  std::string x_title;
  std::string y_title;
  PlotRange x;
  PlotRange y;                  ///< ends at powers of ten; see decades()
  std::vector<double> x_ticks;  ///< a label that would touch the previous one is left out
  std::function<std::string(double)> x_label;
  std::function<std::string(double)> y_label;  ///< labels of powers of ten
  std::vector<PlotSeries> series;
};

/// Size of a panel with its titles and labels.
inline constexpr double kPanelWidth = 470;
inline constexpr double kPanelHeight = 330;

/// The smallest range of whole powers of ten that contains all points, at least one decade.
PlotRange decades(const std::vector<PlotSeries>& series);

/// SVG elements of a panel whose top left corner is at (left, top).
std::string draw_panel(const PlotPanel& panel, double left, double top);
/// The line and the marker of a look, 26 wide, and `text` beside it.
std::string draw_key(std::size_t look, bool dashed, const std::string& text, double left,
                     double middle);
enum class Anchor { start, middle, end };
std::string draw_text(const std::string& text, double x, double y, int size,
                      Anchor anchor = Anchor::start, bool bold = false);
/// The complete SVG document: `elements` on a white background. `comment` is its second line.
std::string svg_document(double width, double height, const std::string& comment,
                         const std::string& title, const std::string& elements);

}  // namespace tessera::report
