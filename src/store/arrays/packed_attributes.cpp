#include "store/arrays/packed_attributes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::store {

std::string text_of(const PackedAttribute& attribute) {
  if (attribute.kind == PackedAttribute::Kind::text) return attribute.text;
  if (attribute.kind == PackedAttribute::Kind::other) return "not a number";
  std::vector<std::string> numbers;
  for (const long double number : attribute.numbers) {
    if (attribute.type == base::ElementType::f32) {
      numbers.push_back(fmt::format("{}", static_cast<float>(number)));
    } else if (base::is_floating(attribute.type)) {
      numbers.push_back(fmt::format("{}", static_cast<double>(number)));
    } else {
      numbers.push_back(fmt::format("{:.0f}", number));
    }
  }
  return fmt::format("{} ({})", fmt::join(numbers, ", "), base::element_code(attribute.type));
}

}  // namespace tessera::store
