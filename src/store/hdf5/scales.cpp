#include "store/hdf5/scales.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "store/arrays/dimension.hpp"
#include "store/arrays/fitting_scale.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/dimensions.hpp"
#include "store/hdf5/element_type.hpp"

namespace tessera::store {
namespace {

constexpr const char* kUses = "REFERENCE_LIST";

/// An element of REFERENCE_LIST.
struct ScaleUse {
  hobj_ref_t dataset;
  int dimension;
};

hobj_ref_t reference_to(const CheckedCall& h5, const Handle& object) {
  hobj_ref_t reference{};
  h5("H5Rcreate", H5Rcreate, &reference, object.id(), ".", H5R_OBJECT, hid_t{-1});
  return reference;
}

Handle line_of(const CheckedCall& h5, std::size_t elements) {
  const hsize_t side = elements;
  return Handle(h5("H5Screate_simple", H5Screate_simple, 1, &side, nullptr));
}

void write_values(const CheckedCall& h5, const Handle& to, const char* name, const Handle& type,
                  const Handle& space, const void* values) {
  if (h5("H5Aexists", H5Aexists, to.id(), name) > 0) h5("H5Adelete", H5Adelete, to.id(), name);
  const Handle attribute(
      h5("H5Acreate2", H5Acreate2, to.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT));
  h5("H5Awrite", H5Awrite, attribute.id(), type.id(), values);
}

/// Of fixed length, as HDF5's own library writes it.
void write_fixed_text(const CheckedCall& h5, const Handle& to, const char* name,
                      const std::string& text) {
  const Handle type(h5("H5Tcopy", H5Tcopy, H5T_C_S1));
  h5("H5Tset_size", H5Tset_size, type.id(), text.size() + 1);
  write_values(h5, to, name, type, Handle(h5("H5Screate", H5Screate, H5S_SCALAR)), text.c_str());
}

Handle use_type(const CheckedCall& h5) {
  Handle type(h5("H5Tcreate", H5Tcreate, H5T_COMPOUND, sizeof(ScaleUse)));
  h5("H5Tinsert", H5Tinsert, type.id(), "dataset", offsetof(ScaleUse, dataset), H5T_STD_REF_OBJ);
  h5("H5Tinsert", H5Tinsert, type.id(), "dimension", offsetof(ScaleUse, dimension), H5T_NATIVE_INT);
  return type;
}

/// The uses that a scale has already, of objects that are still there.
std::vector<ScaleUse> uses_of(const CheckedCall& h5, const Handle& scale) {
  if (h5("H5Aexists", H5Aexists, scale.id(), kUses) == 0) return {};
  const Handle attribute(h5("H5Aopen", H5Aopen, scale.id(), kUses, H5P_DEFAULT));
  const Handle space(h5("H5Aget_space", H5Aget_space, attribute.id()));
  std::vector<ScaleUse> uses(static_cast<std::size_t>(
      h5("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id())));
  h5("H5Aread", H5Aread, attribute.id(), use_type(h5).id(), static_cast<void*>(uses.data()));
  std::erase_if(uses, [&](const ScaleUse& use) {
    char name[8] = "";
    return H5Rget_name(scale.id(), H5R_OBJECT, &use.dataset, name, sizeof name) <= 0;
  });
  return uses;
}

void make_scale(const CheckedCall& h5, const Handle& dataset, const std::string& name) {
  write_fixed_text(h5, dataset, "CLASS", "DIMENSION_SCALE");
  write_fixed_text(h5, dataset, "NAME", name);
}

/// As netCDF has it: it compares all but the length.
std::string name_without_coordinates(const WrittenScale& scale) {
  return fmt::format("{}.{:10}", kNoVariable, scale.length);
}

Handle create_scale(const CheckedCall& h5, const Handle& file, const WrittenScale& scale) {
  const bool is_empty = scale.values.empty();
  const Handle type =
      is_empty ? Handle(h5("H5Tcopy", H5Tcopy, H5T_IEEE_F32BE)) : memory_type(h5, scale.type);
  Handle dataset(h5("H5Dcreate2", H5Dcreate2, file.id(), scale.name.c_str(), type.id(),
                    line_of(h5, static_cast<std::size_t>(scale.length)).id(), H5P_DEFAULT,
                    H5P_DEFAULT, H5P_DEFAULT));
  if (!is_empty) {
    h5("H5Dwrite", H5Dwrite, dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
       static_cast<const void*>(scale.values.data()));
  }
  make_scale(h5, dataset, is_empty ? name_without_coordinates(scale) : scale.name);
  for (const auto& [name, text] : scale.texts) {
    set_attribute(h5, dataset, {name, text}, TextLayout::variable);
  }
  return dataset;
}

bool has_same_coordinates(const CheckedCall& h5, const Handle& dataset, const WrittenScale& scale) {
  std::vector<std::byte> values(scale.values.size());
  h5("H5Dread", H5Dread, dataset.id(), memory_type(h5, scale.type).id(), H5S_ALL, H5S_ALL,
     H5P_DEFAULT, static_cast<void*>(values.data()));
  const std::vector<TextAttribute> texts = meant_texts(read_texts(h5, dataset));
  return values == scale.values && std::ranges::is_permutation(texts, scale.texts);
}

/// Whether the object of that name serves as the scale.
bool serves(const CheckedCall& h5, const Handle& object, const WrittenScale& scale) {
  if (H5Iget_type(object.id()) != H5I_DATASET || !is_scale(h5, object)) return false;
  if (shape_of(h5, object) != job::Shape{scale.length}) return false;
  const bool has_coordinates = !is_bare_dimension(h5, object);
  if (scale.values.empty() || !has_coordinates) return serves_by_name(scale, has_coordinates);
  try {
    return has_same_coordinates(h5, object, scale);
  } catch (const base::Error&) {  // texts, or damaged
    return false;
  }
}

/// Scales that fit into the file.
class Scales {
 public:
  Scales(const CheckedCall& h5, const Handle& file, const std::vector<WrittenArray>& arrays)
      : h5_(h5), file_(file), arrays_(arrays) {
    for_each_coordinate(arrays, [this](const auto& scale, std::size_t d) { find(scale, d); });
  }

  const Handle& find(const std::shared_ptr<const WrittenScale>& scale, std::size_t place) {
    const auto [found, is_new] = handles_.try_emplace(scale.get());
    if (is_new) {
      fitting_scale(scale, place, [&, &handle = found->second](const auto& fitting) {
        handle = open(*fitting);
        return handle.id() >= 0;
      });
    }
    return found->second;
  }

 private:
  /// Without a handle if another object has the name.
  Handle open(const WrittenScale& scale) {
    if (is_taken(scale.name, arrays_)) return {};
    if (h5_("H5Lexists", H5Lexists, file_.id(), scale.name.c_str(), H5P_DEFAULT) == 0) {
      return create_scale(h5_, file_, scale);
    }
    Handle there(H5Oopen(file_.id(), scale.name.c_str(), H5P_DEFAULT));
    if (there.id() < 0 || file_of(h5_, there) != file_of(h5_, file_)) return {};
    if (!serves(h5_, there, scale)) return {};
    // One of an older version of Tessera has a text that netCDF does not know.
    if (is_bare_dimension(h5_, there)) make_scale(h5_, there, name_without_coordinates(scale));
    return there;
  }

  const CheckedCall& h5_;
  const Handle& file_;
  const std::vector<WrittenArray>& arrays_;
  std::map<const WrittenScale*, Handle> handles_;
};

/// Attaches the scales of one array.
void attach(const CheckedCall& h5, const Handle& dataset, const WrittenArray& array,
            Scales& scales) {
  const hobj_ref_t self = reference_to(h5, dataset);
  std::vector<hobj_ref_t> references(array.scales.size());
  std::vector<hvl_t> lists(array.scales.size());
  for (std::size_t d = 0; d < array.scales.size(); ++d) {
    const Handle& scale = scales.find(array.scales[d], d);
    references[d] = reference_to(h5, scale);
    lists[d] = {1, &references[d]};
    std::vector<ScaleUse> uses = uses_of(h5, scale);
    uses.push_back({self, static_cast<int>(d)});
    write_values(h5, scale, kUses, use_type(h5), line_of(h5, uses.size()), uses.data());
  }
  const Handle type(h5("H5Tvlen_create", H5Tvlen_create, H5T_STD_REF_OBJ));
  write_values(h5, dataset, kDimensionList, type, line_of(h5, lists.size()), lists.data());
}

}  // namespace

void write_scales(const CheckedCall& h5, const Handle& file,
                  const std::vector<WrittenArray>& arrays) {
  const auto open = [&](const std::string& name) {
    return Handle(h5("H5Dopen2", H5Dopen2, file.id(), name.c_str(), H5P_DEFAULT));
  };
  Scales scales(h5, file, arrays);
  for (const WrittenArray& array : arrays) {
    if (array.scales.empty()) continue;
    if (is_own_scale(array)) {
      make_scale(h5, open(array.name), array.name);
    } else {
      attach(h5, open(array.name), array, scales);
    }
    if (!array.edges.empty()) make_scale(h5, open(array.name + "_edges"), array.name + "_edges");
  }
}

bool is_used_scale(const CheckedCall& h5, const Handle& object) {
  return !uses_of(h5, object).empty();
}

}  // namespace tessera::store
