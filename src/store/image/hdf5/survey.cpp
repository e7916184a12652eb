#include "store/image/hdf5/survey.hpp"

#include <optional>
#include <utility>

#include "base/run.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/open_file.hpp"
#include "store/image/hdf5/axes.hpp"

namespace tessera::store {

namespace {

/// If HDF5's index lacks more tiles than this, copying is faster.
// not crossed: the index is flushed after half as many tiles
constexpr std::size_t kMaxUnindexed = std::size_t{1} << 16;

/// HDF5's chunk index, as found in the file.
class FoundIndex {
 public:
  /// Throws base::Error if HDF5 cannot read the file, or finds another image.
  explicit FoundIndex(const ImageState& state)
      : h5_(state.h5.file()), file_(open_settled_hdf5(h5_)) {
    // A run that was killed or cut off within finish() may have written any of its parts.
    if (has_timing(h5_, file_) || has_axes(h5_, file_, state.header))
      throw base::run_error("{}: was being finished", h5_.file());
    for (const auto& [field, type] : state.header.fields) {
      const FieldDataset& dataset = fields_.emplace_back(h5_, file_, field);
      const bool same = dataset.type() == type && dataset.size_px() == state.header.size_px &&
                        dataset.chunk_px() == state.header.chunk_px() &&
                        dataset.filtered() == (state.header.compress > 0);
      if (!same) throw base::run_error("{}: /{} has changed", h5_.file(), job::field_name(field));
    }
    // These are read now because the finished file needs them too.
    read_attributes(h5_, file_);
    for_each_tile(h5_, file_, [](const TileRow&) {});
  }

  enum class Has { all, none, other };
  /// Whether the index has the tile's chunks, with the sizes of the record.
  Has look_up(const LogRecord& record) const {
    std::size_t right = 0;
    std::size_t absent = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::uint64_t bytes = fields_[i].stored_bytes(record.tile.row, record.tile.column);
      if (bytes == record.chunks[i].bytes) ++right;
      if (bytes == 0) ++absent;
    }
    if (right == fields_.size()) return Has::all;
    return absent == fields_.size() ? Has::none : Has::other;
  }
  bool has_any(std::int64_t row, std::int64_t column) const {
    return std::ranges::any_of(
        fields_, [&](const FieldDataset& field) { return field.stored_bytes(row, column) > 0; });
  }

 private:
  CheckedCall h5_;
  Handle file_;
  std::vector<FieldDataset> fields_;
};

class Surveyor {
 public:
  explicit Surveyor(const ImageState& state)
      : state_(state), grid_(state.header.grid()), bytes_(state.h5.file()) {
    const auto tiles = static_cast<std::size_t>(grid_.pixels());
    survey_.found.stored.resize(tiles);
    logged_.resize(tiles);
    try {
      index_.emplace(state);
    } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): the index does not agree
    }
  }

  Survey run() {
    for_each_record(log_path(state_.h5.file()), [&](const LogRecord& record) { take(record); });
    const auto& stored = survey_.found.stored;
    survey_.found.tiles = std::ranges::count(stored, true);
    survey_.found.damaged = std::ranges::count(logged_, true) - survey_.found.tiles;
    compare([&](const FoundIndex& index) {
      for (std::size_t tile = 0; tile < logged_.size(); ++tile) {
        const auto number = static_cast<std::int64_t>(tile);
        // The bytes of a chunk without a log record may have been overwritten since.
        if (!logged_[tile] && index.has_any(number / grid_.width, number % grid_.width))
          return false;
      }
      // The address of a damaged chunk may be beyond the end of the file.
      return survey_.found.damaged == 0 && survey_.unindexed.size() <= kMaxUnindexed;
    });
    survey_.index_agrees = index_.has_value();
    return std::move(survey_);
  }

 private:
  /// Drops the index if `agrees` returns false or HDF5 reports an error.
  template <class Agrees>
  void compare(Agrees agrees) {
    if (!index_) return;
    try {
      if (agrees(*index_)) return;
    } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): a damaged page
    }
    index_.reset();
  }

  void take(const LogRecord& record) {
    base::throw_if_stopped(state_.path);
    const bool ours = record.tile.row < grid_.height && record.tile.column < grid_.width &&
                      record.fields == state_.header.fields.size();
    if (!ours) return;
    const auto tile = static_cast<std::size_t>(state_.number_of(record.tile));
    bool sound = true;
    for (std::size_t i = 0; i < record.fields; ++i) {
      sound = sound && !bytes_.read_sound(record.chunks[i]).empty();
    }
    const bool again = survey_.found.stored[tile];
    logged_[tile] = true;
    if (sound) survey_.found.stored[tile] = true;
    compare([&](const FoundIndex& index) {
      const FoundIndex::Has has = index.look_up(record);
      if (has == FoundIndex::Has::none && sound && !again &&
          survey_.unindexed.size() <= kMaxUnindexed) {
        survey_.unindexed.push_back(record);
      }
      return has != FoundIndex::Has::other;
    });
  }

  const ImageState& state_;
  base::ImageSize grid_;
  StoredBytes bytes_;
  std::vector<bool> logged_;
  std::optional<FoundIndex> index_;
  Survey survey_;
};

}  // namespace

Survey survey_image(const ImageState& state) {
  return Surveyor(state).run();
}

}  // namespace tessera::store
