#include "browse/browser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/bools.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/read_number.hpp"
#include "browse/plane_picture.hpp"
#include "view/answers.hpp"

namespace tessera::browse {
namespace {

using report::Json;
using view::Asked;
using view::HttpAnswer;
using view::HttpError;
using view::parse_number;

/// Time for which blocks are read before the first answer about a plane.
constexpr std::chrono::milliseconds kFirstLook{80};
constexpr std::int64_t kMaxThrough = 1 << 16;  ///< numbers of an answer about a further dimension
constexpr std::size_t kMaxCoordinates = 4096;  ///< in an answer; of longer dimensions every n-th

/// A number with the digits of its type, such as 0.1 of an f4; null if it is none, and a text from
/// 2^53 on: a page would round it.
Json coordinate_json(const store::WrittenScale& scale, std::size_t index) {
  const std::byte* const element = scale.values.data() + index * base::element_bytes(scale.type);
  if (scale.type == base::ElementType::f16) return Json(number_at(scale.type, element));
  return base::with_element_type(scale.type, [&](auto kind) {
    std::memcpy(&kind, element, sizeof(kind));
    if constexpr (std::is_floating_point_v<decltype(kind)>) {
      if (!std::isfinite(kind)) return Json(nullptr);
      return Json(base::read_real(fmt::format("{}", kind)).value());
    } else {
      const bool is_exact = std::abs(static_cast<double>(kind)) < kGreatestExact;
      return is_exact ? Json(kind) : Json(fmt::format("{}", kind));
    }
  });
}

/// A dimension, with every n-th coordinate.
Json dimension_json(std::int64_t length, const Coordinates& coordinates) {
  Json json = {{"name", coordinates.name}, {"length", length}};
  if (!coordinates.has_values()) return json;
  const auto all = static_cast<std::size_t>(length);
  const std::size_t step = (all + kMaxCoordinates - 1) / kMaxCoordinates;
  Json values = Json::array();
  for (std::size_t i = 0; i < all; i += step) {
    values.push_back(coordinate_json(*coordinates.scale, i));
  }
  json["step"] = step;
  json["coordinates"] = std::move(values);
  json["attributes"] = report::texts_json(coordinates.scale->texts);
  return json;
}

Json packed_json(const store::ArrayInfo& info) {
  Json json = Json::array();
  for (const std::string& note : info.notes) json.push_back(note);
  return json;
}

Json array_json(const OpenArray& array) {
  const store::ArrayInfo& info = array.info();
  Json json = {{"type", base::element_code(info.type, info.is_boolean)},
               {"shape", info.shape},
               {"kind", info.kind},
               {"notes", packed_json(info)}};
  for (const auto& [name, text] : array.source().texts()) json["attributes"][name] = text;
  json["dimensions"] = Json::array();
  for (std::size_t d = 0; d < info.shape.size(); ++d) {
    json["dimensions"].push_back(dimension_json(info.shape[d], array.coordinates()[d]));
  }
  return json;
}

/// Percentiles 2 and 98, or the extremes if these are equal.
Json range_of(std::vector<double>& numbers) {
  const auto at = [&](double part) {
    const auto place = static_cast<std::ptrdiff_t>(part * static_cast<double>(numbers.size() - 1));
    std::ranges::nth_element(numbers, numbers.begin() + place);
    return numbers[static_cast<std::size_t>(place)];
  };
  double low = at(0.02);
  double high = at(0.98);
  if (low == high) {
    low = std::ranges::min(numbers);
    high = std::ranges::max(numbers);
  }
  return {{"low", low}, {"high", high}};
}

/// The range of the elements that are there so far, and of those that have a logarithm.
Json range_json(const PlaneScales& scales) {
  std::vector<double> numbers = scales.sample();
  if (numbers.empty()) return {{"low", 0}, {"high", 1}, {"positive", nullptr}};
  Json json = range_of(numbers);
  std::erase_if(numbers, [](double value) { return value <= 0; });
  json["positive"] = numbers.empty() ? Json(nullptr) : range_of(numbers);
  return json;
}

base::PixelRect rect_of(const Asked& asked, const base::ImageSize& size) {
  const auto number = [&](std::string_view name, std::int64_t least, std::int64_t most,
                          std::int64_t usual) {
    const std::string_view text = asked.target.parameter(name);
    return text.empty() ? usual : parse_number(text, name, least, most);
  };
  base::PixelRect rect;
  rect.x = number("x", 0, size.width - 1, 0);
  rect.y = number("y", 0, size.height - 1, 0);
  rect.width = number("width", 1, size.width - rect.x, size.width - rect.x);
  rect.height = number("height", 1, size.height - rect.y, size.height - rect.y);
  return rect;
}

}  // namespace

Browser::Browser(const BrowserSpec& spec)
    : spec_(spec),
      arrays_(list_arrays(spec.inputs), spec.memory_bytes / 4, [this] { scales_.clear(); }),
      scales_(spec.memory_bytes / 4, [](const PlaneScales& scales) { return scales.bytes(); }),
      gate_(spec.threads, spec.max_waiting),
      statistics_gate_(1, spec.max_waiting),
      builder_(spec.threads) {}

std::vector<view::Route> Browser::routes() {
  const auto get = [this](std::vector<std::string_view> path, Member member) {
    return view::Route{"GET", std::move(path),
                       [this, member](const Asked& asked) { return answer(member, asked); }};
  };
  return {
      get({"api", "arrays"}, &Browser::list),
      get({"api", "arrays", "*"}, &Browser::array),
      get({"api", "arrays", "*", "plane"}, &Browser::plane),
      get({"api", "arrays", "*", "value"}, &Browser::value),
      get({"api", "arrays", "*", "statistics"}, &Browser::statistics),
      get({"api", "arrays", "*", "through"}, &Browser::through),
      get({"planes", "*", "*", "*", "*"}, &Browser::tile),
  };
}

/// Ends, with an error that nobody reads, soon after the client has gone.
HttpAnswer Browser::answer(Member member, const Asked& asked) {
  base::StopToken* const gone = asked.request.gone;
  const base::Run run{gone == nullptr ? stays_ : *gone, nobody_};
  const base::RunScope scope(run);
  try {
    return (this->*member)(asked);
  } catch (const base::Error& error) {
    throw HttpError(500, base::printable(error.what()));
  }
}

HttpAnswer Browser::list(const Asked&) {
  Json json = {{"arrays", Json::array()}, {"palettes", Json::array()}};
  for (std::size_t id = 0; id < arrays_.all().size(); ++id) {
    json["arrays"].push_back({{"id", id}, {"name", base::printable(arrays_.all()[id].name)}});
  }
  for (const DataPalette& palette : data_palettes()) {
    Json stops = Json::array();
    for (const std::uint32_t stop : palette.stops) stops.push_back(fmt::format("#{:06x}", stop));
    json["palettes"].push_back({{"name", palette.name},
                                {"description", palette.description},
                                {"stops", std::move(stops)}});
  }
  return view::json_answer(json);
}

HttpAnswer Browser::array(const Asked& asked) {
  const view::WorkGate::Pass pass(gate_, asked.request.gone);
  return view::json_answer(array_json(*arrays_.open(asked.number(2))));
}

Browser::Shown Browser::shown(const Asked& asked, std::size_t part) {
  std::optional<std::int64_t> minus;
  if (const std::string_view other = asked.target.parameter("minus"); !other.empty()) {
    minus = parse_number(other, "minus", 0, std::ssize(arrays_.all()) - 1);
  }
  auto array = arrays_.open(asked.number(part), minus);
  Plane plane = plane_of(asked.target, array->info().shape);
  return {std::move(array), std::move(plane)};
}

std::shared_ptr<PlaneScales> Browser::scales_of(const Shown& shown) {
  const std::string key = fmt::format("{} {}", shown.array->number(), shown.plane.key());
  auto scales = scales_.get(key, [&] {
    auto made = std::make_shared<PlaneScales>(shown.array, shown.plane,
                                              static_cast<std::size_t>(spec_.memory_bytes / 8));
    const base::RunScope scope(for_all_);  // others may wait for it, too
    made->make_for(kFirstLook);
    return made;
  });
  builder_.want(scales);
  return scales;
}

HttpAnswer Browser::plane(const Asked& asked) {
  const view::WorkGate::Pass pass(gate_, asked.request.gone);
  const Shown what = shown(asked, 2);
  const auto scales = scales_of(what);
  const base::ImageSize size = what.plane.size();
  Json json = range_json(*scales);
  json["width"] = size.width;
  json["height"] = size.height;
  json["levels"] = picture_levels(size);
  json["built"] = scales->built_part();
  json["version"] = scales->revision();
  json["state"] = what.array->number();
  if (const std::string problem = scales->problem(); !problem.empty()) {
    json["problem"] = base::printable(problem);
  }
  return view::json_answer(json);
}

/// A difference is missing where one of its elements is.
std::string Browser::value_of(const Asked& asked, const Shown& what, std::int64_t x,
                              std::int64_t y) {
  std::string value = what.array->value(what.plane, x, y);
  const std::string_view other = asked.target.parameter("minus");
  if (other.empty() || !value.ends_with("nan")) return value;
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t id : {asked.number(2), parse_number(other, "minus", 0, kMost)}) {
    if (arrays_.open(id)->value(what.plane, x, y) == kMissingText) return kMissingText;
  }
  return "nan";
}

HttpAnswer Browser::value(const Asked& asked) {
  const view::WorkGate::Pass pass(gate_, asked.request.gone);
  const Shown what = shown(asked, 2);
  const base::ImageSize size = what.plane.size();
  const auto x = parse_number(asked.target.parameter("x"), "x", 0, size.width - 1);
  const auto y = parse_number(asked.target.parameter("y"), "y", 0, size.height - 1);
  plan::Shape at = what.plane.box({x, y, 1, 1}).origin;
  Json places = Json::array();
  for (std::size_t d = 0; d < at.size(); ++d) {
    const Coordinates& known = what.array->coordinates()[d];
    const auto index = static_cast<std::size_t>(at[d]);
    places.push_back(known.has_values() ? coordinate_json(*known.scale, index) : Json(nullptr));
  }
  return view::json_answer(
      {{"value", value_of(asked, what, x, y)}, {"index", at}, {"coordinates", std::move(places)}});
}

StatisticsLimits Browser::limits() const {
  return {spec_.threads, spec_.memory_bytes / 4, base::this_run().stop};
}

HttpAnswer Browser::statistics(const Asked& asked) {
  const Shown what = shown(asked, 2);
  const base::PixelRect rect = rect_of(asked, what.plane.size());
  const view::WorkGate::Pass pass(statistics_gate_, asked.request.gone);
  return view::json_answer(statistics_of(what.array, what.plane, rect,
                                         asked.target.parameter("detail") == "true", limits()));
}

HttpAnswer Browser::through(const Asked& asked) {
  const Shown what = shown(asked, 2);
  const base::PixelRect rect = rect_of(asked, what.plane.size());
  const auto d = static_cast<std::size_t>(parse_number(
      asked.target.parameter("dimension"), "dimension", 0, std::ssize(what.plane.shape) - 1));
  if (d == what.plane.columns || d == what.plane.rows) {
    throw HttpError(400, "dimension: the plane has it; name another one");
  }
  if (what.plane.shape[d] > kMaxThrough) {
    throw HttpError(400, fmt::format("dimension: has {} indices; statistics are for {} at most",
                                     what.plane.shape[d], kMaxThrough));
  }
  const view::WorkGate::Pass pass(statistics_gate_, asked.request.gone);
  return view::json_answer(through_of(what.array, what.plane, rect, d, limits()));
}

HttpAnswer Browser::tile(const Asked& asked) {
  const Shown what = shown(asked, 1);
  const base::ImageSize size = what.plane.size();
  const auto level = static_cast<int>(
      parse_number(asked.target.path[2], "level", 0, picture_levels(size) - 1, 404));
  const std::int64_t side = std::int64_t{256} << level;
  const auto x = parse_number(asked.target.path[3], "column", 0, (size.width - 1) / side, 404);
  const auto y = parse_number(view::without_png(asked.target.path[4]), "row", 0,
                              (size.height - 1) / side, 404);
  const DataLook look = data_look_of(asked.target);
  const view::WorkGate::Pass pass(gate_, asked.request.gone);
  const auto scales = scales_of(what);
  return view::png_answer(plane_png(*scales, level, x, y, look), {{"Cache-Control", "no-store"}});
}

}  // namespace tessera::browse
