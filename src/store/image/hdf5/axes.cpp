#include "store/image/hdf5/axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace tessera::store {

namespace {

/// 8 MiB for an axis.
constexpr std::int64_t kMaxOnAxis = std::int64_t{1} << 20;

constexpr const char* kRows = "im";
constexpr const char* kColumns = "re";
constexpr const char* kAttached = "DIMENSION_LIST";

/// A scale and the dimension that it belongs to.
struct Scale {
  const char* name;
  int dimension;
  std::int64_t count;
  Axis axis;
};

/// An element of REFERENCE_LIST.
struct Use {
  hobj_ref_t dataset;
  int dimension;
};

hobj_ref_t reference_to(const CheckedCall& h5, const Handle& file, const std::string& name) {
  hobj_ref_t reference{};
  h5("H5Rcreate", H5Rcreate, &reference, file.id(), name.c_str(), H5R_OBJECT, hid_t{-1});
  return reference;
}

Handle space_of(const CheckedCall& h5, std::size_t elements) {
  const hsize_t side = elements;
  return Handle(h5("H5Screate_simple", H5Screate_simple, 1, &side, nullptr));
}

void write_attribute(const CheckedCall& h5, const Handle& to, const char* name, const Handle& type,
                     const Handle& space, const void* values) {
  const Handle attribute(
      h5("H5Acreate2", H5Acreate2, to.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT));
  h5("H5Awrite", H5Awrite, attribute.id(), type.id(), values);
}

void write_text(const CheckedCall& h5, const Handle& to, const char* name,
                const std::string& text) {
  const Handle type(h5("H5Tcopy", H5Tcopy, H5T_C_S1));
  h5("H5Tset_size", H5Tset_size, type.id(), text.size() + 1);
  write_attribute(h5, to, name, type, Handle(h5("H5Screate", H5Screate, H5S_SCALAR)), text.c_str());
}

/// The uses of a scale: the same dimension of every field.
void write_uses(const CheckedCall& h5, const Handle& file, const Handle& scale,
                const ImageHeader& header, int dimension) {
  std::vector<Use> uses;
  for (const auto& [field, type] : header.fields) {
    uses.push_back({reference_to(h5, file, std::string(job::field_name(field))), dimension});
  }
  const Handle type(h5("H5Tcreate", H5Tcreate, H5T_COMPOUND, sizeof(Use)));
  h5("H5Tinsert", H5Tinsert, type.id(), "dataset", offsetof(Use, dataset), H5T_STD_REF_OBJ);
  h5("H5Tinsert", H5Tinsert, type.id(), "dimension", offsetof(Use, dimension), H5T_NATIVE_INT);
  write_attribute(h5, scale, "REFERENCE_LIST", type, space_of(h5, uses.size()), uses.data());
}

void write_scale(const CheckedCall& h5, const Handle& file, const ImageHeader& header,
                 const Scale& scale) {
  std::vector<double> values(static_cast<std::size_t>(scale.count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = scale.axis.at(static_cast<std::int64_t>(i), scale.count);
  }
  const Handle dataset(h5("H5Dcreate2", H5Dcreate2, file.id(), scale.name, H5T_IEEE_F64LE,
                          space_of(h5, values.size()).id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  h5("H5Dwrite", H5Dwrite, dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
     static_cast<const void*>(values.data()));
  write_text(h5, dataset, "CLASS", "DIMENSION_SCALE");
  write_text(h5, dataset, "NAME", scale.name);
  write_uses(h5, file, dataset, header, scale.dimension);
}

/// The scales of the dimensions of a field, in their order.
void attach(const CheckedCall& h5, const Handle& file, job::Field field,
            std::array<hobj_ref_t, 2> scales) {
  const std::string name(job::field_name(field));
  const Handle dataset(h5("H5Dopen2", H5Dopen2, file.id(), name.c_str(), H5P_DEFAULT));
  const Handle type(h5("H5Tvlen_create", H5Tvlen_create, H5T_STD_REF_OBJ));
  const std::array<hvl_t, 2> lists = {hvl_t{1, scales.data()}, hvl_t{1, scales.data() + 1}};
  write_attribute(h5, dataset, kAttached, type, space_of(h5, lists.size()), lists.data());
}

}  // namespace

double Axis::at(std::int64_t pixel, std::int64_t pixels) const {
  const double from_middle = static_cast<double>(pixel) + 0.5 - static_cast<double>(pixels) / 2;
  return std::fma(from_middle, step, center);
}

void write_axes(const CheckedCall& h5, const Handle& file, const ImageHeader& header) {
  const auto [width, height] = header.size_px;
  if (header.re.step == 0 || width > kMaxOnAxis || height > kMaxOnAxis) return;
  write_scale(h5, file, header, {kRows, 0, height, header.im});
  write_scale(h5, file, header, {kColumns, 1, width, header.re});
  for (const auto& [field, type] : header.fields) {
    attach(h5, file, field, {reference_to(h5, file, kRows), reference_to(h5, file, kColumns)});
  }
}

bool has_axes(const CheckedCall& h5, const Handle& file, const ImageHeader& header) {
  const auto is_there = [&](const char* name) {
    return h5("H5Lexists", H5Lexists, file.id(), name, H5P_DEFAULT) > 0;
  };
  return is_there(kRows) || is_there(kColumns) ||
         std::ranges::any_of(header.fields, [&](const auto& field) {
           const std::string name(job::field_name(field.first));
           return h5("H5Aexists_by_name", H5Aexists_by_name, file.id(), name.c_str(), kAttached,
                     H5P_DEFAULT) > 0;
         });
}

}  // namespace tessera::store
