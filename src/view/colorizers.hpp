// Colorizers of the last pictures. Making one takes longer than colouring a small picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "color/colorizer.hpp"
#include "job/image/color_job.hpp"

namespace tessera::view {

/// Any thread may use it.
class Colorizers {
 public:
  using Pointer = std::shared_ptr<const color::Colorizer>;

  /// Keeps `most` of them.
  explicit Colorizers(std::size_t most) : most_(most) {}

  Pointer get(const job::ColorJob& look, std::uint64_t iterations);

 private:
  using Key = std::tuple<std::string, double, double, std::string, std::uint32_t>;

  std::size_t most_;
  std::mutex mutex_;
  std::list<std::pair<Key, Pointer>> last_;  ///< the last used first
};

}  // namespace tessera::view
