#include "store/formats/npz.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/file/unnamed_file.hpp"
#include "store/arrays/contiguous_array.hpp"
#include "store/formats/array_names.hpp"
#include "store/formats/zip_archive.hpp"

namespace tessera::store {
namespace {

constexpr std::string_view kSuffix = ".npy";

std::string name_of(const ZipMember& member) {
  return "/" + member.name.substr(0, member.name.size() - kSuffix.size());
}

std::vector<std::string> names_of(const std::vector<const ZipMember*>& arrays) {
  std::vector<std::string> names;
  for (const ZipMember* member : arrays) names.push_back(name_of(*member));
  return names;
}

std::vector<const ZipMember*> arrays_in(const ZipArchive& archive) {
  std::vector<const ZipMember*> arrays;
  for (const ZipMember& member : archive.members()) {
    if (member.name.ends_with(kSuffix)) arrays.push_back(&member);
  }
  return arrays;
}

/// The archive's member of that name, inflated. An input may be opened several times in a run, so
/// the last file is used again while somebody has it and the archive is the same.
std::shared_ptr<const base::UnnamedFile> inflated(const ZipArchive& archive,
                                                  const ZipMember& member) {
  struct Kept {
    std::weak_ptr<const base::UnnamedFile> file;
    base::FileStamp stamp;
  };
  static std::mutex mutex;
  static std::map<std::string, Kept> kept;
  const std::scoped_lock lock(mutex);
  std::erase_if(kept, [](const auto& one) { return one.second.file.expired(); });
  Kept& known = kept[archive.path() + ":" + member.name];
  const base::FileStamp stamp = base::stamp_of(archive.path());
  if (auto file = known.file.lock(); file && known.stamp == stamp) return file;
  auto file = std::make_shared<base::UnnamedFile>();
  archive.inflate(member, [&](std::span<const std::byte> bytes) { file->write(bytes); });
  known = {file, stamp};
  return file;
}

/// With or without .npy, which may be the end of the name itself.
job::ArrayInput as_listed(job::ArrayInput input, const std::vector<std::string>& names) {
  const bool is_listed = std::ranges::find(names, input.dataset) != names.end();
  if (!is_listed && input.dataset.ends_with(kSuffix)) {
    input.dataset.resize(input.dataset.size() - kSuffix.size());
  }
  return input;
}

}  // namespace

bool is_zip(const PathHead& head) {
  return head.starts_with("PK\3\4") || head.starts_with("PK\5\6");
}

std::vector<std::string> list_npz(const std::string& path) {
  const ZipArchive archive(path);
  return names_of(arrays_in(archive));
}

std::unique_ptr<ArraySource> open_npz(const job::ArrayInput& input, std::int64_t piece_bytes) {
  const ZipArchive archive(input.path);
  const std::vector<const ZipMember*> arrays = arrays_in(archive);
  const std::vector<std::string> names = names_of(arrays);
  const ZipMember& member = *arrays[find_array(as_listed(input, names), names)];
  if (!member.problem.empty()) {
    throw base::usage_error("{}: {} {}", input.path, name_of(member), member.problem);
  }
  ArrayInfo info{.name = input.text, .dataset = name_of(member), .kind = "npz, ", .shape = {}};
  if (!member.is_deflated) {
    return open_npy_within(input.path, archive.data_offset(member), member.bytes, std::move(info),
                           piece_bytes);
  }
  info.kind = "npz, deflated, ";
  auto file = inflated(archive, member);
  return open_npy_within(file->path(), 0, file->size_bytes(), std::move(info), piece_bytes, file);
}

}  // namespace tessera::store
