#include "browse/open_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/open_input.hpp"
#include "statistics/half.hpp"
#include "store/arrays/dimension_scales.hpp"

namespace tessera::browse {
namespace {

/// The part of --memory that is for the program, in the advice for large chunks.
constexpr double kOthers = 128 << 20;

std::unique_ptr<store::ArraySource> open(const job::ArrayJob& job) {
  const std::int64_t bytes = reduce::piece_bytes(job);
  if (!job.map.empty()) return reduce::open_source(job, bytes);
  return reduce::open_input(job.inputs, bytes, reduce::MissingAs::shown);
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::size_t bytes_of(const plan::Shape& extent, base::ElementType type) {
  return static_cast<std::size_t>(plan::element_count(extent)) * base::element_bytes(type);
}

/// Whether the element stands for a missing one.
bool is_missing(const store::ArrayInfo& info, const std::byte* element) {
  if (!info.missing) return false;
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, base::element_bytes(info.type));
  return bits == info.missing->fill || bits == info.missing->range;
}

/// The rows that a box of `rows` x `columns` numbers has, from memory that has them in the order of
/// the array.
void copy_numbers(const store::ArrayInfo& info, const std::byte* from, std::int64_t row_step,
                  std::int64_t column_step, const base::ImageSize& size, double* to,
                  std::int64_t to_step) {
  const base::ElementType type = info.type;
  const bool may_miss = info.missing && !base::is_floating(type);
  const auto bytes = static_cast<std::int64_t>(base::element_bytes(type));
  for (std::int64_t y = 0; y < size.height; ++y) {
    const std::byte* element = from + y * row_step * bytes;
    double* row = to + y * to_step;
    base::with_element_type(type, [&](auto kind) {
      for (std::int64_t x = 0; x < size.width; ++x, element += column_step * bytes) {
        if (may_miss && is_missing(info, element)) {
          row[x] = std::numeric_limits<double>::quiet_NaN();
          continue;
        }
        if (type == base::ElementType::f16) {
          row[x] = number_at(type, element);
          continue;
        }
        decltype(kind) value;
        std::memcpy(&value, element, sizeof(value));
        row[x] = static_cast<double>(value);
      }
    });
  }
}

/// Elements from one index to the next in that dimension of a box in C order.
std::int64_t step_of(const plan::Shape& extent, std::size_t dimension) {
  std::int64_t step = 1;
  for (std::size_t d = dimension + 1; d < extent.size(); ++d) step *= extent[d];
  return step;
}

std::string text_of(const store::ArrayInfo& info, const std::byte* element) {
  const base::ElementType type = info.type;
  if (is_missing(info, element)) return kMissingText;
  if (info.is_boolean) return *element == std::byte{} ? "false" : "true";
  if (type == base::ElementType::f16) return fmt::format("{}", number_at(type, element));
  return base::with_element_type(type, [&](auto kind) {
    std::memcpy(&kind, element, sizeof(kind));
    if constexpr (sizeof(kind) == 1) return fmt::format("{}", static_cast<int>(kind));
    return fmt::format("{}", kind);
  });
}

}  // namespace

double number_at(base::ElementType type, const std::byte* element) {
  return base::with_element_type(type, [&](auto kind) -> double {
    std::memcpy(&kind, element, sizeof(kind));
    if constexpr (std::is_same_v<decltype(kind), std::uint16_t>) {
      if (type == base::ElementType::f16) return statistics::widen_half(kind);
    }
    return static_cast<double>(kind);
  });
}

OpenArray::OpenArray(job::ArrayJob job, std::shared_ptr<ArrayChunks> chunks, std::size_t max_chunk)
    : job_(std::move(job)),
      source_(open(job_)),
      chunks_(std::move(chunks)),
      chunk_shape_(source_->chunk_shape()),
      number_(next_number()) {
  if (info().shape.empty() || plan::element_count(info().shape) == 0) {
    throw base::usage_error("{}: has no elements to show", info().name);
  }
  if (chunk_shape_.empty()) return;
  if (const std::size_t bytes = bytes_of(chunk_shape_, info().type); bytes > max_chunk) {
    throw base::usage_error("{}: each of its chunks has {} in memory; --memory {} would do",
                            info().name, base::format_bytes(static_cast<double>(bytes)),
                            base::format_bytes(16.0 * static_cast<double>(bytes) + kOthers));
  }
}

base::ImageSize OpenArray::chunk_of(const Plane& plane) const {
  const plan::Shape chunk = source_->chunk_shape();
  if (chunk.empty()) return {};
  return {chunk[plane.columns], plane.rows ? chunk[*plane.rows] : 1};
}

void OpenArray::read_box(const plan::Box& box, std::span<std::byte> to) const {
  readers_.lend([&](reduce::PieceReader& reader) {
    reduce::read_box(*source_, box, reader, to);
    reader.release();
  });
}

ArrayChunks::Pointer OpenArray::chunk(const plan::Shape& index) const {
  return chunks_->get({number_, index}, [&] {
    plan::Box box{index, chunk_shape_};
    for (std::size_t d = 0; d < index.size(); ++d) {
      box.origin[d] *= chunk_shape_[d];
      box.extent[d] = std::min(chunk_shape_[d], info().shape[d] - box.origin[d]);
    }
    auto elements = std::make_shared<base::Bytes>(bytes_of(box.extent, info().type));
    read_box(box, *elements);
    return elements;
  });
}

void OpenArray::read(const Plane& plane, const base::PixelRect& rect, std::span<double> to) const {
  if (!chunk_shape_.empty()) return read_by_chunks(plane, rect, to);
  const plan::Box box = plane.box(rect);
  base::Bytes elements(bytes_of(box.extent, info().type));
  read_box(box, elements);
  copy_numbers(info(), elements.data(), plane.rows ? step_of(box.extent, *plane.rows) : 0,
               step_of(box.extent, plane.columns), {rect.width, rect.height}, to.data(),
               rect.width);
}

void OpenArray::read_by_chunks(const Plane& plane, const base::PixelRect& rect,
                               std::span<double> to) const {
  plan::Shape index = plane.at;
  for (std::size_t d = 0; d < index.size(); ++d) index[d] /= chunk_shape_[d];
  const std::int64_t wide = chunk_shape_[plane.columns];
  const std::int64_t high = plane.rows ? chunk_shape_[*plane.rows] : 1;
  for (std::int64_t i = rect.y / high; i * high < rect.y + rect.height; ++i) {
    if (plane.rows) index[*plane.rows] = i;
    for (std::int64_t j = rect.x / wide; j * wide < rect.x + rect.width; ++j) {
      index[plane.columns] = j;
      base::throw_if_stopped("serve");
      copy_from_chunk(index, plane, rect, to);
    }
  }
}

/// What the chunk has of the rectangle.
void OpenArray::copy_from_chunk(const plan::Shape& index, const Plane& plane,
                                const base::PixelRect& rect, std::span<double> to) const {
  const ArrayChunks::Pointer elements = chunk(index);
  plan::Shape origin = index;
  plan::Shape extent = chunk_shape_;
  std::int64_t first = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    origin[d] *= chunk_shape_[d];
    extent[d] = std::min(extent[d], info().shape[d] - origin[d]);
  }
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (d == plane.columns || d == plane.rows) continue;
    first += (plane.at[d] - origin[d]) * step_of(extent, d);
  }
  const std::int64_t column_step = step_of(extent, plane.columns);
  const std::int64_t row_step = plane.rows ? step_of(extent, *plane.rows) : 0;
  const std::int64_t left = std::max(rect.x, origin[plane.columns]);
  const std::int64_t right =
      std::min(rect.x + rect.width, origin[plane.columns] + extent[plane.columns]);
  const std::int64_t above = plane.rows ? origin[*plane.rows] : 0;
  const std::int64_t top = std::max(rect.y, above);
  const std::int64_t bottom =
      std::min(rect.y + rect.height, above + (plane.rows ? extent[*plane.rows] : 1));
  first += (left - origin[plane.columns]) * column_step + (top - above) * row_step;
  copy_numbers(
      info(),
      elements->data() + first * static_cast<std::int64_t>(base::element_bytes(info().type)),
      row_step, column_step, {right - left, bottom - top},
      to.data() + (top - rect.y) * rect.width + left - rect.x, rect.width);
}

std::string OpenArray::value(const Plane& plane, std::int64_t x, std::int64_t y) const {
  base::Bytes element(base::element_bytes(info().type));
  read_box(plane.box({x, y, 1, 1}), element);
  return text_of(info(), element.data());
}

const std::vector<Coordinates>& OpenArray::coordinates() const {
  std::call_once(coordinates_read_, [&] {
    const auto scales = store::read_scales(source_->dimensions(), info().shape);
    coordinates_.resize(info().shape.size());
    for (std::size_t d = 0; d < scales.size(); ++d) {
      coordinates_[d] = {source_->dimensions()[d].name, scales[d]};
    }
  });
  return coordinates_;
}

}  // namespace tessera::browse
