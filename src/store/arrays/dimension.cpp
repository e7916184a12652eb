#include "store/arrays/dimension.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::store {

std::vector<TextAttribute> meant_texts(std::vector<TextAttribute> texts) {
  constexpr std::array<std::string_view, 10> kOthers = {
      "CLASS",        "NAME",         "DIMENSION_LABELS",    "_FillValue",
      "bounds",       "climatology",  "ancillary_variables", "coordinates",
      "grid_mapping", "formula_terms"};
  std::erase_if(texts, [&](const TextAttribute& text) {
    return text.first.starts_with("_") || text.second.empty() ||
           std::ranges::find(kOthers, text.first) != kOthers.end();
  });
  return texts;
}

bool is_made_up(const std::string& name) {
  return name.starts_with("dim_") || name.starts_with("phony_dim_");
}

std::vector<std::string> names_of(const std::vector<Dimension>& dimensions) {
  std::vector<std::string> names;
  for (const Dimension& dimension : dimensions) names.push_back(dimension.name);
  return names;
}

std::vector<Dimension> dimensions_named(const std::vector<std::string>& names) {
  if (std::ranges::all_of(names, &std::string::empty)) return {};
  std::vector<Dimension> dimensions;
  for (const std::string& name : names) dimensions.push_back({name});
  return dimensions;
}

job::ArrayInput beside(const job::ArrayInput& input, const std::string& dataset,
                       const std::string& name) {
  const std::size_t slash = dataset.rfind('/');
  job::ArrayInput other{.path = input.path};
  other.dataset = (slash == dataset.npos ? "/" : dataset.substr(0, slash + 1)) + name;
  if (!other.dataset.starts_with('/')) other.dataset.insert(0, "/");
  other.tail = ":" + other.dataset;
  other.text = input.path + other.tail;
  other.decoding.raw = true;
  return other;
}

std::vector<Dimension> dimensions_beside(const job::ArrayInput& input, const std::string& dataset,
                                         const std::vector<std::string>& names) {
  std::vector<Dimension> dimensions = dimensions_named(names);
  for (Dimension& dimension : dimensions) {
    if (dimension.name.empty()) continue;
    dimension.coordinates = {beside(input, dataset, dimension.name)};
  }
  return dimensions;
}

}  // namespace tessera::store
