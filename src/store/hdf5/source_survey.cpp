#include "store/hdf5/source_survey.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file/open_files.hpp"
#include "base/read_number.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/element_type.hpp"
#include "store/hdf5/external_files.hpp"
#include "store/hdf5/filters.hpp"
#include "store/hdf5/handle.hpp"
#include "store/hdf5/links.hpp"
#include "store/hdf5/open_file.hpp"
#include "store/hdf5/search.hpp"
#include "store/hdf5/virtual_mapping.hpp"

namespace tessera::store {

namespace {

/// Throws a run error if the file `joined` is an image in parts, and the file `source` at `path` is
/// not that part of it which its name says. HDF5 would take any file of that name, also one in the
/// current folder.
void check_part(const CheckedCall& h5, const Handle& joined, const Handle& source,
                const std::string& path) {
  if (!is_image(h5, joined)) return;
  const Attributes image = read_attributes(h5, joined);
  const std::string parts = find_attribute(image, kPartsKey);
  if (parts.empty()) return;
  const Attributes part = read_attributes(CheckedCall(path), source);
  const auto number = base::read_integer(std::filesystem::path(path).stem().string());
  const std::string status = fmt::format("{}{}/{}", kPartStatus, number.value_or(-1) + 1, parts);
  if (find_attribute(part, kFingerprintKey) != find_attribute(image, kFingerprintKey)) {
    throw base::run_error("{}: is a part of another image", path);
  }
  if (find_attribute(part, kStatusKey) != status) {
    throw base::run_error("{}: is another part than its name says", path);
  }
}

/// Blocks behind a missing one that are looked for: HDF5 ends the array at the first missing one.
// crossed by: test_sources_behind_a_gap_are_looked_for_so_far
constexpr std::uint64_t kMaxGap = 100;
/// Descriptors for the rest of the program. HDF5 needs a free one to find that a file is open.
// crossed by: test_more_sources_than_files_may_be_open
constexpr std::uint64_t kSpareFiles = 64;

std::string real_path(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::weakly_canonical(path, unknown).string();
}

bool converts(const Handle& from, const Handle& to) {
  const std::scoped_lock lock(hdf5_mutex());
  tame_hdf5();
  H5T_cdata_t* state = nullptr;
  return H5Tfind(from.id(), to.id(), &state) != nullptr;
}

void append(std::vector<std::size_t>& to, const std::vector<std::size_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
  std::ranges::sort(to);
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

class SourceSurveyor {
 public:
  explicit SourceSurveyor(const Hdf5Dataset& data) : data_(data) {}

  SourceSurvey run() {
    std::vector<UsedFiles> used = follow(data_.dataset, data_.info.name);
    return {std::move(used), std::move(open_), std::move(files_)};
  }

 private:
  using Files = std::vector<std::size_t>;

  /// A virtual dataset that is followed.
  struct Place {
    const Handle& dataset;
    const Handle& file;
    std::string path;  ///< path of the file
    std::string name;  ///< name of the dataset, for messages
  };

  std::vector<UsedFiles> follow(const Handle& dataset, const std::string& name) {
    const CheckedCall h5(file_of(data_.h5, dataset));
    check_filters(h5, dataset, name);
    const plan::Shape shape = shape_of(h5, dataset);
    UsedFiles own{.box = {.origin = plan::Shape(shape.size(), 0), .extent = shape},
                  .files = {add_file(h5.file())}};
    for (const std::string& file : check_external_files(h5, dataset, name)) {
      append(own.files, {add_file(file)});
    }
    std::vector<UsedFiles> used;
    used.push_back(std::move(own));
    const Handle creation(h5("H5Dget_create_plist", H5Dget_create_plist, dataset.id()));
    if (h5("H5Pget_layout", H5Pget_layout, creation.id()) != H5D_VIRTUAL) return used;
    const Handle file(h5("H5Iget_file_id", H5Iget_file_id, dataset.id()));
    const Place at{.dataset = dataset, .file = file, .path = h5.file(), .name = name};
    const std::size_t mappings = count_mappings(h5, creation);
    for (std::size_t i = 0; i < mappings; ++i) {
      const VirtualMapping mapping = mapping_at(h5, creation, i);
      if (mapping.counts_blocks) {
        follow_blocks(at, mapping, shape, used);
      } else {
        follow_mapping(at, mapping, shape, used);
      }
    }
    return used;
  }
  void follow_mapping(const Place& at, const VirtualMapping& mapping, const plan::Shape& shape,
                      std::vector<UsedFiles>& used) {
    const CheckedCall h5(at.path);
    const auto elements = selected_elements(h5, mapping.space, shape);
    if (!elements) throw base::usage_error("{}: is smaller than what it maps", at.name);
    if (*elements == 0) return;
    used.push_back(
        {bounds_of(h5, mapping.space, shape), files_of_source(at, mapping, 0, *elements)});
  }
  void follow_blocks(const Place& at, const VirtualMapping& mapping, const plan::Shape& shape,
                     std::vector<UsedFiles>& used) {
    const CheckedCall h5(at.path);
    const std::size_t d = *mapping.unlimited;
    const plan::Box first = block_of(h5, mapping, 0);
    plan::Shape of_one = shape;
    of_one[d] = first.origin[d] + first.extent[d];
    const auto elements = selected_elements(h5, mapping.space, of_one);
    if (!elements) throw base::usage_error("{}: is smaller than what it maps", at.name);
    std::uint64_t block = 0;
    for (plan::Box box = first; box.origin[d] < shape[d]; box = block_of(h5, mapping, ++block)) {
      used.push_back({box, files_of_source(at, mapping, block, *elements)});
    }
    check_end(at, mapping, block, *elements);
  }
  /// Throws if sources go on where HDF5 ends the array: the next one is damaged, or is missing
  /// among others.
  void check_end(const Place& at, const VirtualMapping& mapping, std::uint64_t end,
                 std::uint64_t elements) {
    if (has_block(at, mapping, end)) {
      files_of_source(at, mapping, end, elements);
      throw base::run_error("{}: its sources change while they are opened", at.name);
    }
    for (std::uint64_t block = end + 1; block <= end + kMaxGap; ++block) {
      if (!has_block(at, mapping, block)) continue;
      const auto name = [&](std::uint64_t number) {
        return fmt::format("{} in {}", name_of_block(mapping.dataset, number),
                           name_of_block(mapping.file, number));
      };
      throw base::missing_error("{}: has elements of {}, which is not there, although {} is",
                                at.name, name(end), name(block));
    }
  }
  /// The files of a source, of which the mapping takes that many elements.
  Files files_of_source(const Place& at, const VirtualMapping& mapping, std::uint64_t block,
                        std::uint64_t elements) {
    const std::string path = path_of_source(at, name_of_block(mapping.file, block));
    const std::string name = name_of_block(mapping.dataset, block);
    const Handle dataset = open_source(at, path, name);
    if (path != at.path) check_part(CheckedCall(at.path), at.file, open_file(at, path), path);
    const CheckedCall h5(path);
    const plan::Shape shape = shape_of(h5, dataset);
    if (selected_elements(h5, mapping.source_space, shape) != elements) {
      throw base::usage_error(
          "{}: has {} elements in {}, whose dataset {} of {} does not have them", at.name, elements,
          path, name, job::format_shape(shape));
    }
    const Handle stored(h5("H5Dget_type", H5Dget_type, dataset.id()));
    const Handle requested = read_type(data_);
    if (!converts(stored, requested)) {
      throw base::usage_error(
          "{}: has elements in {}, whose dataset {} has elements of another kind", at.name, path,
          name);
    }
    const auto key = std::pair(real_path(path), name);
    const auto [known, is_new] = followed_.try_emplace(key);
    if (is_new) {
      Files files{add_file(path)};
      const std::string through = fmt::format("{}, through {}:{}", data_.info.name, path, name);
      for (const UsedFiles& used : follow(dataset, through)) append(files, used.files);
      followed_[key] = std::move(files);
    } else if (known->second.empty()) {
      throw base::usage_error("{}: has its elements in itself", at.name);
    }
    return followed_[key];
  }
  /// The path of a source file that is there.
  std::string path_of_source(const Place& at, const std::string& file) const {
    if (file == ".") return at.path;
    const auto place = find_named_file(file, at.path, kSourceFolders);
    if (place.empty()) {
      throw base::missing_error("{}: has elements in {}, which is not there", at.name, file);
    }
    std::error_code unknown;
    if (std::filesystem::is_directory(place, unknown)) {
      throw base::usage_error("{}: has elements in {}, which is a folder", at.name, file);
    }
    return place.string();
  }
  const Handle& open_file(const Place& at, const std::string& path) {
    if (path == at.path) return at.file;
    const auto [place, is_new] = opened_.try_emplace(path, open_.size());
    if (!is_new) return open_[place->second];
    if (!base::have_spare_files(kSpareFiles)) {
      throw base::usage_error("{}: has its elements in more files than may be open: ulimit -n {}",
                              at.name, 2 * (open_.size() + kSpareFiles));
    }
    try {
      check_readable_hdf5(path);
      open_.push_back(open_as_hdf5_would(CheckedCall(path), at.file));
    } catch (const base::Error& error) {
      throw base::usage_error("{}: has elements in {}, which cannot be read: {}", at.name, path,
                              error.what());
    }
    return open_.back();
  }
  Handle open_source(const Place& at, const std::string& path, const std::string& dataset) {
    const Handle& file = open_file(at, path);
    const CheckedCall h5(path);
    const std::scoped_lock lock(hdf5_mutex());
    Handle object(H5Oopen(file.id(), dataset.c_str(), H5P_DEFAULT));
    if (object.id() < 0) {
      const BrokenLink broken = broken_link(h5, file, dataset);
      const std::string why =
          broken.what.empty() ? "which has no dataset " + dataset : "where " + broken.what;
      throw base::Error(broken.code, fmt::format("{}: has elements in {}, {}", at.name, path, why));
    }
    if (H5Iget_type(object.id()) != H5I_DATASET) {
      throw base::usage_error("{}: has elements in {}, where {} is a group or a type", at.name,
                              path, dataset);
    }
    // Behind a link it is in another file, which is to stay open as well.
    if (file_of(h5, object) != path) {
      open_.emplace_back(h5("H5Iget_file_id", H5Iget_file_id, object.id()));
    }
    return object;
  }
  bool has_block(const Place& at, const VirtualMapping& mapping, std::uint64_t block) {
    const std::string file = name_of_block(mapping.file, block);
    if (file != "." && find_named_file(file, at.path, kSourceFolders).empty()) return false;
    if (file != name_of_block(mapping.file, block + 1)) return true;  // the file alone tells
    const std::string path = path_of_source(at, file);
    const Handle& opened = open_file(at, path);
    const std::scoped_lock lock(hdf5_mutex());
    tame_hdf5();
    return H5Lexists(opened.id(), name_of_block(mapping.dataset, block).c_str(), H5P_DEFAULT) > 0;
  }
  std::size_t add_file(const std::string& path) {
    const auto [place, is_new] = places_.try_emplace(path, files_.size());
    if (!is_new) return place->second;
    auto held = find_file(path);
    if (!held) throw base::run_error("{}: {} is gone", data_.info.name, path);
    files_.push_back(std::move(*held));
    return place->second;
  }

  const Hdf5Dataset& data_;
  std::vector<Handle> open_;
  std::vector<HeldFile> files_;
  std::map<std::string, std::size_t> places_;  ///< in files_, by path
  std::map<std::string, std::size_t> opened_;  ///< in open_, by path
  /// By path and dataset: a source may serve many mappings. Empty while it is followed.
  std::map<std::pair<std::string, std::string>, Files> followed_;
};

}  // namespace

SourceSurvey survey_sources(const Hdf5Dataset& data) {
  return SourceSurveyor(data).run();
}

}  // namespace tessera::store
