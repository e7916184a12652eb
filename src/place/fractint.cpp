// .par of Fractint and Iterated Dynamics.
#include <fmt/format.h>

#include "base/text.hpp"
#include "place/entries.hpp"
#include "place/formats.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

using plane::ExactMatrix;
using plane::Real;

/// Its screens are 4:3, whatever their pixels; only there are these square.
constexpr base::ImageSize kScreen{1280, 960};

/// A number of "A/B/C", or `otherwise`.
std::string part(const Source& source, std::string_view key, const std::vector<std::string>& parts,
                 std::size_t index, std::string_view otherwise) {
  return decimal(source, key, index < parts.size() ? std::string_view(parts[index]) : otherwise);
}

/// What Fractint has and no option of ours means.
void check_neutral(const Source& source, const Values& values) {
  const std::string type = value_or(values, "type", "mandel");
  if (type != "mandel") {
    refuse(source, fmt::format("its type={} is not rendered here; only type=mandel is", type));
  }
  const std::string test = value_or(values, "bailoutest", "mod");
  if (test != "mod") refuse(source, fmt::format("its bailoutest={} counts otherwise", test));
  for (const std::string_view key : {"invert", "biomorph", "decomp"}) {
    if (values.contains(key)) refuse(source, fmt::format("its {}= is not rendered here", key));
  }
  for (const std::string& value : base::split(value_or(values, "params", ""), '/')) {
    if (!value.empty() && !Real(decimal(source, "params", value)).is_zero()) {
      refuse(source, "its params= perturb z, which is not rendered here");
    }
  }
}

struct View {
  std::string re, im;
  ExactMatrix
      extents;  ///< columns: from the left edge to the right one, from the lower to the upper
};

/// X/Y/Mag[/Xmag/Rotation/Skew].
View by_magnification(const Source& source, const std::string& text) {
  const std::vector<std::string> parts = base::split(text, '/');
  const auto number = [&](std::size_t index, std::string_view otherwise) {
    return part(source, "center-mag", parts, index, otherwise);
  };
  const Real magnification(number(2, "1"));
  const Real more(number(3, "1"));
  if (magnification.sign() <= 0 || more.sign() == 0) refuse(source, "its center-mag has no size");
  const Real height = Real(2) / magnification;
  const Real skew(number(5, "0"));
  const Real tangent = sin_of_degrees(skew) / cos_of_degrees(skew);
  constexpr double kScreenAspect = 0.75;
  const ExactMatrix upright{
      .a = height / (Real(kScreenAspect) * more), .b = height * tangent, .c = 0, .d = height};
  return {number(0, "0"), number(1, "0"), plane::rotation(-Real(number(4, "0"))) * upright};
}

/// xmin/xmax/ymin/ymax[/x3rd/y3rd]; the third corner is the lower left one.
View by_corners(const Source& source, const std::string& text) {
  const std::vector<std::string> parts = base::split(text, '/');
  constexpr std::size_t kCorners = 4;
  if (parts.size() < kCorners) refuse(source, "its corners= are less than four numbers");
  const auto corner = [&](std::size_t index, std::size_t otherwise) {
    return part(source, "corners", parts, index, parts[otherwise]);
  };
  const std::string left = corner(0, 0), right = corner(1, 1);
  const std::string low = corner(2, 2), high = corner(3, 3);
  const std::string third_re = corner(4, 0), third_im = corner(5, 2);
  const auto side = [](const std::string& from, const std::string& to) {
    return Real(plane::distance(from, to));
  };
  return {plane::middle(left, right),
          plane::middle(low, high),
          {.a = side(third_re, right),
           .b = side(third_re, left),
           .c = side(third_im, low),
           .d = side(third_im, high)}};
}

/// The later one of the two ways to say it counts.
View view_of(const Source& source, const Values& values, std::string_view text) {
  const auto place_of = [&](std::string_view key) {
    return text.rfind(fmt::format(" {}=", key)) + 1;  // 0 = none
  };
  if (place_of("center-mag") > place_of("corners")) {
    return by_magnification(source, values.at("center-mag"));
  }
  return by_corners(source, value_or(values, "corners", "-2.5/1.5/-1.5/1.5"));
}

}  // namespace

bool is_fractint(std::string_view given) {
  const std::string text = lower(given);
  const bool named = text.find("center-mag=") != text.npos || text.find("corners=") != text.npos ||
                     text.find("type=") != text.npos;
  return named && text.find('{') != text.npos;
}

Place read_fractint(const Source& source) {
  const Entry entry = entry_of(source);
  // It reads keys and values in letters of any case.
  const std::string text = " " + lower(entry.text);
  const Values values = words_of(text, Twice::last_counts);
  check_neutral(source, values);
  const View view = view_of(source, values, text);
  Place place{.entry = entry.name,
              .center_re = view.re,
              .center_im = view.im,
              .iterations = count(source, "maxiter", value_or(values, "maxiter", "150")),
              .size = kScreen};
  const ExactMatrix steps{.a = view.extents.a / Real(double(kScreen.width)),
                          .b = view.extents.b / Real(double(kScreen.height)),
                          .c = view.extents.c / Real(double(kScreen.width)),
                          .d = view.extents.d / Real(double(kScreen.height))};
  Real step = 1;
  place.matrix = rounded(steps, &step);
  place.height = plane::decimal_of(step * Real(double(kScreen.height)));
  const Real bailout(decimal_value(source, values, "bailout", "4"));
  place.bailout = bailout.sign() > 0 ? plane::decimal_of(sqrt(bailout), 17) : "2";
  place.notes.emplace_back("a screen of 4:3");
  if (values.contains("colors")) place.left_out.emplace_back("colours");
  return place;
}

}  // namespace tessera::place
