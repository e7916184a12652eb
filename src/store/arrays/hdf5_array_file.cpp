// Creates the HDF5 file of a reduction along axes.
#include <algorithm>

#include "store/arrays/hdf5_array.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/element_type.hpp"
#include "store/hdf5/scales.hpp"
#include "store/hdf5/writing_access.hpp"

namespace tessera::store {
namespace {

/// The type that h5py uses for numpy.bool_.
Handle boolean_type(const CheckedCall& h5) {
  Handle type(h5("H5Tenum_create", H5Tenum_create, H5T_STD_I8LE));
  signed char value = 0;
  for (const char* name : {"FALSE", "TRUE"}) {
    h5("H5Tenum_insert", H5Tenum_insert, type.id(), name, static_cast<const void*>(&value));
    ++value;
  }
  return type;
}

/// netCDF's library shows no dataset of an enumeration without a name. There bools are bytes with
/// an attribute, as xarray writes them.
bool is_netcdf(const CheckedCall& h5) {
  std::string_view path = h5.file();
  constexpr std::string_view kPart = ".part";
  if (path.ends_with(kPart)) path.remove_suffix(kPart.size());
  return path.ends_with(".nc") || path.ends_with(".nc4");
}

Handle written_type(const CheckedCall& h5, const WrittenArray& array) {
  if (!array.is_boolean) return memory_type(h5, array.type);
  return is_netcdf(h5) ? memory_type(h5, base::ElementType::i8) : boolean_type(h5);
}

/// The space of a contiguous dataset is taken at once, so that its offset is known.
void set_layout(const CheckedCall& h5, const Handle& creation, const WrittenArray& array) {
  h5("H5Pset_fill_time", H5Pset_fill_time, creation.id(), H5D_FILL_TIME_NEVER);
  if (array.chunk.empty()) {
    h5("H5Pset_alloc_time", H5Pset_alloc_time, creation.id(), H5D_ALLOC_TIME_EARLY);
    return;
  }
  const std::vector<hsize_t> chunk(array.chunk.begin(), array.chunk.end());
  h5("H5Pset_chunk", H5Pset_chunk, creation.id(), static_cast<int>(chunk.size()), chunk.data());
  if (array.compress == 0) return;
  h5("H5Pset_shuffle", H5Pset_shuffle, creation.id());
  h5("H5Pset_deflate", H5Pset_deflate, creation.id(), static_cast<unsigned>(array.compress));
}

/// Returns the offset of a contiguous dataset; HADDR_UNDEF without elements, and for chunks.
std::uint64_t create_dataset(const CheckedCall& h5, const Handle& file, const WrittenArray& array) {
  const Handle type = written_type(h5, array);
  const std::vector<hsize_t> sides(array.shape.begin(), array.shape.end());
  const Handle space(sides.empty() ? h5("H5Screate", H5Screate, H5S_SCALAR)
                                   : h5("H5Screate_simple", H5Screate_simple,
                                        static_cast<int>(sides.size()), sides.data(), nullptr));
  const Handle creation(h5("H5Pcreate", H5Pcreate, H5P_DATASET_CREATE));
  set_layout(h5, creation, array);
  const Handle link(h5("H5Pcreate", H5Pcreate, H5P_LINK_CREATE));
  h5("H5Pset_create_intermediate_group", H5Pset_create_intermediate_group, link.id(), 1U);
  const bool ascii = std::ranges::all_of(array.name, [](unsigned char c) { return c < 0x80; });
  if (!ascii) h5("H5Pset_char_encoding", H5Pset_char_encoding, link.id(), H5T_CSET_UTF8);
  const Handle dataset(h5("H5Dcreate2", H5Dcreate2, file.id(), array.name.c_str(), type.id(),
                          space.id(), link.id(), creation.id(), H5P_DEFAULT));
  if (array.is_boolean && is_netcdf(h5)) {
    set_attribute(h5, dataset, {"dtype", std::string("bool")}, TextLayout::fixed);
  }
  return array.chunk.empty() ? H5Dget_offset(dataset.id()) : HADDR_UNDEF;
}

void write_edges(const CheckedCall& h5, const Handle& file, const WrittenArray& array) {
  const WrittenArray edges{.name = array.name + "_edges",
                           .shape = {static_cast<std::int64_t>(array.edges.size())}};
  create_dataset(h5, file, edges);
  const Handle dataset(h5("H5Dopen2", H5Dopen2, file.id(), edges.name.c_str(), H5P_DEFAULT));
  h5("H5Dwrite", H5Dwrite, dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
     array.edges.data());
}

Handle plain_access(const CheckedCall& h5) {
  Handle access(h5("H5Pcreate", H5Pcreate, H5P_FILE_ACCESS));
  h5("H5Pset_libver_bounds", H5Pset_libver_bounds, access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110);
  h5("H5Pset_file_locking", H5Pset_file_locking, access.id(), false, true);
  return access;
}

}  // namespace

std::vector<std::uint64_t> create_hdf5_arrays(const std::string& path,
                                              const std::vector<WrittenArray>& arrays,
                                              const Attributes& attributes) {
  const std::scoped_lock lock(hdf5_mutex());
  const CheckedCall h5(path);
  const bool chunks = !arrays.empty() && !arrays.front().chunk.empty();
  const Handle access = chunks ? writing_access(h5, false) : plain_access(h5);
  Handle file(h5("H5Fcreate", H5Fcreate, path.c_str(), static_cast<unsigned>(H5F_ACC_TRUNC),
                 H5P_DEFAULT, access.id()));
  for (const Attribute& attribute : attributes) {
    set_attribute(h5, file, attribute, TextLayout::variable);
  }
  std::vector<std::uint64_t> offsets;
  offsets.reserve(arrays.size());
  for (const WrittenArray& array : arrays) {
    offsets.push_back(create_dataset(h5, file, array));
    if (!array.edges.empty()) write_edges(h5, file, array);
  }
  write_scales(h5, file, arrays);
  h5("H5Fclose", H5Fclose, file.release());
  return offsets;
}

}  // namespace tessera::store
