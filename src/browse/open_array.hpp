// An array that is looked at: its elements as numbers. Chunks are decoded once while the cache
// holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/geometry.hpp"
#include "base/idle_objects.hpp"
#include "base/lru_cache.hpp"
#include "browse/plane.hpp"
#include "job/arrays/array_job.hpp"
#include "reduce/input/piece_reader.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/written_array.hpp"

namespace tessera::browse {

/// By the number of an OpenArray and the index of the chunk.
using ArrayChunks = base::LruCache<std::pair<std::uint64_t, plan::Shape>, base::Bytes>;

/// Coordinates of a dimension.
struct Coordinates {
  std::string name;                                  ///< "" = none
  std::shared_ptr<const store::WrittenScale> scale;  ///< null = none; it may lack values

  bool has_values() const { return scale && !scale->values.empty(); }
};

/// The text of an element that is missing.
inline constexpr const char* kMissingText = "missing";

/// Any thread may use it.
class OpenArray {
 public:
  /// Opens the array that the job reduces, one input or an expression of several. Throws the errors
  /// of opening, and a usage error for chunks of more than `max_chunk` bytes: a chunk is decoded as
  /// a whole, and held.
  OpenArray(job::ArrayJob job, std::shared_ptr<ArrayChunks> chunks, std::size_t max_chunk);

  const job::ArrayJob& job() const { return job_; }
  const store::ArrayInfo& info() const { return source_->info(); }
  const store::ArraySource& source() const { return *source_; }
  /// A number that no other OpenArray has.
  std::uint64_t number() const { return number_; }
  /// Rows and columns of a plane that are best read together; 0 x 0 = any.
  base::ImageSize chunk_of(const Plane& plane) const;

  /// As ArraySource::read_box(), without the cache.
  void read_box(const plan::Box& box, std::span<std::byte> to) const;
  /// The elements of the rectangle, row by row; NaN where they are missing.
  void read(const Plane& plane, const base::PixelRect& rect, std::span<double> to) const;
  /// A text that reads back to the element, or "missing".
  std::string value(const Plane& plane, std::int64_t x, std::int64_t y) const;

  /// For each dimension. Read when first asked for.
  const std::vector<Coordinates>& coordinates() const;

 private:
  ArrayChunks::Pointer chunk(const plan::Shape& index) const;
  void read_by_chunks(const Plane& plane, const base::PixelRect& rect, std::span<double> to) const;
  void copy_from_chunk(const plan::Shape& index, const Plane& plane, const base::PixelRect& rect,
                       std::span<double> to) const;

  job::ArrayJob job_;
  std::unique_ptr<store::ArraySource> source_;
  std::shared_ptr<ArrayChunks> chunks_;
  plan::Shape chunk_shape_;  ///< empty: chunks are not held
  std::uint64_t number_;
  mutable base::IdleObjects<reduce::PieceReader> readers_{
      [this] { return std::make_unique<reduce::PieceReader>(*source_, 0); }};
  mutable std::once_flag coordinates_read_;
  mutable std::vector<Coordinates> coordinates_;
};

/// NaN for elements that are missing; for people who look at numbers, not for sums.
double number_at(base::ElementType type, const std::byte* element);

}  // namespace tessera::browse
