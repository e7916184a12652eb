#include "store/hdf5/dimensions.hpp"

#include <algorithm>
#include <string>

#include "base/printable.hpp"
#include "store/hdf5/read_shown_attributes.hpp"
#include "store/hdf5/scales.hpp"

namespace tessera::store {
namespace {

bool has_attribute(const CheckedCall& h5, const Handle& object, const char* name) {
  return h5("H5Aexists", H5Aexists, object.id(), name) > 0;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

const ShownAttribute* find(const std::vector<ShownAttribute>& attributes, const char* name) {
  const auto found = std::ranges::find(attributes, name, &ShownAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

/// The value of an attribute that is one text; "" if it is not there.
std::string text_of(const CheckedCall& h5, const Handle& object, const char* name) {
  if (!has_attribute(h5, object, name)) return "";
  const std::vector<ShownAttribute> attributes = read_shown_attributes(h5, object);
  const ShownAttribute* const found = find(attributes, name);
  return found == nullptr || found->values.size() != 1 ? "" : found->values.front();
}

/// "/group/lat" of the scales of each dimension; "" where there is none.
std::vector<std::string> scales_of(const Hdf5Dataset& data) {
  const CheckedCall& h5 = data.h5;
  const std::size_t rank = data.info.shape.size();
  std::vector<std::string> paths(rank);
  const Handle attribute(h5("H5Aopen", H5Aopen, data.dataset.id(), kDimensionList, H5P_DEFAULT));
  const Handle space(h5("H5Aget_space", H5Aget_space, attribute.id()));
  const auto count = h5("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id());
  const Handle type(h5("H5Tvlen_create", H5Tvlen_create, H5T_STD_REF_OBJ));
  if (static_cast<std::size_t>(count) != rank) return paths;
  std::vector<hvl_t> lists(rank);
  h5("H5Aread", H5Aread, attribute.id(), type.id(), static_cast<void*>(lists.data()));
  for (std::size_t d = 0; d < rank; ++d) {
    if (lists[d].len == 0) continue;
    char name[1024] = "";
    if (H5Rget_name(data.dataset.id(), H5R_OBJECT, lists[d].p, name, sizeof name) > 0) {
      paths[d] = name;
    }
  }
  h5("H5Dvlen_reclaim", H5Dvlen_reclaim, type.id(), space.id(), H5P_DEFAULT,
     static_cast<void*>(lists.data()));
  return paths;
}

std::vector<Dimension> from_scales(const Hdf5Dataset& data) {
  const CheckedCall& h5 = data.h5;
  // Scales are in the file that the dataset is in, which may be another one behind a link.
  const job::ArrayInput there{.path = file_of(h5, data.dataset)};
  std::vector<Dimension> dimensions;
  for (const std::string& path : scales_of(data)) {
    dimensions.push_back({last_part(path)});
    if (path.empty()) continue;
    const Handle scale(h5("H5Dopen2", H5Dopen2, data.dataset.id(), path.c_str(), H5P_DEFAULT));
    if (is_bare_dimension(h5, scale)) continue;
    dimensions.back().coordinates = {beside(there, path, last_part(path))};
  }
  return dimensions;
}

std::vector<Dimension> from_labels(const Hdf5Dataset& data) {
  const std::vector<ShownAttribute> attributes = read_shown_attributes(data.h5, data.dataset);
  const ShownAttribute* const labels = find(attributes, "DIMENSION_LABELS");
  if (labels == nullptr || labels->values.size() != data.info.shape.size()) return {};
  return dimensions_named(labels->values);
}

}  // namespace

bool is_scale(const CheckedCall& h5, const Handle& dataset) {
  return text_of(h5, dataset, "CLASS") == "DIMENSION_SCALE";
}

bool is_bare_dimension(const CheckedCall& h5, const Handle& dataset) {
  return text_of(h5, dataset, "NAME").starts_with(kNoVariable);
}

std::vector<Dimension> read_dimensions(const Hdf5Dataset& data, const job::ArrayInput& input) {
  try {
    const CheckedCall& h5 = data.h5;
    std::vector<Dimension> dimensions;
    if (has_attribute(h5, data.dataset, kDimensionList)) {
      dimensions = from_scales(data);
      const std::vector<Dimension> labels = from_labels(data);
      for (std::size_t d = 0; d < std::min(labels.size(), dimensions.size()); ++d) {
        if (dimensions[d].name.empty()) dimensions[d] = labels[d];
      }
    } else if (data.info.shape.size() == 1 && is_scale(h5, data.dataset)) {
      dimensions = {{last_part(data.path), {beside(input, data.path, last_part(data.path))}}};
    } else if (has_attribute(h5, data.dataset, "DIMENSION_LABELS")) {
      dimensions = from_labels(data);
    }
    const bool any = std::ranges::any_of(
        dimensions, [](const Dimension& dimension) { return !dimension.name.empty(); });
    return any ? dimensions : std::vector<Dimension>();
  } catch (const base::Error&) {
    return {};
  }
}

std::vector<TextAttribute> read_texts(const CheckedCall& h5, const Handle& dataset) {
  std::vector<TextAttribute> texts;
  for (const ShownAttribute& shown : read_shown_attributes(h5, dataset)) {
    const bool is_text = shown.kind == ShownAttribute::Kind::text;
    if (is_text && shown.values.size() == 1)
      texts.emplace_back(shown.name, base::from_latin1(shown.values.front()));
  }
  return texts;
}

}  // namespace tessera::store
