#include "store/zarr/zarr_store.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "codec/inflate_stream.hpp"
#include "store/formats/zip_archive.hpp"

namespace tessera::store {
namespace {

class FileValue : public ZarrValue {
 public:
  explicit FileValue(const std::string& path) : file_(path) {}
  std::uint64_t size_bytes() const override { return file_.size_bytes(); }
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    file_.read_at(offset, bytes);
  }

 private:
  base::InputFile file_;
};

class FolderStore : public ZarrStore {
 public:
  explicit FolderStore(std::string path) : path_(std::move(path)) {}
  std::unique_ptr<const ZarrValue> open(const std::string& key) const override {
    try {
      return std::make_unique<FileValue>(path_ + "/" + key);
    } catch (const base::Error& error) {
      if (error.code() == base::ExitCode::missing) return nullptr;
      throw;
    }
  }
  bool has(const std::string& key) const override { return base::is_regular(path_ + "/" + key); }
  std::vector<std::string> folders_in(const std::string& folder) const override {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path_ + "/" + folder, error)) {
      if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }

 private:
  std::string path_;
};

/// Bytes of a stored member where they lie.
class StoredMember : public ZarrValue {
 public:
  StoredMember(std::shared_ptr<const ZipArchive> archive, const ZipMember& member)
      : archive_(std::move(archive)),
        offset_(archive_->data_offset(member)),
        bytes_(member.bytes),
        crc32_(member.crc32),
        name_(member.name) {}
  std::uint64_t size_bytes() const override { return bytes_; }
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    if (offset > bytes_ || bytes.size() > bytes_ - offset) {
      throw base::run_error("{}: {} ends too early", archive_->path(), name_);
    }
    archive_->file().read_at(offset_ + offset, bytes);
    // A shard is read in parts, and its index has a checksum of its own.
    if (bytes.size() < bytes_ || codec::crc32_of(bytes) == crc32_) return;
    throw base::run_error("{}: {} is damaged: its checksum is another one", archive_->path(),
                          name_);
  }

 private:
  std::shared_ptr<const ZipArchive> archive_;
  std::uint64_t offset_, bytes_;
  std::uint32_t crc32_;
  std::string name_;
};

/// A deflated member in memory.
class InflatedMember : public ZarrValue {
 public:
  InflatedMember(const ZipArchive& archive, const ZipMember& member) {
    archive.inflate(member, [this](std::span<const std::byte> some) {
      bytes_.insert(bytes_.end(), some.begin(), some.end());
    });
  }
  std::uint64_t size_bytes() const override { return bytes_.size(); }
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    if (offset > bytes_.size() || bytes.size() > bytes_.size() - offset) {
      throw base::run_error("a member of a zip archive ends too early");
    }
    std::ranges::copy(std::span(bytes_).subspan(offset, bytes.size()), bytes.begin());
  }

 private:
  base::Bytes bytes_;
};

class ZipStore : public ZarrStore {
 public:
  explicit ZipStore(const std::string& path) : archive_(std::make_shared<ZipArchive>(path)) {}
  std::unique_ptr<const ZarrValue> open(const std::string& key) const override {
    const ZipMember* const member = archive_->find(key);
    if (member == nullptr) return nullptr;
    if (!member->problem.empty()) {
      throw base::usage_error("{}: {} {}", archive_->path(), key, member->problem);
    }
    if (member->is_deflated) return std::make_unique<InflatedMember>(*archive_, *member);
    return std::make_unique<StoredMember>(archive_, *member);
  }
  bool has(const std::string& key) const override { return archive_->find(key) != nullptr; }
  std::vector<std::string> folders_in(const std::string& folder) const override {
    std::set<std::string> names;
    for (const ZipMember& member : archive_->members()) {
      if (!member.name.starts_with(folder)) continue;
      const std::size_t end = member.name.find('/', folder.size());
      if (end != member.name.npos) {
        names.insert(member.name.substr(folder.size(), end - folder.size()));
      }
    }
    return {names.begin(), names.end()};
  }

 private:
  std::shared_ptr<const ZipArchive> archive_;
};

}  // namespace

std::optional<std::string> ZarrStore::read_text(const std::string& key) const {
  const auto value = open(key);
  if (!value) return std::nullopt;
  // not crossed: only refuses
  constexpr std::uint64_t kMaxValueBytes = std::uint64_t{64} << 20;
  if (value->size_bytes() > kMaxValueBytes) throw base::usage_error("{}: is too large", key);
  std::string text(value->size_bytes(), '\0');
  value->read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

std::unique_ptr<const ZarrStore> open_zarr_store(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::make_unique<FolderStore>(path);
  return std::make_unique<ZipStore>(path);
}

}  // namespace tessera::store
