// .f3.toml of Fraktaler-3.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "place/formats.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

using plane::ExactMatrix;
using plane::Real;

/// The file as a table whose missing keys have their defaults.
struct File {
  const Source& source;
  toml::table table;

  std::string number(const char* path, std::string_view otherwise) const {
    const auto node = table.at_path(path);
    if (const auto text = node.value_exact<std::string>()) return decimal(source, path, *text);
    if (const auto whole = node.value_exact<std::int64_t>()) return std::to_string(*whole);
    if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
    if (node) refuse(source, fmt::format("its {} is no number", path));
    return std::string(otherwise);
  }
  bool flag(const char* path) const { return table.at_path(path).value_or(false); }
  std::int64_t whole(const char* path, std::int64_t otherwise) const {
    return table.at_path(path).value_or(otherwise);
  }
};

struct Step {
  bool abs_x = false, abs_y = false, neg_x = false, neg_y = false;
  std::int64_t power = 2;

  friend bool operator==(const Step&, const Step&) = default;
};

/// The step of "absx absy sqr add" and the like; power 0 for other programs.
Step step_of_opcodes(std::string_view opcodes) {
  constexpr Step kNone{.power = 0};
  Step step{.power = 1};
  std::int64_t stored = 0;
  const std::vector<std::string> words = base::split(opcodes, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.empty()) continue;
    const bool sign = word.starts_with("abs") || word.starts_with("neg");
    if (sign && (step.power > 1 || stored > 0)) return kNone;
    if (word == "add") return i + 1 == words.size() ? step : kNone;
    if (word == "absx") step.abs_x = true;
    if (word == "absy") step.abs_y = true;
    if (word == "negx") step.neg_x = !step.neg_x;
    if (word == "negy") step.neg_y = !step.neg_y;
    if (word == "store") stored = step.power;
    if (word == "sqr") step.power *= 2;
    if (word == "mul") step.power += stored;
    const bool power = word == "store" || word == "sqr" || (word == "mul" && stored > 0);
    if ((!sign && !power) || step.power > 64) return kNone;
  }
  return kNone;  // without "add"
}

Step step_of(const toml::table& table) {
  if (const auto opcodes = table["opcodes"].value<std::string>()) return step_of_opcodes(*opcodes);
  return {.abs_x = table["abs_x"].value_or(false),
          .abs_y = table["abs_y"].value_or(false),
          .neg_x = table["neg_x"].value_or(false),
          .neg_y = table["neg_y"].value_or(false),
          .power = table["power"].value_or(std::int64_t{2})};
}

std::string formula_of(const File& file) {
  const toml::array* const steps = file.table["formula"].as_array();
  if (!steps || steps->empty()) return "mandelbrot";
  if (steps->size() > 1)
    refuse(file.source, "it is a hybrid of several formulas, none of which is rendered here");
  const toml::table* const table = steps->get(0)->as_table();
  const Step step = table ? step_of(*table) : Step{.power = 0};
  if (step == Step{}) return "mandelbrot";
  if (step == Step{.abs_x = true, .abs_y = true}) return "burning-ship";
  if (step == Step{.neg_y = true}) return "tricorn";
  const bool in_range = step.power >= job::kMinDegree && step.power <= job::kGreatestDegree;
  if (in_range && step == Step{.power = step.power}) return fmt::format("multibrot:{}", step.power);
  refuse(file.source,
         fmt::format("its formula is not rendered here; there are {}", job::formula_choices()));
}

base::ImageSize size_of(const File& file) {
  const std::int64_t divisor = std::max<std::int64_t>(file.whole("image.subsampling", 1), 1);
  const base::ImageSize size{file.whole("image.width", 1024) / divisor,
                             file.whole("image.height", 576) / divisor};
  if (size.width <= 0 || size.height <= 0) refuse(file.source, "its image has no pixels");
  return size;
}

plane::Matrix matrix_of(const File& file) {
  const double sign = file.flag("transform.reflect") ? -1 : 1;
  const auto number = [&](const char* path) { return Real(file.number(path, "0")); };
  const ExactMatrix turn = plane::rotation(number("transform.rotate") * Real(sign));
  const Real factor = exp2(number("transform.stretch_amount") / Real(100));
  return rounded(turn * plane::stretch(number("transform.stretch_angle"), factor) *
                 plane::diagonal(1, sign));
}

toml::table parsed(const Source& source) {
  try {
    return toml::parse(source.text);
  } catch (const toml::parse_error& error) {
    refuse(source, fmt::format("line {}: {}", error.source().begin.line, error.description()));
  }
}

}  // namespace

bool is_fraktaler(std::string_view text) {
  if (text.find("program = \"fraktaler-3\"") != text.npos) return true;
  const Values values = lines_of_keys(text, '=');
  if (values.contains("location.real") && values.contains("location.imag")) return true;
  return text.find("[location]") != text.npos && values.contains("real") && values.contains("imag");
}

Place read_fraktaler(const Source& source) {
  const File file{source, parsed(source)};
  if (file.flag("transform.exponential_map")) {
    refuse(source, "it is an exponential map, which is not rendered here");
  }
  Place place{
      .formula = formula_of(file),
      .center_re = file.number("location.real", "0"),
      .center_im = file.number("location.imag", "0"),
      .iterations = count(source, "bailout.iterations", file.number("bailout.iterations", "1024")),
      .bailout = file.number("bailout.escape_radius", "625"),
      .size = size_of(file),
      .matrix = matrix_of(file)};
  place.zoom = file.number("location.zoom", "1");
  if (Real(place.zoom).sign() <= 0) refuse(source, "its zoom is not above 0");
  place.height = plane::scaled("4", "1", place.zoom);
  if (file.table.contains("colour") || file.table.contains("opencl"))
    place.left_out.emplace_back("colours");
  return place;
}

}  // namespace tessera::place
