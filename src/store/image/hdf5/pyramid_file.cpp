#include "store/image/pyramid_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file/file_lock.hpp"
#include "base/file/posix_file.hpp"
#include "codec/chunk.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/handle.hpp"
#include "store/hdf5/open_file.hpp"
#include "store/hdf5/writing_access.hpp"
#include "store/image/hdf5/field_dataset.hpp"
#include "store/image/hdf5/state.hpp"

namespace tessera::store {
namespace {

constexpr const char* kPyramidName = "tessera-pyramid";
constexpr const char* kPyramidVersion = "3";
constexpr const char* kIncluded = "tiles";
constexpr const char* kChecksums = "checksums";
constexpr std::uint8_t kNotWritten = 0xFF;

ImageHeader header_of(const PyramidSpec& spec, int level) {
  return {.size_px = spec.size_of(level), .tile_px = spec.tile_px};
}

Attributes attributes_of(const PyramidSpec& spec) {
  return {{kFormatKey, kPyramidName},
          {kVersionKey, kPyramidVersion, Attribute::Type::integer},
          {"fingerprint", spec.fingerprint},
          {"field", std::string(job::field_name(spec.field))}};
}

std::uint64_t count_tiles(const PyramidSpec& spec) {
  return static_cast<std::uint64_t>(header_of(spec, 0).grid().pixels());
}

/// The checksum of stored bytes, or another number if that is 0.
std::uint32_t stored_checksum(std::span<const std::byte> bytes) {
  return std::max(codec::crc32c(bytes), 1U);
}

/// Arrays of 32-bit numbers in groups of the file.
void create_numbers(const CheckedCall& h5, const Handle& group, const char* name,
                    const std::vector<std::uint32_t>& numbers) {
  const hsize_t size = numbers.size();
  const Handle space(h5("H5Screate_simple", H5Screate_simple, 1, &size, nullptr));
  const Handle dataset(h5("H5Dcreate2", H5Dcreate2, group.id(), name, H5T_STD_U32LE, space.id(),
                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

Handle open_numbers(const CheckedCall& h5, const Handle& group, const char* name) {
  return Handle(h5("H5Dopen2", H5Dopen2, group.id(), name, H5P_DEFAULT));
}

void write_numbers(const CheckedCall& h5, const Handle& group, const char* name,
                   const std::vector<std::uint32_t>& numbers) {
  h5("H5Dwrite", H5Dwrite, open_numbers(h5, group, name).id(), H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL,
     H5P_DEFAULT, numbers.data());
}

/// False if there are not as many.
bool read_numbers(const CheckedCall& h5, const Handle& group, const char* name,
                  std::vector<std::uint32_t>& numbers) {
  const Handle dataset = open_numbers(h5, group, name);
  const Handle space(h5("H5Dget_space", H5Dget_space, dataset.id()));
  const auto found = h5("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id());
  if (static_cast<std::uint64_t>(found) != numbers.size()) return false;
  h5("H5Dread", H5Dread, dataset.id(), H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT,
     numbers.data());
  return true;
}

bool can_write(const std::string& path) {
  return ::access(path.c_str(), R_OK | W_OK) == 0;
}

}  // namespace

base::ImageSize PyramidSpec::size_of(int level) const {
  const std::int64_t side = std::int64_t{1} << level;
  return {(size_px.width + side - 1) / side, (size_px.height + side - 1) / side};
}

struct PyramidFile::State {
  State(const std::string& path, const PyramidSpec& spec_) : spec(spec_), h5(path) {}

  void create() {
    const std::scoped_lock guard(hdf5_mutex());
    read_only = false;
    set_sizes();
    const Handle access = writing_access(h5, false);
    file = Handle(h5("H5Fcreate", H5Fcreate, h5.file().c_str(),
                     static_cast<unsigned>(H5F_ACC_TRUNC), H5P_DEFAULT, access.id()));
    for (const Attribute& attribute : attributes_of(spec)) {
      set_attribute(h5, file, attribute, TextLayout::fixed);
    }
    for (int level = 1; level <= spec.levels; ++level) {
      const std::string name = std::to_string(level);
      const Handle group(h5("H5Gcreate2", H5Gcreate2, file.id(), name.c_str(), H5P_DEFAULT,
                            H5P_DEFAULT, H5P_DEFAULT));
      FieldDataset::create(h5, group, header_of(spec, level), spec.field, spec.type);
      create_numbers(h5, group, kChecksums, checksums[static_cast<std::size_t>(level - 1)]);
    }
    create_numbers(h5, file, kIncluded, included);
    open_levels();
    set_status(kUnfinished);
  }

  /// With zeros.
  void set_sizes() {
    included.assign(count_tiles(spec), 0);
    checksums.clear();
    for (int level = 1; level <= spec.levels; ++level) {
      checksums.emplace_back(static_cast<std::size_t>(header_of(spec, level).grid().pixels()));
    }
  }

  Handle open_group(int level) const {
    const std::string name = std::to_string(level);
    return Handle(h5("H5Gopen2", H5Gopen2, file.id(), name.c_str(), H5P_DEFAULT));
  }

  void open_levels() {
    for (int level = 1; level <= spec.levels; ++level) {
      levels.emplace_back(h5, open_group(level), spec.field);
    }
  }

  void open_file(unsigned flags, bool after_kill) {
    const Handle access = writing_access(h5, after_kill);
    file = Handle(h5("H5Fopen", H5Fopen, h5.file().c_str(), flags, access.id()));
  }

  /// HDF5 marks a file that is open for writing, so one that needs no change is not.
  void begin_changes() {
    if (!saved) return;
    if (read_only) {
      close();
      open_file(H5F_ACC_RDWR, false);
      open_levels();
      read_only = false;
    }
    set_status(kUnfinished);
  }

  /// False if the file is not of this image, or cannot be read. `after_kill`: also one that nobody
  /// has closed.
  bool open(bool after_kill) {
    const std::scoped_lock guard(hdf5_mutex());
    try {
      open_file(after_kill ? H5F_ACC_RDWR : H5F_ACC_RDONLY, after_kill);
      read_only = !after_kill;
      set_sizes();
      const Attributes found = read_attributes(h5, file);
      for (const Attribute& requested : attributes_of(spec)) {
        if (find_attribute(found, requested.name) != requested.text) return false;
      }
      saved = find_attribute(found, kStatusKey) == kComplete;
      if (!saved && !after_kill) return false;
      open_levels();
      if (!fits() || !read_all_numbers()) return false;
      if (!saved) forget_damaged();
      return true;
    } catch (const base::Error&) {
      return false;
    }
  }

  bool read_all_numbers() {
    for (int level = 1; level <= spec.levels; ++level) {
      auto& of_level = checksums[static_cast<std::size_t>(level - 1)];
      if (!read_numbers(h5, open_group(level), kChecksums, of_level)) return false;
    }
    return read_numbers(h5, file, kIncluded, included);
  }

  /// Forgets chunks that have changed since their checksums were written, and the tiles of such
  /// chunks of level 1. Those of the other levels can be made again from level 1.
  void forget_damaged() {
    std::vector<std::byte> bytes;
    std::uint32_t mask = 0;
    for (int level = 1; level <= spec.levels; ++level) {
      const std::int64_t columns = header_of(spec, level).grid().width;
      const auto number = static_cast<std::size_t>(level - 1);
      std::int64_t chunk = 0;
      for (std::uint32_t& checksum : checksums[number]) {
        const std::int64_t row = chunk / columns;
        const std::int64_t column = chunk % columns;
        ++chunk;
        if (checksum == 0) continue;
        const bool whole =
            levels[number].read(row, column, bytes, mask) && stored_checksum(bytes) == checksum;
        if (!whole) checksum = 0;
      }
    }
    const std::int64_t columns = header_of(spec, 0).grid().width;
    std::int64_t tile = 0;
    for (std::uint32_t& mark : included) {
      if (checksum_at(1, tile / columns / 2, tile % columns / 2) == 0) mark = 0;
      ++tile;
    }
  }

  std::uint32_t& checksum_at(int level, std::int64_t row, std::int64_t column) {
    const std::int64_t columns = header_of(spec, level).grid().width;
    return checksums[static_cast<std::size_t>(level - 1)]
                    [static_cast<std::size_t>(row * columns + column)];
  }

  std::uint8_t& mask_of(int level, std::int64_t row, std::int64_t column) {
    const base::ImageSize grid = header_of(spec, level).grid();
    masks.resize(levels.size());
    auto& of_level = masks[static_cast<std::size_t>(level - 1)];
    of_level.resize(static_cast<std::size_t>(grid.pixels()), kNotWritten);
    return of_level[static_cast<std::size_t>(row * grid.width + column)];
  }

  bool fits() const {
    int level = 0;
    return std::ranges::all_of(levels, [&](const FieldDataset& dataset) {
      const ImageHeader header = header_of(spec, ++level);
      return dataset.size_px() == header.size_px && dataset.chunk_px() == header.chunk_px() &&
             dataset.type() == spec.type;
    });
  }

  void close() {
    levels.clear();
    file.reset();
  }

  void set_status(const char* status) {
    set_attribute(h5, file, {kStatusKey, status}, TextLayout::fixed);
    flush();
    saved = std::string_view(status) == kComplete;
  }

  /// The damage is in what HDF5 itself needs, so the next run starts with a new file.
  void give_up() {
    failed = true;
    if (named) base::remove_file(h5.file());
  }

  void flush() { h5("H5Fflush", H5Fflush, file.id(), H5F_SCOPE_GLOBAL); }

  /// The chunks first, then what they include.
  void checkpoint() {
    for (int level = 1; level <= spec.levels; ++level) {
      write_numbers(h5, open_group(level), kChecksums,
                    checksums[static_cast<std::size_t>(level - 1)]);
    }
    flush();
    write_numbers(h5, file, kIncluded, included);
    flush();
  }

  void save() {
    if (saved) return;
    checkpoint();
    set_status(kComplete);
  }

  PyramidSpec spec;
  CheckedCall h5;
  std::unique_ptr<base::FileLock> lock;
  Handle file;
  std::vector<FieldDataset> levels;  ///< from level 1 on
  std::vector<std::uint32_t> included;
  std::vector<std::vector<std::uint32_t>>
      checksums;  ///< checksums of the chunks of each level; 0 = none
  /// Filter masks of the chunks of each level that this object has written. HDF5 1.10 forgets the
  /// mask of a chunk that was written and not looked up since (H5D__chunk_direct_write).
  std::vector<std::vector<std::uint8_t>> masks;
  bool saved = true;  ///< since the last change
  bool named = true;
  bool failed = false;
  bool read_only = false;
};

PyramidFile::PyramidFile(std::unique_ptr<State> state) : state_(std::move(state)) {}

PyramidFile::PyramidFile(const std::string& path, const PyramidSpec& spec)
    : state_(std::make_unique<State>(path, spec)) {
  const base::PosixFile exists(path, base::PosixFile::Start::as_it_is);
  state_->lock = std::make_unique<base::FileLock>(path);
  if (!can_write(path)) throw base::run_error("{}: cannot be written", path);
  for (const bool after_kill : {false, true}) {
    if (state_->open(after_kill)) return;
    state_->close();
  }
  state_->create();
}

std::unique_ptr<PyramidFile> PyramidFile::unnamed(const std::string& folder,
                                                  const PyramidSpec& spec) {
  const std::string path =
      fmt::format("{}/tessera-{}-{}.pyramid", folder, ::getpid(), spec.fingerprint);
  auto state = std::make_unique<State>(path, spec);
  state->create();
  state->named = false;
  base::remove_file(path);
  return std::unique_ptr<PyramidFile>(new PyramidFile(std::move(state)));
}

PyramidFile::~PyramidFile() {
  const std::scoped_lock guard(hdf5_mutex());
  try {
    if (state_->named && !state_->failed) state_->save();
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): a later run makes it again
  }
  state_->close();
}

const PyramidSpec& PyramidFile::spec() const {
  return state_->spec;
}

std::vector<std::uint32_t>& PyramidFile::tiles() {
  return state_->included;
}

bool PyramidFile::has(int level, std::int64_t row, std::int64_t column) const {
  const std::scoped_lock guard(hdf5_mutex());
  return state_->checksum_at(level, row, column) != 0;
}

bool PyramidFile::read(int level, std::int64_t row, std::int64_t column,
                       std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const {
  const std::scoped_lock guard(hdf5_mutex());
  std::uint32_t& checksum = state_->checksum_at(level, row, column);
  if (checksum == 0) return false;
  try {
    const auto number = static_cast<std::size_t>(level - 1);
    const bool is_there = state_->levels[number].read(row, column, bytes, filter_mask);
    if (!is_there || stored_checksum(bytes) != checksum) {
      checksum = 0;
      return false;
    }
  } catch (const base::Error&) {
    state_->give_up();
    checksum = 0;
    return false;
  }
  const std::uint8_t written = state_->mask_of(level, row, column);
  if (written != kNotWritten) filter_mask = written;
  return true;
}

void PyramidFile::write(int level, std::int64_t row, std::int64_t column,
                        std::span<const std::byte> bytes, std::uint32_t filter_mask) {
  const std::scoped_lock guard(hdf5_mutex());
  try {
    state_->begin_changes();
    state_->levels[static_cast<std::size_t>(level - 1)].write(row, column, bytes, filter_mask);
    state_->mask_of(level, row, column) = static_cast<std::uint8_t>(filter_mask);
    state_->checksum_at(level, row, column) = stored_checksum(bytes);
  } catch (const base::Error&) {
    state_->failed = true;
    throw;
  }
}

void PyramidFile::checkpoint() {
  const std::scoped_lock guard(hdf5_mutex());
  if (state_->named && !state_->saved) state_->checkpoint();
}

void PyramidFile::save() {
  const std::scoped_lock guard(hdf5_mutex());
  if (state_->named) state_->save();
}

std::optional<std::string> describe_pyramid(const std::string& path) {
  try {
    const std::scoped_lock guard(hdf5_mutex());
    check_readable_hdf5(path);
    const CheckedCall h5(path);
    const Handle file = open_settled_hdf5(h5);
    const Attributes found = read_attributes(h5, file);
    if (find_attribute(found, kFormatKey) != kPyramidName) return std::nullopt;
    return fmt::format("field {} of the image {}", find_attribute(found, "field"),
                       find_attribute(found, "fingerprint"));
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace tessera::store
