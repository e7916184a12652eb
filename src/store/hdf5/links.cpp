#include "store/hdf5/links.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "store/hdf5/dataset.hpp"
#include "store/hdf5/open_file.hpp"
#include "store/hdf5/search.hpp"

namespace tessera::store {

namespace {

// crossed by: test_links
constexpr int kMaxLinks = 16;  ///< as HDF5's own limit

BrokenLink why_broken(const CheckedCall& h5, const Handle& file, const std::string& path,
                      int links);

std::vector<char> value_of(const CheckedCall& h5, const Handle& file, const std::string& link,
                           std::size_t bytes) {
  std::vector<char> value(bytes + 1, '\0');
  h5("H5Lget_val", H5Lget_val, file.id(), link.c_str(), static_cast<void*>(value.data()), bytes,
     H5P_DEFAULT);
  return value;
}

/// Why the target of an external link is not to be had.
BrokenLink why_not_there(const Handle& file, const std::string& name, const std::string& target,
                         int links) {
  const auto place = find_named_file(name, file_of(CheckedCall(name), file), kLinkFolders);
  if (place.empty()) return {"which is not there"};
  std::error_code unknown;
  if (std::filesystem::is_directory(place, unknown)) {
    return {"which is a folder", base::ExitCode::usage};
  }
  try {
    const CheckedCall h5(place.string());
    check_readable_hdf5(h5.file());
    const BrokenLink why = why_broken(h5, open_as_hdf5_would(h5, file), target, links);
    if (why.what.empty()) return {"which has no " + target};
    return {"where " + why.what, why.code};
  } catch (const base::Error& error) {
    return {std::string("which cannot be read: ") + error.what(), base::ExitCode::usage};
  }
}

/// Why the link, of which HDF5 finds no object, is broken.
BrokenLink why_of(const CheckedCall& h5, const Handle& file, const std::string& link,
                  const H5L_info_t& info, int links) {
  const std::vector<char> value = value_of(h5, file, link, info.u.val_size);
  if (info.type == H5L_TYPE_SOFT) {
    const std::filesystem::path target = std::filesystem::path(link).parent_path() / value.data();
    BrokenLink why = why_broken(h5, file, target.string(), links + 1);
    if (!why.what.empty()) return why;
    return {fmt::format("{} is a link to {}, which is not in {}", link, value.data(),
                        file_of(h5, file))};
  }
  if (info.type != H5L_TYPE_EXTERNAL) return {link + " is a link of an unknown kind"};
  unsigned flags = 0;
  const char* name = nullptr;
  const char* target = nullptr;
  h5("H5Lunpack_elink_val", H5Lunpack_elink_val, static_cast<const void*>(value.data()),
     static_cast<std::size_t>(info.u.val_size), &flags, &name, &target);
  const BrokenLink why = why_not_there(file, name, target, links + 1);
  return {fmt::format("{} is a link to {} in {}, {}", link, target, name, why.what), why.code};
}

BrokenLink why_broken(const CheckedCall& h5, const Handle& file, const std::string& path,
                      int links) {
  if (links > kMaxLinks) return {path + " is a link that leads back to itself"};
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t begin = path.find_first_not_of('/', at);
    if (begin == path.npos) break;
    at = std::min(path.find('/', begin), path.size());
    const std::string link = path.substr(0, at);
    const std::scoped_lock lock(hdf5_mutex());
    tame_hdf5();
    const htri_t exists = H5Lexists(file.id(), link.c_str(), H5P_DEFAULT);
    if (exists < 0) return {"the links of its groups are damaged", base::ExitCode::failed};
    if (exists == 0) return {};
    if (H5Oexists_by_name(file.id(), link.c_str(), H5P_DEFAULT) > 0) continue;
    H5L_info_t info{};
    h5("H5Lget_info", H5Lget_info, file.id(), link.c_str(), &info, H5P_DEFAULT);
    return info.type == H5L_TYPE_HARD ? BrokenLink{} : why_of(h5, file, link, info, links);
  }
  return {};
}

}  // namespace

BrokenLink broken_link(const CheckedCall& h5, const Handle& file, const std::string& path) {
  return why_broken(h5, file, path.starts_with('/') ? path : "/" + path, 0);
}

}  // namespace tessera::store
