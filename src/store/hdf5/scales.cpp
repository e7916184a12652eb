#include "store/hdf5/scales.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "store/hdf5/attributes.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/element_type.hpp"

namespace tessera::store {
namespace {

constexpr const char* kUses = "REFERENCE_LIST";

/// An element of REFERENCE_LIST.
struct ScaleUse {
  hobj_ref_t dataset;
  int dimension;
};

hobj_ref_t object_reference(const CheckedCall& h5, const Handle& file, const std::string& name) {
  hobj_ref_t reference{};
  h5("H5Rcreate", H5Rcreate, &reference, file.id(), name.c_str(), H5R_OBJECT, hid_t{-1});
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
  write_fixed_text(h5, dataset, "CLASS", "DIMENSION_SCALE");
  write_fixed_text(h5, dataset, "NAME",
                   is_empty ? fmt::format("{}{:10}", kNoVariable, scale.length) : scale.name);
  for (const auto& [name, text] : scale.texts) {
    set_attribute(h5, dataset, {name, text}, TextLayout::variable);
  }
  return dataset;
}

/// Whether the object of that name serves as the scale.
bool serves(const CheckedCall& h5, const Handle& dataset, const WrittenScale& scale) {
  if (H5Iget_type(dataset.id()) != H5I_DATASET) return false;
  if (shape_of(h5, dataset) != job::Shape{scale.length}) return false;
  if (scale.values.empty()) return h5("H5Aexists", H5Aexists, dataset.id(), "CLASS") > 0;
  std::vector<std::byte> values(scale.values.size());
  h5("H5Dread", H5Dread, dataset.id(), memory_type(h5, scale.type).id(), H5S_ALL, H5S_ALL,
     H5P_DEFAULT, static_cast<void*>(values.data()));
  return values == scale.values;
}

/// Scales by their names; those that the file cannot have are without a handle.
class Scales {
 public:
  Scales(const CheckedCall& h5, const Handle& file, const std::vector<WrittenArray>& arrays)
      : h5_(h5), file_(file), arrays_(arrays) {}

  const Handle& find(const WrittenScale& scale) {
    const auto [found, is_new] = handles_.try_emplace(scale.name);
    if (is_new) found->second = open(scale);
    return found->second;
  }

 private:
  Handle open(const WrittenScale& scale) {
    const auto is_array = [&](const WrittenArray& array) { return array.name == scale.name; };
    if (std::ranges::any_of(arrays_, is_array)) return {};
    if (h5_("H5Lexists", H5Lexists, file_.id(), scale.name.c_str(), H5P_DEFAULT) == 0) {
      return create_scale(h5_, file_, scale);
    }
    Handle there(h5_("H5Oopen", H5Oopen, file_.id(), scale.name.c_str(), H5P_DEFAULT));
    return serves(h5_, there, scale) ? std::move(there) : Handle();
  }

  const CheckedCall& h5_;
  const Handle& file_;
  const std::vector<WrittenArray>& arrays_;
  std::map<std::string, Handle> handles_;
};

/// Attaches the scales of one array.
void attach(const CheckedCall& h5, const Handle& file, const WrittenArray& array, Scales& scales) {
  const Handle dataset(h5("H5Dopen2", H5Dopen2, file.id(), array.name.c_str(), H5P_DEFAULT));
  const hobj_ref_t self = object_reference(h5, file, array.name);
  std::vector<hobj_ref_t> references(array.scales.size());
  std::vector<hvl_t> lists(array.scales.size());
  for (std::size_t d = 0; d < array.scales.size(); ++d) {
    const Handle& scale = scales.find(*array.scales[d]);
    if (scale.id() < 0 || shape_of(h5, scale) != job::Shape{array.scales[d]->length}) continue;
    references[d] = object_reference(h5, file, array.scales[d]->name);
    lists[d] = {1, &references[d]};
    std::vector<ScaleUse> uses = uses_of(h5, scale);
    uses.push_back({self, static_cast<int>(d)});
    write_values(h5, scale, kUses, use_type(h5), line_of(h5, uses.size()), uses.data());
  }
  const Handle type(h5("H5Tvlen_create", H5Tvlen_create, H5T_STD_REF_OBJ));
  write_values(h5, dataset, kDimensionList, type, line_of(h5, lists.size()), lists.data());
}

/// An array of one dimension that is its own scale.
void make_scale(const CheckedCall& h5, const Handle& file, const std::string& name) {
  const Handle dataset(h5("H5Dopen2", H5Dopen2, file.id(), name.c_str(), H5P_DEFAULT));
  write_fixed_text(h5, dataset, "CLASS", "DIMENSION_SCALE");
  write_fixed_text(h5, dataset, "NAME", name);
}

}  // namespace

void write_scales(const CheckedCall& h5, const Handle& file,
                  const std::vector<WrittenArray>& arrays) {
  Scales scales(h5, file, arrays);
  for (const WrittenArray& array : arrays) {
    if (array.scales.empty()) continue;
    attach(h5, file, array, scales);
    if (!array.edges.empty()) make_scale(h5, file, array.name + "_edges");
  }
}

}  // namespace tessera::store
