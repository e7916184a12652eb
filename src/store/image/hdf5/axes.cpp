#include "store/image/hdf5/axes.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/hdf5/scales.hpp"

namespace tessera::store {

namespace {

/// 8 MiB for an axis.
constexpr std::int64_t kMaxOnAxis = std::int64_t{1} << 20;

constexpr const char* kRows = "im";
constexpr const char* kColumns = "re";

std::shared_ptr<const WrittenScale> scale_of(const char* name, const Axis& axis,
                                             std::int64_t length) {
  WrittenScale scale{.name = name, .length = length};
  const std::vector<double> values = axis.all(length);
  const auto bytes = std::as_bytes(std::span(values));
  scale.values.assign(bytes.begin(), bytes.end());
  return std::make_shared<const WrittenScale>(std::move(scale));
}

}  // namespace

double Axis::at(std::int64_t pixel, std::int64_t pixels) const {
  const double from_middle = static_cast<double>(pixel) + 0.5 - static_cast<double>(pixels) / 2;
  return std::fma(from_middle, step, center);
}

std::vector<double> Axis::all(std::int64_t pixels) const {
  std::vector<double> all;
  if (step == 0) return all;
  all.reserve(static_cast<std::size_t>(pixels));
  for (std::int64_t i = 0; i < pixels; ++i) all.push_back(at(i, pixels));
  return all;
}

void write_axes(const CheckedCall& h5, const Handle& file, const ImageHeader& header) {
  const auto [width, height] = header.size_px;
  if (header.re.step == 0 || width > kMaxOnAxis || height > kMaxOnAxis) return;
  const std::vector scales = {scale_of(kRows, header.im, height),
                              scale_of(kColumns, header.re, width)};
  std::vector<WrittenArray> fields;
  for (const auto& [field, type] : header.fields) {
    fields.push_back({.name = std::string(job::field_name(field)), .scales = scales});
  }
  write_scales(h5, file, fields);
}

bool has_axes(const CheckedCall& h5, const Handle& file, const ImageHeader& header) {
  const auto is_there = [&](const char* name) {
    return h5("H5Lexists", H5Lexists, file.id(), name, H5P_DEFAULT) > 0;
  };
  return is_there(kRows) || is_there(kColumns) ||
         std::ranges::any_of(header.fields, [&](const auto& field) {
           const std::string name(job::field_name(field.first));
           return h5("H5Aexists_by_name", H5Aexists_by_name, file.id(), name.c_str(),
                     kDimensionList, H5P_DEFAULT) > 0;
         });
}

}  // namespace tessera::store
