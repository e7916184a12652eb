#include "store/tiff/tiff_array.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file/input_file.hpp"
#include "base/idle_objects.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "plan/piece_boxes.hpp"
#include "store/arrays/contiguous_array.hpp"
#include "store/arrays/fill_element.hpp"
#include "store/arrays/strided_copy.hpp"
#include "store/tiff/tiff_file.hpp"

namespace tessera::store {
namespace {

/// Dimensions in the order of the array; those that a file lacks are left out of its shape.
struct Geometry {
  job::Shape all;                 ///< pages, planes, rows, columns, samples of a pixel
  job::Shape chunk;               ///< the same of a strip or tile
  std::vector<std::size_t> kept;  ///< dimensions of the array among them
};

Geometry geometry_of(const TiffPage& page, std::int64_t pages) {
  const std::int64_t planes = page.are_planes ? page.samples : 1;
  const std::int64_t samples = page.are_planes ? 1 : page.samples;
  Geometry geometry{.all = {pages, planes, page.rows, page.columns, samples},
                    .chunk = {1, 1, page.chunk_rows, page.chunk_columns, samples},
                    .kept = {}};
  for (std::size_t d = 0; d < geometry.all.size(); ++d) {
    const bool is_pixel = d == 2 || d == 3;
    if (is_pixel || geometry.all[d] > 1) geometry.kept.push_back(d);
  }
  return geometry;
}

job::Shape kept_of(const job::Shape& all, const Geometry& geometry) {
  job::Shape kept;
  for (const std::size_t d : geometry.kept) kept.push_back(all[d]);
  return kept;
}

/// GDAL's missing value. A text, with all digits of an integer of 64 bits.
std::optional<long double> no_data_of(const TiffPage& page) {
  std::string_view text = base::trim(page.no_data);
  if (text.starts_with('+')) text.remove_prefix(1);
  long double value = 0;
  const bool is_number =
      std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  return is_number ? std::optional(value) : std::nullopt;
}

std::vector<std::byte> fill_of(const TiffPage& page) {
  return fill_element(no_data_of(page).value_or(0), *page.type)
      .value_or(std::vector<std::byte>(base::element_bytes(*page.type)));
}

class TiffArray : public ArraySource {
 public:
  TiffArray(const std::string& path, ArrayInfo info, std::vector<TiffPage> pages)
      : ArraySource(std::move(info)),
        page_list_(std::move(pages)),
        geometry_(geometry_of(page_list_.front(), std::ssize(page_list_))),
        element_bytes_(base::element_bytes(info_.type)),
        fill_(fill_of(page_list_.front())),
        grid_(plan::ArrayPieces::boxes(geometry_.all, geometry_.chunk)),
        handles_([path] { return std::make_unique<TiffHandle>(path); }) {
    pieces_ = plan::ArrayPieces::boxes(info_.shape, TiffArray::chunk_shape());
  }

  plan::Shape chunk_shape() const override { return kept_of(geometry_.chunk, geometry_); }
  std::uint64_t read_memory_bytes() const override { return 3 * std::uint64_t{chunk_bytes()}; }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    plan::Box whole{plan::Shape(geometry_.all.size()), plan::Shape(geometry_.all.size(), 1)};
    for (std::size_t d = 0; d < geometry_.kept.size(); ++d) {
      whole.origin[geometry_.kept[d]] = box.origin[d];
      whole.extent[geometry_.kept[d]] = box.extent[d];
    }
    handles_.lend([&](TiffHandle& handle) { read_chunks(handle, whole, elements); });
  }

 private:
  std::size_t chunk_bytes() const {
    return static_cast<std::size_t>(plan::element_count(geometry_.chunk)) * element_bytes_;
  }
  std::int64_t chunks_along(std::size_t d) const {
    return (geometry_.all[d] + geometry_.chunk[d] - 1) / geometry_.chunk[d];
  }

  void read_chunks(TiffHandle& handle, const plan::Box& box, std::span<std::byte> elements) const {
    std::vector<std::byte> chunk(chunk_bytes());
    for (const std::int64_t number : plan::pieces_meeting(grid_, box)) {
      read_chunk(handle, grid_.box(number), box, chunk, elements);
    }
  }

  /// `own`: the strip or tile.
  void read_chunk(TiffHandle& handle, const plan::Box& own, const plan::Box& box,
                  std::span<std::byte> chunk, std::span<std::byte> elements) const {
    const TiffPage& page = page_list_[static_cast<std::size_t>(own.origin[0])];
    plan::Shape numbers = own.origin;
    for (std::size_t d = 0; d < numbers.size(); ++d) numbers[d] /= geometry_.chunk[d];
    // The last strip is as long as what is left; tiles are whole.
    plan::Shape stored = geometry_.chunk;
    if (!page.is_tiled) stored[2] = own.extent[2];
    const auto number = static_cast<std::uint32_t>(
        (numbers[1] * chunks_along(2) + numbers[2]) * chunks_along(3) + numbers[3]);
    const plan::Shape strides = packed_strides(box.extent, element_bytes_);
    const plan::Box both = plan::common(own, box);
    std::byte* const to = elements.data() + distance(box.origin, both.origin, strides);
    const auto bytes = static_cast<std::size_t>(plan::element_count(stored)) * element_bytes_;
    if (!handle.read(page, number, chunk.first(bytes))) {
      copy_box(fill_.data(), plan::Shape(both.extent.size()), to, strides, both.extent,
               element_bytes_);
      return;
    }
    const plan::Shape from = packed_strides(geometry_.chunk, element_bytes_);
    copy_box(chunk.data() + distance(own.origin, both.origin, from), from, to, strides, both.extent,
             element_bytes_);
  }

  std::vector<TiffPage> page_list_;
  Geometry geometry_;
  std::size_t element_bytes_;
  std::vector<std::byte> fill_;  ///< an element of strips and tiles that the file leaves out
  plan::ArrayPieces grid_;       ///< strips or tiles, of all dimensions
  mutable base::IdleObjects<TiffHandle> handles_;
};

/// The number of elements that ImageJ's or tifffile's description claims; nothing without one.
std::optional<std::int64_t> described_elements(const TiffLayout& layout) {
  const std::string& text = layout.description;
  const TiffPage& page = layout.pages.front();
  if (text.starts_with("ImageJ=")) {
    const std::size_t at = text.find("\nimages=");
    if (at == text.npos) return std::nullopt;
    const std::size_t begin = at + std::string_view("\nimages=").size();
    const auto images = base::read_integer(text.substr(begin, text.find('\n', begin) - begin));
    if (!images || *images < 1 || *images > std::int64_t{1} << 31) return std::nullopt;
    return *images * page.rows * page.columns * page.samples;
  }
  if (!text.starts_with("{\"shape\"")) return std::nullopt;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json["shape"].is_array()) return std::nullopt;
  std::int64_t elements = 1;
  for (const auto& side : json["shape"]) {
    if (!side.is_number_integer() || side < 0 || side > std::int64_t{1} << 40) return std::nullopt;
    if (elements > std::int64_t{1} << 60) return std::nullopt;
    elements *= side.get<std::int64_t>();
  }
  return elements;
}

/// A stack that has one directory: the pages lie one behind the other. Null if there is none.
std::unique_ptr<ArraySource> open_stack(const job::ArrayInput& input, const TiffLayout& layout,
                                        ArrayInfo info, std::int64_t piece_bytes) {
  const TiffPage& page = layout.pages.front();
  const std::int64_t each = page.rows * page.columns * page.samples;
  const auto elements = described_elements(layout);
  if (layout.pages.size() != 1 || !elements || *elements <= each) return nullptr;
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(*elements) * base::element_bytes(info.type);
  const std::uint64_t all = base::InputFile(input.path).size_bytes();
  const bool fits = page.first_byte > 0 && page.first_byte <= all && bytes <= all - page.first_byte;
  if (page.is_compressed || *elements % each != 0 || !fits || page.are_planes) {
    throw base::usage_error("{}: TIFF: says that it holds {}, and has one page of {}", input.text,
                            base::count_of(*elements, "element"), base::count_of(each, "element"));
  }
  info.kind += ", contiguous stack";
  info.shape.insert(info.shape.begin(), *elements / each);
  return open_contiguous(input.path, std::move(info),
                         {.offset_bytes = page.first_byte, .big_endian = layout.big_endian},
                         piece_bytes);
}

/// FILE.tif:/3 keeps one page.
void keep_named_page(const job::ArrayInput& input, TiffLayout& layout) {
  if (input.dataset.size() <= 1) return;
  const auto number = base::read_integer(input.dataset.substr(1));
  if (!number || *number < 0 || *number >= std::ssize(layout.pages)) {
    throw base::missing_error("{}: has no page {}; it has {}", input.path, input.dataset.substr(1),
                              base::count_of(std::ssize(layout.pages), "page"));
  }
  layout.pages = {layout.pages[static_cast<std::size_t>(*number)]};
  layout.description.clear();
}

void check_pages(const job::ArrayInput& input, const TiffLayout& layout) {
  const TiffPage& first = layout.pages.front();
  for (std::size_t p = 0; p < layout.pages.size(); ++p) {
    const TiffPage& page = layout.pages[p];
    if (!page.problem.empty()) {
      throw base::usage_error("{}: TIFF: page {} {}", input.text, p, page.problem);
    }
    if (page.rows == 0 || page.columns == 0 || page.chunk_rows == 0 || page.chunk_columns == 0) {
      throw base::usage_error("{}: TIFF: page {} has no pixels", input.text, p);
    }
    if (page.no_data != first.no_data) {
      throw base::usage_error(
          "{}: TIFF: page {} has another missing value (nodata) than page 0; {}:/{} reads it alone",
          input.text, p, input.path, p);
    }
    if (page.is_like(first)) continue;
    throw base::usage_error("{}: TIFF: page {} is of another size or type; {}:/{} reads it alone",
                            input.text, p, input.path, p);
  }
}

/// GDAL's missing value as _FillValue.
std::shared_ptr<const PackedAttributes> attributes_of(const TiffPage& page) {
  const std::optional<long double> value = no_data_of(page);
  if (!value) return nullptr;
  PackedAttributes attributes;
  attributes.list.push_back({.name = "_FillValue",
                             .kind = PackedAttribute::Kind::numbers,
                             .type = *page.type,
                             .numbers = {*value}});
  return std::make_shared<const PackedAttributes>(std::move(attributes));
}

}  // namespace

bool is_tiff(const PathHead& head) {
  using namespace std::string_view_literals;
  return head.starts_with("II*\0"sv) || head.starts_with("MM\0*"sv) ||
         head.starts_with("II+\0"sv) || head.starts_with("MM\0+"sv);
}

std::unique_ptr<ArraySource> open_tiff(const job::ArrayInput& input, std::int64_t piece_bytes) {
  TiffLayout layout = TiffHandle(input.path).layout();
  keep_named_page(input, layout);
  check_pages(input, layout);
  const TiffPage& page = layout.pages.front();
  const Geometry geometry = geometry_of(page, std::ssize(layout.pages));
  ArrayInfo info{.name = input.text,
                 .kind = page.is_tiled ? "TIFF, tiles" : "TIFF, strips",
                 .type = *page.type,
                 .shape = kept_of(geometry.all, geometry)};
  job::count_elements(info.shape, info.name);
  if (!input.decoding.raw) info.packed = attributes_of(page);
  if (auto stack = open_stack(input, layout, info, piece_bytes)) return stack;
  return std::make_unique<TiffArray>(input.path, std::move(info), std::move(layout.pages));
}

}  // namespace tessera::store
