#include "command/attribute_text.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "job/arrays/array_input.hpp"

namespace tessera::command {
namespace {

using AttributeKind = store::ShownAttribute::Kind;

// crossed by: test_a_long_attribute_is_short_as_text
constexpr std::size_t kMaxShownValues = 12;  ///< on a line of text

report::Json value_json(AttributeKind kind, const std::string& text) {
  if (kind == AttributeKind::number) return number_json(text);
  if (kind == AttributeKind::boolean) return text == "true";
  return text;
}

/// The values from `next` on, as arrays of the dimensions from `dimension` on.
report::Json nested_json(const store::ShownAttribute& attribute, std::size_t dimension,
                         std::size_t& next) {
  if (dimension == attribute.shape.size()) {
    return value_json(attribute.kind, attribute.values.at(next++));
  }
  report::Json array = report::Json::array();
  for (std::int64_t i = 0; i < attribute.shape[dimension]; ++i) {
    array.push_back(nested_json(attribute, dimension + 1, next));
  }
  return array;
}

}  // namespace

report::Json number_json(const std::string& text) {
  report::Json number = report::Json::parse(text, nullptr, false);
  if (number.is_discarded() || (number.is_number_float() && !std::isfinite(number.get<double>()))) {
    return text;
  }
  return number;
}

std::string attribute_text(const store::ShownAttribute& attribute) {
  if (attribute.is_empty) return "empty";
  if (attribute.shape.empty()) return attribute.values.empty() ? "" : attribute.values.front();
  const std::size_t shown = std::min(attribute.values.size(), kMaxShownValues);
  std::string text = "[" + base::join(std::span<const std::string>(attribute.values).first(shown));
  if (shown < attribute.values.size()) text += ", ...";
  text += "]";
  const bool is_list = attribute.shape.size() == 1 && shown == attribute.values.size();
  return is_list ? text : text + " (" + job::format_shape(attribute.shape) + ")";
}

report::Json attribute_json(const store::ShownAttribute& attribute) {
  if (attribute.is_empty) return nullptr;
  std::size_t next = 0;
  return nested_json(attribute, 0, next);
}

}  // namespace tessera::command
