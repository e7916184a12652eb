#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/bench_printers.hpp"
#include "report/log_plot.hpp"
#include "sample_bench.hpp"

namespace tessera::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Every tag is closed in order, outside of tags there is neither "<" nor a bare "&".
void expect_well_formed(const std::string& xml) {
  ASSERT_TRUE(xml.starts_with("<?xml"));
  std::vector<std::string> open;
  for (auto at = xml.find('<', 1); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::string tag = xml.substr(at + 1, xml.find('>', at) - at - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    ASSERT_EQ(std::ranges::count(tag, '"') % 2, 0) << tag;
    if (tag.ends_with('/') || tag.starts_with("!--")) continue;
    const std::string name = tag.substr(0, tag.find(' '));
    if (!name.starts_with('/')) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    EXPECT_EQ("/" + open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
  for (auto at = xml.find('&'); at != std::string::npos; at = xml.find('&', at + 1)) {
    EXPECT_LE(xml.find(';', at) - at, 5U) << xml.substr(at, 20);
  }
}

TEST(BenchPlot, is_well_formed_and_has_every_series) {
  const std::string svg = to_svg(sample_bench());
  expect_well_formed(svg);
  for (const char* name :
       {"<title>cpu, first call</title>", "<title>cpu, later calls</title>",
        "<title>cuda:0, first call</title>", "<title>cuda:0, later calls</title>",
        "<title>cuda:0, vector add</title>", "<title>cpu, sum</title>",
        "<title>cuda:0, copy to the device</title>", "<title>cuda:0, copy from the device</title>",
        "Mandelbrot, 1000 iterations", "NVIDIA &lt;H200&gt; &amp; more"}) {
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(count(svg, "<polyline"), 2U * 2 + 4 * 2);
  for (const char* wrong : {"nan", "inf", "-nan"}) {
    EXPECT_EQ(svg.find(wrong), std::string::npos) << wrong;
  }
}

TEST(BenchPlot, is_drawn_without_pictures_arrays_or_later_calls) {
  BenchReport bench = sample_bench();
  bench.arrays.clear();
  for (RenderCase& render : bench.renders) render.times.later_s.clear();
  expect_well_formed(to_svg(bench));
  bench.renders.clear();
  expect_well_formed(to_svg(bench));
  expect_well_formed(to_svg(BenchReport{}));
}

TEST(BenchPlot, takes_one_size_and_any_bytes_in_a_name) {
  BenchReport bench = sample_bench();
  bench.renders = {sample_render("cpu", 500, 1, 1)};
  bench.devices[0].detail = "\x80\xFF\n\"quoted\"";
  const std::string svg = to_svg(bench);
  expect_well_formed(svg);
  EXPECT_EQ(svg.find('\x80'), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LogPlot, axes_end_at_powers_of_ten) {
  const PlotRange range = decades({{"a", 0, false, {{1, 0.03}, {2, 5}, {3, 0}}}});
  EXPECT_DOUBLE_EQ(range.low, 0.01);
  EXPECT_DOUBLE_EQ(range.high, 10);
  const PlotRange one = decades({{"a", 0, false, {{1, 10}}}});
  EXPECT_DOUBLE_EQ(one.low, 10);
  EXPECT_DOUBLE_EQ(one.high, 100);
}

TEST(LogPlot, leaves_out_labels_that_would_touch) {
  PlotPanel panel{.x = {1, 1000},
                  .x_ticks = {100, 100.5, 101, 900},
                  .x_label = [](double x) { return fmt::format("x{:.0f}", x); },
                  .y_label = [](double) { return std::string("y"); }};
  const std::string svg = draw_panel(panel, 0, 0);
  EXPECT_EQ(count(svg, ">x10"), 1U);
  EXPECT_EQ(count(svg, ">x900"), 1U);
}

}  // namespace
}  // namespace tessera::report
