#include "store/image/hdf5/additions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/open_file.hpp"

namespace tessera::store {
namespace {

/// Attributes that a file gets at its end.
constexpr std::array<std::string_view, 6> kClosingKeys = {
    "wall_s", "found_tiles", "uncertain_pixels", "undecided_pixels", kPartsKey, kPartsFolderKey};
constexpr std::array<std::string_view, 2> kTables = {"tiles", "timing"};
constexpr std::array<std::string_view, 2> kAxes = {"im", "re"};

std::vector<std::string> datasets_of(const ImageHeader& header) {
  std::vector<std::string> names(kTables.begin(), kTables.end());
  for (const auto& [field, type] : header.fields) names.emplace_back(job::field_name(field));
  if (header.re.step != 0) names.insert(names.end(), kAxes.begin(), kAxes.end());
  return names;
}

class Additions {
 public:
  Additions(const std::string& path, const CheckedCall& h5, const Handle& to)
      : h5_from_(path), from_(open_settled_hdf5(h5_from_)), h5_(h5), to_(to) {}

  void copy(const ImageHeader& header) const {
    const std::vector<std::string> ours = datasets_of(header);
    copy_attributes(from_, to_, "");
    for (const std::string& name : link_names()) {
      const bool there = h5_("H5Lexists", H5Lexists, to_.id(), name.c_str(), H5P_DEFAULT) > 0;
      if (there) {
        copy_attributes(open(h5_from_, from_, name), open(h5_, to_, name), "/" + name);
      } else if (std::ranges::find(ours, name) == ours.end()) {
        try_to("/" + name, [&] { copy_link(name); });
      }
    }
  }

 private:
  static Handle open(const CheckedCall& h5, const Handle& file, const std::string& name) {
    return Handle(h5("H5Oopen", H5Oopen, file.id(), name.c_str(), H5P_DEFAULT));
  }

  void try_to(const std::string& what, const std::function<void()>& copy) const {
    try {
      copy();
    } catch (const base::Error& error) {
      base::log("tessera: {}", base::printable(fmt::format("{}: {} is lost: {}", h5_from_.file(),
                                                           what, error.what())));
    }
  }

  std::vector<std::string> link_names() const {
    H5G_info_t group{};
    h5_from_("H5Gget_info", H5Gget_info, from_.id(), &group);
    std::vector<std::string> names;
    for (hsize_t i = 0; i < group.nlinks; ++i) {
      const auto name = [&](char* text, std::size_t bytes) {
        return h5_from_("H5Lget_name_by_idx", H5Lget_name_by_idx, from_.id(), ".", H5_INDEX_NAME,
                        H5_ITER_INC, i, text, bytes, H5P_DEFAULT);
      };
      std::string text(static_cast<std::size_t>(name(nullptr, 0)) + 1, '\0');
      name(text.data(), text.size());
      text.pop_back();
      names.push_back(std::move(text));
    }
    return names;
  }

  void copy_link(const std::string& name) const {
    H5L_info_t info{};
    h5_from_("H5Lget_info", H5Lget_info, from_.id(), name.c_str(), &info, H5P_DEFAULT);
    if (info.type == H5L_TYPE_HARD) {
      h5_("H5Ocopy", H5Ocopy, from_.id(), name.c_str(), to_.id(), name.c_str(), H5P_DEFAULT,
          H5P_DEFAULT);
    } else {
      h5_("H5Lcopy", H5Lcopy, from_.id(), name.c_str(), to_.id(), name.c_str(), H5P_DEFAULT,
          H5P_DEFAULT);
    }
  }

  /// Those that `to` does not have.
  void copy_attributes(const Handle& from, const Handle& to, const std::string& owner) const {
    for (const std::string& name : attribute_names(h5_from_, from)) {
      if (h5_("H5Aexists", H5Aexists, to.id(), name.c_str()) > 0) continue;
      if (owner.empty() && std::ranges::find(kClosingKeys, name) != kClosingKeys.end()) continue;
      try_to(fmt::format("the attribute '{}'{}{}", name, owner.empty() ? "" : " of ", owner),
             [&] { copy_attribute(from, to, name); });
    }
  }

  void copy_attribute(const Handle& from, const Handle& to, const std::string& name) const {
    const Handle old(h5_from_("H5Aopen", H5Aopen, from.id(), name.c_str(), H5P_DEFAULT));
    const Handle type(h5_from_("H5Aget_type", H5Aget_type, old.id()));
    // The lists of dimensions consist of them, which are made again.
    if (h5_from_("H5Tdetect_class", H5Tdetect_class, type.id(), H5T_REFERENCE) > 0) return;
    const Handle space(h5_from_("H5Aget_space", H5Aget_space, old.id()));
    const auto elements = static_cast<std::size_t>(
        h5_from_("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id()));
    std::vector<std::byte> values(elements * H5Tget_size(type.id()));
    const Handle copy(h5_("H5Acreate2", H5Acreate2, to.id(), name.c_str(), type.id(), space.id(),
                          H5P_DEFAULT, H5P_DEFAULT));
    if (values.empty()) return;
    h5_from_("H5Aread", H5Aread, old.id(), type.id(), static_cast<void*>(values.data()));
    h5_("H5Awrite", H5Awrite, copy.id(), type.id(), static_cast<const void*>(values.data()));
    h5_("H5Dvlen_reclaim", H5Dvlen_reclaim, type.id(), space.id(), H5P_DEFAULT,
        static_cast<void*>(values.data()));
  }

  CheckedCall h5_from_;
  Handle from_;
  const CheckedCall& h5_;
  const Handle& to_;
};

}  // namespace

void copy_additions(const std::string& path, const CheckedCall& h5, const Handle& to,
                    const ImageHeader& header) {
  try {
    Additions(path, h5, to).copy(header);
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): HDF5 cannot read the old file
  }
}

}  // namespace tessera::store
