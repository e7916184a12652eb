// Where the keys of a Zarr hierarchy lie: a folder with a file for each, or a zip archive. Private
// to store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::store {

/// The bytes of a key. Any thread may read them.
class ZarrValue {
 public:
  virtual ~ZarrValue() = default;
  virtual std::uint64_t size_bytes() const = 0;
  /// Throws base::Error (failed) if there are fewer.
  virtual void read_at(std::uint64_t offset, std::span<std::byte> bytes) const = 0;
};

/// Any thread may use it.
class ZarrStore {
 public:
  virtual ~ZarrStore() = default;
  /// Null if there is no such key.
  virtual std::unique_ptr<const ZarrValue> open(const std::string& key) const = 0;
  virtual bool has(const std::string& key) const = 0;
  /// The names of folders below `folder` ("" or "a/b/").
  virtual std::vector<std::string> folders_in(const std::string& folder) const = 0;

  /// Nothing if there is no such key.
  std::optional<std::string> read_text(const std::string& key) const;
};

std::unique_ptr<const ZarrStore> open_zarr_store(const std::string& path);

}  // namespace tessera::store
