#include "job/image/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

/// Factor by which a radius exceeds the one for exact arithmetic.
constexpr double kForRounding = 1 + 1e-12;

std::string choice_of(const kernels::FormulaRow& row) {
  switch (row.parameter) {
    case kernels::TS_PARAMETER_CONSTANT:
      return fmt::format("{}:RE,IM", row.name);
    case kernels::TS_PARAMETER_DEGREE:
      return fmt::format("{}:N", row.name);
    case kernels::TS_PARAMETER_NONE:
      break;
  }
  return std::string(row.name);
}

/// The two parts of "NAME:PARAMETER".
struct Parts {
  std::string_view name;
  std::string_view parameter;
  bool has_parameter = false;
};

Parts split_formula(std::string_view text) {
  const std::string_view all = base::trim(text);
  const auto colon = all.find(':');
  if (colon == std::string_view::npos) return {all, {}, false};
  return {base::trim(all.substr(0, colon)), base::trim(all.substr(colon + 1)), true};
}

std::size_t find_formula(std::string_view name, std::string_view what) {
  std::vector<std::string_view> names;
  for (const kernels::FormulaRow& row : kernels::kFormulas) names.push_back(row.name);
  return find_name(names, name, what, "formula");
}

int parse_degree(const Parts& parts, std::string_view what) {
  if (parts.parameter == "2") {
    throw base::usage_error("{}: {}:2 is the Mandelbrot set; ask for mandelbrot", what, parts.name);
  }
  return static_cast<int>(base::parse_integer(parts.parameter, what, kMinDegree, kGreatestDegree));
}

}  // namespace

Formula parse_formula(std::string_view text, std::string_view what) {
  const Parts parts = split_formula(text);
  Formula formula;
  formula.id = static_cast<kernels::TsFormula>(find_formula(parts.name, what));
  switch (kernels::kFormulas[formula.id].parameter) {
    case kernels::TS_PARAMETER_NONE:
      if (!parts.has_parameter) return formula;
      throw base::usage_error("{}: {} takes no parameter, not '{}'", what, parts.name,
                              parts.parameter);
    case kernels::TS_PARAMETER_CONSTANT: {
      if (parts.parameter.empty()) {
        throw base::usage_error("{}: {} needs its constant, such as {}:-0.8,0.156", what,
                                parts.name, parts.name);
      }
      const Center constant = parse_center(parts.parameter, what);
      formula.constant_re = constant.re;
      formula.constant_im = constant.im;
      const PointText point = split_point(parts.parameter, what);
      formula.constant_re_text = base::normalized_decimal(point.re);
      formula.constant_im_text = base::normalized_decimal(point.im);
      return formula;
    }
    case kernels::TS_PARAMETER_DEGREE:
      if (parts.parameter.empty()) {
        throw base::usage_error("{}: {} needs its power from {} to {}, such as {}:3", what,
                                parts.name, kMinDegree, kGreatestDegree, parts.name);
      }
      formula.degree = parse_degree(parts, what);
      return formula;
  }
  return formula;
}

std::string normalized_formula(std::string_view text) {
  const Parts parts = split_formula(text);
  const Formula formula = parse_formula(text, "formula");
  switch (kernels::kFormulas[formula.id].parameter) {
    case kernels::TS_PARAMETER_CONSTANT:
      return fmt::format("{}:{}", parts.name, normalized_point(parts.parameter));
    case kernels::TS_PARAMETER_DEGREE:
      return fmt::format("{}:{}", parts.name, formula.degree);
    case kernels::TS_PARAMETER_NONE:
      break;
  }
  return std::string(parts.name);
}

const std::string& formula_choices() {
  static const std::string choices = [] {
    std::vector<std::string> all;
    for (const kernels::FormulaRow& row : kernels::kFormulas) all.push_back(choice_of(row));
    return base::join(all);
  }();
  return choices;
}

bool can_be_deep(const Formula& formula) {
  return kernels::kFormulas[formula.id].fold != kernels::TS_FOLD_UNKNOWN;
}

double escape_radius(const Formula& formula) {
  const double c = std::hypot(formula.constant_re, formula.constant_im);
  return std::max(2.0, (1 + std::sqrt(1 + 4 * c)) / 2 * kForRounding);
}

}  // namespace tessera::job
