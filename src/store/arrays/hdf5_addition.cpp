#include "store/arrays/hdf5_addition.hpp"

#include <algorithm>

#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/handle.hpp"
#include "store/hdf5/open_file.hpp"
#include "store/hdf5/scales.hpp"

namespace tessera::store {
namespace {

constexpr std::size_t kCopiedAtOnce = std::size_t{8} << 20;

Handle addition_access(const CheckedCall& h5) {
  Handle access(h5("H5Pcreate", H5Pcreate, H5P_FILE_ACCESS));
  h5("H5Pset_libver_bounds", H5Pset_libver_bounds, access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110);
  h5("H5Pset_file_locking", H5Pset_file_locking, access.id(), false, true);
  return access;
}

Handle open_to_add(const CheckedCall& h5, unsigned flags) {
  const Handle access = addition_access(h5);
  return Handle(h5("H5Fopen", H5Fopen, h5.file().c_str(), flags, access.id()));
}

Handle open_object(const CheckedCall& h5, const Handle& file, const std::string& name) {
  return Handle(h5("H5Oopen", H5Oopen, file.id(), name.c_str(), H5P_DEFAULT));
}

/// The type of what has that name; nothing for no link, or one that leads nowhere.
H5I_type_t type_of(const CheckedCall& h5, const Handle& file, const std::string& name) {
  if (h5("H5Lexists", H5Lexists, file.id(), name.c_str(), H5P_DEFAULT) == 0) return H5I_BADID;
  if (h5("H5Oexists_by_name", H5Oexists_by_name, file.id(), name.c_str(), H5P_DEFAULT) == 0) {
    return H5I_BADID;
  }
  return H5Iget_type(open_object(h5, file, name).id());
}

/// Returns whether a dataset is there. Throws if something else is, or above it.
bool check_place(const CheckedCall& h5, const Handle& file, const std::string& name) {
  for (std::size_t end = 0; end != name.npos;) {
    end = name.find('/', end + 1);
    const std::string place = name.substr(0, end);
    const H5I_type_t type = type_of(h5, file, place);
    if (type == H5I_BADID) return false;
    if (end == name.npos && type != H5I_DATASET) {
      throw base::usage_error("{}:/{}: is no dataset, so no array replaces it; give another name",
                              h5.file(), place);
    }
    if (end == name.npos && is_used_scale(h5, open_object(h5, file, place))) {
      throw base::usage_error(
          "{}:/{}: is the scale of a dimension that other arrays have, so no array replaces it; "
          "give another name",
          h5.file(), place);
    }
    if (end != name.npos && type != H5I_GROUP) {
      throw base::usage_error("{}:/{}: is no group, so nothing can be in it; give another name",
                              h5.file(), place);
    }
  }
  return true;
}

base::FileStamp copy_bytes(const std::string& there, const std::string& copy) {
  const base::FileStamp before = base::stamp_of(there);
  const base::InputFile from(there);
  base::PosixFile to(copy, base::PosixFile::Start::as_it_is);
  std::vector<std::byte> bytes;
  for (std::uint64_t at = 0; at < from.size_bytes(); at += bytes.size()) {
    base::throw_if_stopped(there);
    bytes.resize(std::min<std::uint64_t>(kCopiedAtOnce, from.size_bytes() - at));
    from.read_at(at, bytes);
    to.write(bytes);
  }
  to.close();
  return before;
}

void copy_attributes(const CheckedCall& h5, const Handle& to, const std::string& name,
                     const Attributes& attributes) {
  const Handle dataset(h5("H5Dopen2", H5Dopen2, to.id(), name.c_str(), H5P_DEFAULT));
  for (const Attribute& attribute : attributes) {
    set_attribute(h5, dataset, attribute, TextLayout::variable);
  }
}

void copy_array(const CheckedCall& h5, const Handle& from, const Handle& to,
                const std::string& name) {
  if (check_place(h5, to, name)) {
    h5("H5Ldelete", H5Ldelete, to.id(), name.c_str(), H5P_DEFAULT);
  }
  const Handle links(h5("H5Pcreate", H5Pcreate, H5P_LINK_CREATE));
  h5("H5Pset_create_intermediate_group", H5Pset_create_intermediate_group, links.id(), 1U);
  h5("H5Ocopy", H5Ocopy, from.id(), name.c_str(), to.id(), name.c_str(), H5P_DEFAULT, links.id());
  copy_attributes(h5, to, name, read_attributes(h5, from));
}

/// Attributes of the file describe its only run. They go with the last array of that.
void remove_descriptions(const CheckedCall& h5, const Handle& file, const Attributes& attributes,
                         const std::vector<WrittenArray>& arrays) {
  const Listing found = list_datasets(h5, file);
  const auto is_replaced = [&](const std::string& name) {
    return std::ranges::any_of(arrays, [&](const WrittenArray& array) {
      return name == "/" + array.name || name == "/" + array.name + "_edges";
    });
  };
  if (found.more || !std::ranges::all_of(found.names, is_replaced)) return;
  for (const Attribute& attribute : attributes) {
    const char* const name = attribute.name.c_str();
    if (h5("H5Aexists", H5Aexists, file.id(), name) > 0)
      h5("H5Adelete", H5Adelete, file.id(), name);
  }
}

}  // namespace

bool joins_others(const std::string& path, const std::vector<WrittenArray>& arrays) {
  if (!base::exists(path) || base::stamp_of(path).bytes == 0) return false;
  check_readable_hdf5(path);
  const std::scoped_lock lock(hdf5_mutex());
  const CheckedCall h5(path);
  const Handle file = open_to_add(h5, H5F_ACC_RDONLY);
  for (const WrittenArray& array : arrays) {
    check_place(h5, file, array.name);
    if (!array.edges.empty()) check_place(h5, file, array.name + "_edges");
  }
  return true;
}

base::FileStamp join_others(const std::string& there, const std::string& part,
                            const std::vector<WrittenArray>& arrays, const std::string& copy) {
  const base::FileStamp stamp = copy_bytes(there, copy);
  const std::scoped_lock lock(hdf5_mutex());
  const CheckedCall h5_from(part);
  const CheckedCall h5(copy);
  const Handle from = open_to_add(h5_from, H5F_ACC_RDONLY);
  Handle to = open_to_add(h5, H5F_ACC_RDWR);
  remove_descriptions(h5, to, read_attributes(h5, from), arrays);
  for (const WrittenArray& array : arrays) {
    copy_array(h5, from, to, array.name);
    if (!array.edges.empty()) copy_array(h5, from, to, array.name + "_edges");
  }
  write_scales(h5, to, arrays);
  h5("H5Fclose", H5Fclose, to.release());
  base::sync_file(copy);
  return stamp;
}

}  // namespace tessera::store
