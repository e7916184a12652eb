// Finds all files on which the elements of a dataset depend, so that a run can tell whether one of
// them has changed since. Where HDF5 would look in several places, all files there count.
#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "store/arrays/array_source.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/open_file.hpp"

namespace tessera::store {
namespace {

namespace fs = std::filesystem;

/// A name for glob() that stands for itself.
std::string literal(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

/// HDF5 puts numbers in the place of %b, %3b, ... in the name of a source file; %% is a %.
std::string source_pattern(std::string_view name) {
  std::string pattern;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      pattern += literal(name.substr(i, 1));
      continue;
    }
    const std::size_t end = name.find_first_not_of("0123456789", i + 1);
    const bool is_number = end < name.size() && name[end] == 'b';
    pattern += is_number ? '*' : '%';
    if (is_number) i = end;
    if (!is_number && end < name.size() && name[end] == '%') i = end;
  }
  return pattern;
}

std::vector<std::string> matching_files(const std::string& pattern) {
  std::vector<std::string> files;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    std::copy_n(found.gl_pathv, found.gl_pathc, std::back_inserter(files));
  }
  ::globfree(&found);
  return files;
}

/// The folders in which HDF5 may look for a name in the file `own`.
std::vector<fs::path> folders_of(const std::string& own, const char* prefix_variable) {
  std::error_code unknown;
  const fs::path folder = fs::path(own).parent_path();
  std::vector<fs::path> folders = {"", folder, fs::weakly_canonical(own, unknown).parent_path()};
  if (const char* const prefix = std::getenv(prefix_variable)) {
    constexpr std::string_view kOrigin = "${ORIGIN}";
    std::string text = prefix;
    if (text.starts_with(kOrigin)) text.replace(0, kOrigin.size(), folder.string());
    folders.emplace_back(text);
  }
  return folders;
}

class ReferenceSearch {
 public:
  /// Throws base::Error if there is no such dataset.
  void look_into(const std::string& path, const std::string& dataset) {
    if (!seen_.emplace(path, dataset).second) return;
    check_readable_hdf5(path);
    const CheckedCall h5(path);
    const Handle file = open_hdf5(h5);
    const Handle object(h5("H5Dopen2", H5Dopen2, file.id(), dataset.c_str(), H5P_DEFAULT));
    const std::string own = file_of(h5, object);
    if (own != file_of(h5, file)) files_.insert(own);  // behind an external link
    const Handle creation(h5("H5Dget_create_plist", H5Dget_create_plist, object.id()));
    const int raw_files = h5("H5Pget_external_count", H5Pget_external_count, creation.id());
    for (int i = 0; i < raw_files; ++i) add_raw_file(h5, creation, i, own);
    if (h5("H5Pget_layout", H5Pget_layout, creation.id()) != H5D_VIRTUAL) return;
    std::size_t parts = 0;
    h5("H5Pget_virtual_count", H5Pget_virtual_count, creation.id(), &parts);
    for (std::size_t part = 0; part < parts; ++part) add_source(h5, creation, part, own);
  }

  const std::set<std::string>& files() const { return files_; }

 private:
  void add_raw_file(const CheckedCall& h5, const Handle& creation, int i, const std::string& own) {
    constexpr std::size_t kPathBytes = 4096;
    std::string name(kPathBytes, '\0');
    h5("H5Pget_external", H5Pget_external, creation.id(), static_cast<unsigned>(i), kPathBytes - 1,
       name.data(), nullptr, nullptr);
    name.resize(name.find('\0'));
    std::error_code unknown;
    for (const fs::path& folder : folders_of(own, "HDF5_EXTFILE_PREFIX")) {
      if (fs::exists(folder / name, unknown)) files_.insert((folder / name).string());
    }
  }

  void add_source(const CheckedCall& h5, const Handle& creation, std::size_t part,
                  const std::string& own) {
    const std::string name =
        text_of(h5, "H5Pget_virtual_filename", H5Pget_virtual_filename, creation, part);
    const std::string dataset =
        text_of(h5, "H5Pget_virtual_dsetname", H5Pget_virtual_dsetname, creation, part);
    std::set<std::string> found;
    if (name == ".") found.insert(own);
    const std::string pattern = source_pattern(name);
    for (const fs::path& folder : folders_of(own, "HDF5_VDS_PREFIX")) {
      for (const fs::path& place : {fs::path(pattern), fs::path(pattern).filename()}) {
        std::ranges::copy(matching_files((fs::path(literal(folder.string())) / place).string()),
                          std::inserter(found, found.end()));
      }
    }
    for (const std::string& file : found) {
      if (file != own) files_.insert(file);
      try {
        look_into(file, dataset);
      } catch (const base::Error&) {
        continue;  // its name stands for several, or the run itself will say what is wrong
      }
    }
  }

  template <class Function>
  static std::string text_of(const CheckedCall& h5, const char* call, Function function,
                             const Handle& creation, std::size_t part) {
    const auto length = h5(call, function, creation.id(), part, nullptr, std::size_t{0});
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    h5(call, function, creation.id(), part, text.data(), text.size());
    text.pop_back();
    return text;
  }

  std::set<std::pair<std::string, std::string>> seen_;
  std::set<std::string> files_;
};

}  // namespace

std::vector<std::string> referenced_files(const job::ArrayInput& input) {
  if (input.format != job::ArrayInput::Format::hdf5) return {};
  const std::scoped_lock lock(hdf5_mutex());
  ReferenceSearch search;
  try {
    search.look_into(input.path, input.dataset);
  } catch (const base::Error&) {
    return {};  // opening it for the run says what is wrong
  }
  return {search.files().begin(), search.files().end()};
}

}  // namespace tessera::store
