#include "post/color/picture.hpp"

#include <algorithm>
#include <span>

#include "api/call.hpp"
#include "api/source_state.hpp"
#include "base/error.hpp"
#include "base/read_number.hpp"
#include "color/palette.hpp"
#include "job/image/coloring.hpp"
#include "job/values.hpp"
#include "post/color/equalize.hpp"
#include "post/color/painter.hpp"
#include "store/picture/picture_format.hpp"
#include "tessera/image.hpp"

namespace tessera::v0 {
namespace {

/// Options of colours, and `scale`.
struct Look : job::Coloring {
  int scale = 1;
};

Look parse_look(const Options& options) {
  Look look;
  std::vector<std::string> names = {"scale"};
  for (const auto& row : job::coloring_rows()) names.emplace_back(row.name);
  for (const auto& [name, value] : options) {
    const auto& rows = job::coloring_rows();
    const auto row = std::ranges::find(rows, name, &job::Option<job::Coloring>::name);
    if (row != rows.end()) {
      row->set(look, value, name);
    } else if (name == "scale") {
      const auto scale = base::read_integer(value);
      if (!scale || *scale < 1 || *scale > 1024) {
        throw base::usage_error("scale: '{}' is not from 1 to 1024", value);
      }
      look.scale = static_cast<int>(*scale);
    } else {
      throw base::usage_error("{}: there is no such option of colours; {}", name,
                              job::suggestion(name, names));
    }
  }
  return look;
}

/// Rows of the values in memory.
class Rows {
 public:
  explicit Rows(const ArrayView& view)
      : first_(static_cast<const std::byte*>(view.data)),
        type_(api::element_of(view.type)),
        width_(static_cast<std::size_t>(view.shape.at(1))),
        stride_(view.strides_bytes.empty()
                    ? static_cast<std::ptrdiff_t>(width_ * base::element_bytes(type_))
                    : view.strides_bytes.front()) {}

  base::ElementType type() const { return type_; }
  const std::byte* at(std::int64_t x, std::int64_t y) const {
    return first_ + y * stride_ + x * static_cast<std::ptrdiff_t>(base::element_bytes(type_));
  }

 private:
  const std::byte* first_;
  base::ElementType type_;
  std::size_t width_;
  std::ptrdiff_t stride_;
};

/// Calls visit(x, pixels, is_missing) for the stretches of a row.
template <class Visit>
void for_each_stretch(const ImageValues& image, std::int64_t y, std::int64_t width,
                      const Visit& visit) {
  if (image.missing == nullptr) return visit(0, static_cast<std::size_t>(width), false);
  const std::span row(image.missing + y * image.width, static_cast<std::size_t>(width));
  for (std::size_t x = 0; x < row.size();) {
    const auto end = std::find_if(row.begin() + static_cast<std::ptrdiff_t>(x), row.end(),
                                  [&](std::uint8_t one) { return one != row[x]; });
    const auto pixels = static_cast<std::size_t>(end - row.begin()) - x;
    visit(static_cast<std::int64_t>(x), pixels, row[x] != 0);
    x += pixels;
  }
}

void check(const ImageValues& image) {
  const ArrayView& values = image.values;
  const bool is_image = values.shape == Shape{image.height, image.width} && !values.swapped &&
                        image.width > 0 && image.height > 0;
  if (!is_image) throw base::usage_error("picture: the values are no rows of an image");
  const auto element = static_cast<std::int64_t>(base::element_bytes(api::element_of(values.type)));
  if (!values.strides_bytes.empty() && values.strides_bytes.at(1) != element) {
    throw base::usage_error("picture: the values of a row do not lie one behind the other");
  }
}

std::vector<std::byte> encoded(const base::Bytes& pixels, const store::PictureLayout& layout,
                               std::size_t pixel_bytes) {
  std::vector<std::byte> file;
  const store::PictureFormat& format = store::picture_formats().front();
  const auto take = [&](std::span<const std::byte> part) {
    file.insert(file.end(), part.begin(), part.end());
  };
  const auto writer =
      format.create({.path = "picture.png", .take = take}, layout, {{"Software", "Tessera"}});
  writer->put(format.make_encoder()->encode(pixels, layout.size_px.width, pixel_bytes));
  writer->finish();
  return file;
}

/// The values that shade it. Throws a usage error if some are missing.
job::PerField<const std::byte*> shading_of(const ImageValues& image, const job::Coloring& look) {
  const job::PerField<const float*> given{
      .distance = image.distance, .gradient_x = image.gradient_x, .gradient_y = image.gradient_y};
  job::PerField<const std::byte*> shading;
  for (const job::Field field : job::shading_fields(look)) {
    if (given[field] == nullptr) {
      throw base::usage_error("{}: needs the field {}",
                              field == job::Field::distance ? "distance" : "light",
                              job::field_choice(field));
    }
    shading[field] = reinterpret_cast<const std::byte*>(given[field]);
  }
  return shading;
}

std::vector<std::byte> painted(const ImageValues& image, Look look) {
  check(image);
  job::settle_colors(look, image.beyond_f64);
  const Rows rows(image.values);
  const auto width = static_cast<std::size_t>(image.width);
  comm::World world = comm::World::single();
  const auto colors = std::make_shared<const color::Colorizer>(post::make_colorizer(
      world, look, post::palette_of(look), image.limit, true, [&](color::ValueRange range) {
        color::StepCounts counts(range);
        for (std::int64_t y = 0; y < image.height; ++y) {
          for_each_stretch(image, y, image.width, [&](auto x, auto pixels, bool is_missing) {
            if (!is_missing) counts.add(rows.at(x, y), rows.type(), pixels);
          });
        }
        return counts;
      }));
  const job::PerField<const std::byte*> shading = shading_of(image, look);
  post::Painter::Edge edge;
  if (look.distance > 0) edge.emplace(look.distance * look.scale, colors->inside());
  std::optional<color::Light> light;
  if (look.light) light.emplace(look.light->azimuth_deg, look.light->height);
  const color::PixelFormat format{
      .depth = look.png_depth,
      .alpha = image.missing != nullptr,
      .dither = look.png_depth == 8 && (shading.any() || rows.type() == base::ElementType::f32)};
  const base::ImageSize size{image.width / look.scale, image.height / look.scale};
  if (size.width == 0 || size.height == 0) {
    throw base::usage_error("scale: {} is more than the image has pixels", look.scale);
  }
  post::Painter painter(colors, edge, format, look.scale, rows.type(), light);
  base::Bytes pixels;
  painter.begin(size, 0, 0, pixels);
  for (std::int64_t y = 0; y < size.height * look.scale; ++y) {
    const auto put = [&](std::int64_t x, std::size_t length, bool is_missing) {
      post::ValueRun run{.x = x, .y = y, .pixels = length};
      if (!is_missing) run.values = rows.at(x, y);
      const std::size_t place = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
      for (const job::Field field : job::shading_fields(look)) {
        run.beside[field] = shading[field] + place * sizeof(float);
      }
      painter.put(run);
    };
    for_each_stretch(image, y, size.width * look.scale, put);
  }
  painter.finish();
  return encoded(pixels, {.size_px = size, .depth = format.depth, .alpha = format.alpha},
                 format.bytes());
}

}  // namespace

std::vector<std::byte> picture(const ImageValues& image, const Options& look) {
  return api::translate([&] { return painted(image, parse_look(look)); });
}

std::vector<std::string> palettes() {
  std::vector<std::string> names;
  for (const color::Palette& palette : color::builtin_palettes()) names.push_back(palette.name);
  return names;
}

}  // namespace tessera::v0
