#include "store/hdf5/dataset.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/bools.hpp"
#include "base/error.hpp"
#include "base/file/hdf5_signature.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/element_type.hpp"
#include "store/hdf5/filters.hpp"
#include "store/hdf5/handle.hpp"
#include "store/hdf5/links.hpp"
#include "store/hdf5/open_file.hpp"

namespace tessera::store {

namespace {

H5T_conv_ret_t judge_change(H5T_conv_except_t change, hid_t from, hid_t to, void*, void*,
                            void* changed) noexcept {
  if (change == H5T_CONV_EXCEPT_PRECISION) return H5T_CONV_UNHANDLED;
  const bool floats = H5Tget_class(from) == H5T_FLOAT && H5Tget_class(to) == H5T_FLOAT;
  if (floats) return H5T_CONV_UNHANDLED;
  *static_cast<bool*>(changed) = true;
  return H5T_CONV_ABORT;
}

/// A property list with which H5Dread fails, and sets `changed`, where it would otherwise read
/// another number silently: an integer out of range, a fraction or a NaN as an integer. Rounding to
/// a float is no such change. `changed` must outlive it.
Handle strict_transfer(const CheckedCall& h5, bool& changed) {
  Handle transfer(h5("H5Pcreate", H5Pcreate, H5P_DATASET_XFER));
  h5("H5Pset_type_conv_cb", H5Pset_type_conv_cb, transfer.id(), judge_change,
     static_cast<void*>(&changed));
  return transfer;
}

constexpr std::size_t kMaxListed = 20;

/// Returns 1 to stop when enough names are listed.
herr_t list_object(const char* name, H5O_type_t type, void* to) noexcept {
  auto& listing = *static_cast<Listing*>(to);
  if (type == H5O_TYPE_DATASET) listing.names.push_back(std::string("/") + name);
  return 0;
}

/// "/a, /b, ...".
std::string datasets_of(const CheckedCall& h5, const Handle& file) {
  const Listing listing = list_datasets(h5, file);
  if (listing.names.empty()) return "no dataset";
  return base::join(listing.names) + (listing.more ? ", ..." : "");
}

/// The name of a dataset as given, if the file has it; with its escapes replaced, if the file has
/// that instead.
std::string name_in(const Handle& file, const std::string& given) {
  std::string meant = base::from_printable(given);
  if (meant == given) return given;
  tame_hdf5();
  const auto is_there = [&](const std::string& name) {
    return Handle(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT)).id() >= 0;
  };
  return !is_there(given) && is_there(meant) ? meant : given;
}

/// "1.10.8"
std::string version_of_hdf5() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

/// Throws why an object that is there cannot be opened.
void check_opens(const CheckedCall& h5, const Handle& file, const job::ArrayInput& input) {
  const std::vector<std::string> names = list_datasets(h5, file).names;
  if (std::ranges::find(names, input.dataset) == names.end()) return;
  try {
    h5("H5Oopen", H5Oopen, file.id(), input.dataset.c_str(), H5P_DEFAULT);
  } catch (const base::Error& error) {
    const std::string_view why = error.what();
    if (why.find("version") == why.npos) throw;
    throw base::usage_error(
        "{}: {} was written for a newer HDF5 than this one, {} ({}); its h5repack rewrites it, or "
        "libver='v110' of h5py",
        input.path, input.dataset, version_of_hdf5(), why.substr(why.rfind(": ") + 2));
  }
}

Handle open_dataset(const CheckedCall& h5, const Handle& file, const job::ArrayInput& input) {
  if (input.dataset.empty()) {
    throw base::usage_error("{}: say which dataset, as {}:/name; it has {}", input.text, input.path,
                            datasets_of(h5, file));
  }
  tame_hdf5();
  Handle object(H5Oopen(file.id(), input.dataset.c_str(), H5P_DEFAULT));
  if (object.id() < 0) {
    const BrokenLink broken = broken_link(h5, file, input.dataset);
    if (!broken.what.empty()) {
      throw base::Error(broken.code, fmt::format("{}: {}", input.path, broken.what));
    }
    check_opens(h5, file, input);
    throw base::missing_error("{}: has no dataset {}; it has {}", input.path, input.dataset,
                              datasets_of(h5, file));
  }
  if (H5Iget_type(object.id()) != H5I_DATASET) {
    throw base::usage_error("{}: {} is a group or a type; the file has {}", input.path,
                            input.dataset, datasets_of(h5, file));
  }
  return object;
}

bool refers_elsewhere(const Hdf5Dataset& data) {
  const CheckedCall& h5 = data.h5;
  return h5("H5Pget_layout", H5Pget_layout, data.creation.id()) == H5D_VIRTUAL ||
         h5("H5Pget_external_count", H5Pget_external_count, data.creation.id()) > 0 ||
         file_of(h5, data.dataset) != file_of(h5, data.file);
}

/// True if H5Dread leaves memory unchanged where nothing was ever written. For a virtual dataset,
/// this depends on its source datasets.
bool may_leave_gaps(const Hdf5Dataset& data) {
  H5D_fill_value_t value = H5D_FILL_VALUE_UNDEFINED;
  data.h5("H5Pfill_value_defined", H5Pfill_value_defined, data.creation.id(), &value);
  H5D_fill_time_t time = H5D_FILL_TIME_NEVER;
  data.h5("H5Pget_fill_time", H5Pget_fill_time, data.creation.id(), &time);
  const bool has_value = value == H5D_FILL_VALUE_DEFAULT || value == H5D_FILL_VALUE_USER_DEFINED;
  return !has_value || time == H5D_FILL_TIME_NEVER || data.info.refers_elsewhere;
}

}  // namespace

Listing list_datasets(const CheckedCall& h5, const Handle& file) {
  Listing listing;
  // HDF5 1.14 renamed the type of the information that H5Ovisit2() passes.
  const auto list = [](hid_t, const char* name, const auto* info, void* to) {
    return list_object(name, info->type, to);
  };
  // In any other order, HDF5 1.10 frees what it has not made if a link is damaged.
  h5("H5Ovisit", H5Ovisit2, file.id(), H5_INDEX_NAME, H5_ITER_NATIVE, list, &listing,
     H5O_INFO_BASIC);
  std::ranges::sort(listing.names);
  listing.more = listing.names.size() > kMaxListed;
  if (listing.more) listing.names.resize(kMaxListed);
  return listing;
}

plan::Shape shape_of(const CheckedCall& h5, const Handle& dataset) {
  const Handle space(h5("H5Dget_space", H5Dget_space, dataset.id()));
  if (h5("H5Sget_simple_extent_type", H5Sget_simple_extent_type, space.id()) == H5S_NULL) {
    return {0};
  }
  const int rank = h5("H5Sget_simple_extent_ndims", H5Sget_simple_extent_ndims, space.id());
  std::vector<hsize_t> sides(static_cast<std::size_t>(rank));
  h5("H5Sget_simple_extent_dims", H5Sget_simple_extent_dims, space.id(), sides.data(), nullptr);
  return {sides.begin(), sides.end()};
}

std::string file_of(const CheckedCall& h5, const Handle& object) {
  const ssize_t length = h5("H5Fget_name", H5Fget_name, object.id(), nullptr, std::size_t{0});
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  h5("H5Fget_name", H5Fget_name, object.id(), name.data(), name.size());
  name.pop_back();
  return name;
}

plan::Shape chunk_of(const Hdf5Dataset& data) {
  if (data.h5("H5Pget_layout", H5Pget_layout, data.creation.id()) != H5D_CHUNKED) return {};
  std::vector<hsize_t> sides(data.info.shape.size());
  data.h5("H5Pget_chunk", H5Pget_chunk, data.creation.id(), static_cast<int>(sides.size()),
          sides.data());
  return {sides.begin(), sides.end()};
}

namespace {

void read_selected(const Hdf5Dataset& data, const plan::Box& box, const Handle& transfer,
                   std::span<std::byte> elements) {
  const CheckedCall& h5 = data.h5;
  const Handle type = read_type(data);
  const hid_t how = transfer.id() < 0 ? H5P_DEFAULT : transfer.id();
  if (box.extent.empty()) {
    h5("H5Dread", H5Dread, data.dataset.id(), type.id(), H5S_ALL, H5S_ALL, how,
       static_cast<void*>(elements.data()));
    return;
  }
  const std::vector<hsize_t> origin(box.origin.begin(), box.origin.end());
  const std::vector<hsize_t> extent(box.extent.begin(), box.extent.end());
  const Handle file_space(h5("H5Dget_space", H5Dget_space, data.dataset.id()));
  h5("H5Sselect_hyperslab", H5Sselect_hyperslab, file_space.id(), H5S_SELECT_SET, origin.data(),
     nullptr, extent.data(), nullptr);
  const Handle memory_space(h5("H5Screate_simple", H5Screate_simple,
                               static_cast<int>(extent.size()), extent.data(), nullptr));
  h5("H5Dread", H5Dread, data.dataset.id(), type.id(), memory_space.id(), file_space.id(), how,
     static_cast<void*>(elements.data()));
}

/// A source of a virtual dataset may have another type.
void read_values(const Hdf5Dataset& data, const plan::Box& box, std::span<std::byte> elements) {
  if (data.h5("H5Pget_layout", H5Pget_layout, data.creation.id()) != H5D_VIRTUAL) {
    return read_selected(data, box, {}, elements);
  }
  bool changed = false;
  const Handle transfer = strict_transfer(data.h5, changed);
  try {
    read_selected(data, box, transfer, elements);
  } catch (const base::Error&) {
    if (!changed) throw;
    throw base::run_error("{}: box of {} at [{}]: a source has a number that {} cannot hold",
                          data.info.name, job::format_shape(box.extent),
                          fmt::join(box.origin, ", "), base::element_name(data.info.type));
  }
}

}  // namespace

void read_hyperslab(const Hdf5Dataset& data, const plan::Box& box, std::span<std::byte> elements) {
  if (elements.empty()) return;
  if (data.leaves_gaps) std::ranges::fill(elements, std::byte{0});
  const std::scoped_lock lock(hdf5_mutex());
  read_values(data, box, elements);
  if (data.info.is_boolean) base::make_bools(elements);
}

bool has_hdf5_object(const std::string& path, const std::string& name) {
  if (name.empty() || !base::has_hdf5_signature(path)) return false;
  try {
    const std::scoped_lock lock(hdf5_mutex());
    const CheckedCall h5(path);
    const Handle file = open_hdf5(h5);
    tame_hdf5();
    return Handle(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT)).id() >= 0;
  } catch (const base::Error&) {
    return false;  // opening it for the run says what is wrong
  }
}

Hdf5Dataset::Hdf5Dataset(const job::ArrayInput& given) : h5(given.path) {
  check_readable_hdf5(given.path);
  add_lzf_to_hdf5();
  file = open_hdf5(h5);
  job::ArrayInput input = given;
  input.dataset = name_in(file, given.dataset);
  dataset = open_dataset(h5, file, input);
  path = info.dataset = input.dataset;
  creation = Handle(h5("H5Dget_create_plist", H5Dget_create_plist, dataset.id()));
  info.name = input.text;
  info.shape = shape_of(h5, dataset);
  set_type(*this, input);
  info.refers_elsewhere = refers_elsewhere(*this);
  leaves_gaps = may_leave_gaps(*this);
}

base::Error damaged_chunk(const Hdf5Dataset& data, const plan::Shape& origin,
                          const std::string& why) {
  const plan::Shape chunk = chunk_of(data);
  if (origin.size() != 2 || chunk.size() != 2 || !is_image(data.h5, data.file)) {
    return base::run_error("{}: chunk at [{}]: {}", data.info.name, fmt::join(origin, ", "), why);
  }
  return base::run_error(
      "{0}: tile row {1}, column {2} of {3}: {4}; run: tessera verify --repair {0}", data.h5.file(),
      origin[0] / chunk[0], origin[1] / chunk[1], data.path, why);
}

bool Hdf5Dataset::starts_its_file() const {
  const Handle properties(h5("H5Fget_create_plist", H5Fget_create_plist, file.id()));
  hsize_t before_bytes = 0;
  h5("H5Pget_userblock", H5Pget_userblock, properties.id(), &before_bytes);
  return before_bytes == 0;
}

void Hdf5Dataset::reopen_without_cache() {
  const Handle access(h5("H5Pcreate", H5Pcreate, H5P_DATASET_ACCESS));
  h5("H5Pset_chunk_cache", H5Pset_chunk_cache, access.id(), std::size_t{0}, std::size_t{0}, 0.0);
  dataset.reset();  // all handles of a dataset share one cache
  dataset = Handle(h5("H5Dopen2", H5Dopen2, file.id(), path.c_str(), access.id()));
}

}  // namespace tessera::store
