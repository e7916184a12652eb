#include "browse/plane_scales.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "browse/block_means.hpp"

namespace tessera::browse {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kBlockElements = 1 << 16;  ///< fewer are not worth a read
constexpr std::int64_t kMaxBlocks = 1 << 22;
constexpr std::size_t kLeastBytes = std::size_t{1} << 20;  ///< whatever --memory says
constexpr base::ImageSize kAnyChunk{1024, 64};             ///< of an array that lies in rows

base::ImageSize at_level(const base::ImageSize& size, int level) {
  const std::int64_t side = std::int64_t{1} << level;
  return {divided_up(size.width, side), divided_up(size.height, side)};
}

/// Bytes of all levels from this one on.
double bytes_from(const base::ImageSize& size, int level) {
  const base::ImageSize cells = at_level(size, level);
  return static_cast<double>(cells.width) * static_cast<double>(cells.height) * sizeof(double) * 4 /
         3;
}

/// A mean of the numbers that are there.
struct Mean {
  double sum = 0;
  std::int64_t count = 0;

  void add(double value) {
    if (std::isnan(value)) return;
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? kMissing : sum / static_cast<double>(count); }
};

}  // namespace

PlaneScales::PlaneScales(std::shared_ptr<const OpenArray> array, Plane plane, std::size_t max_bytes)
    : array_(std::move(array)),
      plane_(std::move(plane)),
      sample_(plane_.size()),
      touched_(Clock::now()) {
  const base::ImageSize size = plane_.size();
  while (bytes_from(size, least_) > static_cast<double>(std::max(max_bytes, kLeastBytes))) ++least_;
  for (int level = least_; level == least_ || cells_.back().size.pixels() > 1; ++level) {
    const base::ImageSize cells = at_level(size, level);
    cells_.push_back(
        {cells, std::vector<double>(static_cast<std::size_t>(cells.pixels()), kMissing)});
  }
  choose_blocks();
  order_blocks();
}

std::size_t PlaneScales::bytes() const {
  std::size_t bytes = sample_.bytes() + blocks_.size() * (sizeof(Block) + sizeof(order_[0]));
  for (const Cells& cells : cells_) bytes += cells.values.size() * sizeof(double);
  return bytes;
}

/// Blocks have whole cells, and whole chunks where these are whole cells.
void PlaneScales::choose_blocks() {
  const base::ImageSize size = plane_.size();
  base::ImageSize chunk = array_->chunk_of(plane_);
  if (chunk.pixels() == 0)
    chunk = plane_.is_turned() ? base::ImageSize{kAnyChunk.height, kAnyChunk.width} : kAnyChunk;
  const std::int64_t cell = std::int64_t{1} << least_;
  block_px_ = {divided_up(chunk.width, cell) * cell, divided_up(chunk.height, cell) * cell};
  const auto blocks = [&] {
    return divided_up(size.width, block_px_.width) * divided_up(size.height, block_px_.height);
  };
  while ((block_px_.pixels() < kBlockElements || blocks() > kMaxBlocks) && blocks() > 1) {
    const bool wider = block_px_.height >= size.height ||
                       (block_px_.width < size.width && block_px_.width <= block_px_.height);
    (wider ? block_px_.width : block_px_.height) *= 2;
  }
  blocks_px_ = {divided_up(size.width, block_px_.width), divided_up(size.height, block_px_.height)};
  blocks_.resize(static_cast<std::size_t>(blocks_px_.pixels()));
}

/// First those at multiples of a large step in both directions, then of half of it, ...
void PlaneScales::order_blocks() {
  const auto longest = static_cast<std::uint64_t>(std::max(blocks_px_.width, blocks_px_.height));
  const auto first_step = static_cast<std::int64_t>(std::bit_ceil(longest));
  for (std::int64_t step = first_step; step > 0; step /= 2) {
    for (std::int64_t row = 0; row < blocks_px_.height; row += step) {
      for (std::int64_t column = 0; column < blocks_px_.width; column += step) {
        const bool earlier = step < first_step && (row | column) % (2 * step) == 0;
        if (!earlier) order_.push_back(static_cast<std::uint32_t>(row * blocks_px_.width + column));
      }
    }
  }
}

base::PixelRect PlaneScales::rect_of(std::int64_t block) const {
  const base::ImageSize size = plane_.size();
  const std::int64_t x = block % blocks_px_.width * block_px_.width;
  const std::int64_t y = block / blocks_px_.width * block_px_.height;
  return {x, y, std::min(block_px_.width, size.width - x),
          std::min(block_px_.height, size.height - y)};
}

bool PlaneScales::make_next() {
  const std::size_t mine = next_++;
  if (mine >= order_.size()) return false;
  try {
    make(order_[mine]);
  } catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    blocks_[order_[mine]] = {.mean = kMissing, .made = true};
    if (problem_.empty()) problem_ = error.what();
  }
  ++made_;
  return true;
}

void PlaneScales::make_for(std::chrono::milliseconds time) {
  const auto end = Clock::now() + time;
  while (make_next() && Clock::now() < end) {
  }
}

double PlaneScales::built_part() const {
  return static_cast<double>(made_) / static_cast<double>(order_.size());
}

std::string PlaneScales::problem() const {
  const std::shared_lock lock(mutex_);
  return problem_;
}

void PlaneScales::make(std::int64_t block) {
  const base::PixelRect rect = rect_of(block);
  const std::int64_t cell = std::int64_t{1} << least_;
  store(block,
        {rect.x >> least_, rect.y >> least_, divided_up(rect.width, cell),
         divided_up(rect.height, cell)},
        block_means(*array_, plane_, rect, least_,
                    [this](const base::PixelRect& part, std::span<const double> elements) {
                      const std::scoped_lock lock(mutex_);
                      sample_.take(part, elements);
                    }));
}

void PlaneScales::store(std::int64_t block, const base::PixelRect& cells,
                        const std::vector<double>& means) {
  Mean mean;
  for (const double value : means) {
    if (std::isfinite(value)) mean.add(value);
  }
  const std::scoped_lock lock(mutex_);
  Cells& least = cells_.front();
  for (std::int64_t y = 0; y < cells.height; ++y) {
    double* const row = least.values.data() + (cells.y + y) * least.size.width + cells.x;
    for (std::int64_t x = 0; x < cells.width; ++x) {
      row[x] = means[static_cast<std::size_t>(y * cells.width + x)];
    }
  }
  blocks_[static_cast<std::size_t>(block)] = {.mean = mean.value(), .made = true};
  renew_above(cells);
}

void PlaneScales::renew_above(base::PixelRect cells) {
  for (std::size_t k = 1; k < cells_.size(); ++k) {
    const std::int64_t right = (cells.x + cells.width - 1) / 2;
    const std::int64_t bottom = (cells.y + cells.height - 1) / 2;
    cells = {cells.x / 2, cells.y / 2, right - cells.x / 2 + 1, bottom - cells.y / 2 + 1};
    for (std::int64_t y = cells.y; y <= bottom; ++y) {
      for (std::int64_t x = cells.x; x <= right; ++x) {
        cells_[k].values[static_cast<std::size_t>(y * cells_[k].size.width + x)] =
            mean_of_four(cells_[k - 1], x, y);
      }
    }
  }
}

double PlaneScales::mean_of_four(const Cells& below, std::int64_t x, std::int64_t y) const {
  Mean mean;
  for (std::int64_t row = 2 * y; row < std::min(2 * y + 2, below.size.height); ++row) {
    for (std::int64_t column = 2 * x; column < std::min(2 * x + 2, below.size.width); ++column) {
      mean.add(below.values[static_cast<std::size_t>(row * below.size.width + column)]);
    }
  }
  return mean.value();
}

/// The mean of a block that was to be made before this one, and is made.
double PlaneScales::stand_in(std::int64_t row, std::int64_t column) const {
  for (std::int64_t bit = 1;; bit *= 2) {
    const Block& block = blocks_[static_cast<std::size_t>(row * blocks_px_.width + column)];
    if (block.made || (row | column) == 0) return block.made ? block.mean : kMissing;
    row &= ~bit;
    column &= ~bit;
  }
}

void PlaneScales::read(int level, const base::PixelRect& cells, std::span<double> to) const {
  const Cells& from = cells_[static_cast<std::size_t>(level - least_)];
  const std::shared_lock lock(mutex_);
  for (std::int64_t y = 0; y < cells.height; ++y) {
    const double* const row = from.values.data() + (cells.y + y) * from.size.width + cells.x;
    const std::int64_t block_row = ((cells.y + y) << level) / block_px_.height;
    for (std::int64_t x = 0; x < cells.width; ++x) {
      double& value = to[static_cast<std::size_t>(y * cells.width + x)];
      value = row[x];
      if (!std::isnan(value)) continue;
      const std::int64_t block_column = ((cells.x + x) << level) / block_px_.width;
      const Block& block =
          blocks_[static_cast<std::size_t>(block_row * blocks_px_.width + block_column)];
      if (!block.made) value = stand_in(block_row, block_column);
    }
  }
}

std::vector<double> PlaneScales::sample() const {
  const std::shared_lock lock(mutex_);
  return sample_.numbers();
}

}  // namespace tessera::browse
