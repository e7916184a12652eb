// The smaller scales of all that a look shows.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "base/text.hpp"
#include "job/image/color_job.hpp"
#include "view/open_image.hpp"
#include "view/pyramid.hpp"
#include "view/tile_image.hpp"

namespace tessera::view {

/// Null where the image needs none or has none.
class LookScales {
 public:
  using Pointer = std::shared_ptr<Pyramid>;

  LookScales() = default;
  /// `scale_of` returns the pyramid of a field.
  LookScales(const OpenImage& image, const job::ColorJob& look,
             const std::function<Pointer(job::Field)>& scale_of)
      : values_(scale_of(image.field(look.field))) {
    for (const job::Field field : job::shading_fields(look)) beside_[field] = scale_of(field);
  }

  TileImages::Scales scales() const {
    TileImages::Scales scales{.values = values_.get()};
    for (const job::Field field : job::kMoreFields) scales.beside[field] = beside_[field].get();
    return scales;
  }
  /// 0 to 1.
  double built_part() const {
    double part = 1;
    for_each([&](const Pyramid& scale) { part = std::min(part, scale.built_part()); });
    return part;
  }
  /// Changes with the contents of any of them.
  std::string revision() const {
    std::string text;
    for_each([&](const Pyramid& scale) { text += fmt::format("{} ", scale.revision()); });
    return text;
  }

 private:
  void for_each(const std::function<void(const Pyramid&)>& visit) const {
    if (values_) visit(*values_);
    for (const job::Field field : job::kMoreFields) {
      if (beside_[field]) visit(*beside_[field]);
    }
  }

  Pointer values_;
  job::PerField<Pointer> beside_;
};

}  // namespace tessera::view
