#include "post/color/value_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "color/colorizer.hpp"

namespace tessera::post {
namespace {

using store::ValueChannels;

constexpr std::uint64_t kInsideCount = std::numeric_limits<std::uint64_t>::max();

template <class T>
T value_at(const std::byte* bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof value, sizeof value);
  return value;
}

/// Values below -1023, which no formula has, stay above the mark of missing pixels.
std::uint64_t count_of(float whole) {
  constexpr auto kBias = static_cast<float>(ValueChannels::kBias);
  const float count = std::max(whole, 1 - kBias);
  if (count < 0) return static_cast<std::uint64_t>(count + kBias);
  return static_cast<std::uint64_t>(count) + ValueChannels::kBias;
}

struct Smooth {
  float whole, rest;
};

/// Counts up to here are what a smooth value is near, without its fraction.
// crossed by: test_an_exr_has_the_digits_of_the_fraction
constexpr float kMostCounts = 1 << 23;

/// A smooth value with the digits that `fraction` has.
Smooth smooth_of(float value, float fraction) {
  if (!(std::abs(value) < kMostCounts)) return {std::floor(value), value - std::floor(value)};
  const float whole = std::floor(fraction);
  const float rest = std::min(fraction - whole, std::nextafter(1.0F, 0.0F));
  return {std::round(value - fraction) + whole, rest};
}

}  // namespace

void ValueRecords::begin(base::ImageSize size_px, base::Bytes& out) {
  width_px_ = size_px.width;
  out_ = &out;
  out.resize(static_cast<std::size_t>(size_px.pixels()) * channels_.bytes());
}

void ValueRecords::put_record(std::uint64_t count, float fraction, const Beside& beside) {
  const auto add = [&](const void* value) {
    std::memcpy(next_, value, sizeof(float));
    next_ += sizeof(float);
  };
  const auto low = static_cast<std::uint32_t>(count);
  const auto high = static_cast<std::uint32_t>(count >> 32);
  add(&low);
  if (channels_.wide) add(&high);
  if (channels_.fraction) add(&fraction);
  if (channels_.distance) add(&beside.right);
  if (channels_.distance) add(&beside.up);
  if (channels_.phase) add(&beside.phase);
}

ValueRecords::Beside ValueRecords::beside_of(const ValueRun& run, std::size_t pixel) {
  const auto value = [&](const std::byte* field) {
    return field ? value_at<float>(field, pixel) : 0;
  };
  const std::byte* const right = run.beside.gradient_x;
  return {value(right ? right : run.beside.distance), value(run.beside.gradient_y),
          value(run.beside.phase)};
}

template <class T>
void ValueRecords::put_values(const ValueRun& run) {
  for (std::size_t i = 0; i < run.pixels; ++i) {
    const T value = value_at<T>(run.values, i);
    const Beside beside = beside_of(run, i);
    if (color::is_inside(value, channels_.iterations)) {
      put_record(kInsideCount, 0, beside);
    } else if constexpr (std::is_floating_point_v<T>) {
      const std::byte* const fraction = run.beside.fraction;
      const Smooth smooth = fraction ? smooth_of(value, value_at<float>(fraction, i))
                                     : Smooth{std::floor(value), value - std::floor(value)};
      std::isfinite(value) ? put_record(count_of(smooth.whole), smooth.rest, beside)
                           : put_record(0, 0, beside);
    } else {
      put_record(value + ValueChannels::kBias, 0, beside);
    }
  }
}

void ValueRecords::put(const ValueRun& run) {
  const auto first = static_cast<std::size_t>(run.y * width_px_ + run.x) * channels_.bytes();
  next_ = out_->data() + first;
  if (!run.values) {
    std::fill_n(next_, run.pixels * channels_.bytes(), std::byte{0});
    return;
  }
  switch (type_) {
    case base::ElementType::u16:
      return put_values<std::uint16_t>(run);
    case base::ElementType::u32:
      return put_values<std::uint32_t>(run);
    case base::ElementType::u64:
      return put_values<std::uint64_t>(run);
    default:
      return put_values<float>(run);
  }
}

}  // namespace tessera::post
