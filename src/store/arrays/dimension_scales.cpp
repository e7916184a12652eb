#include "store/arrays/dimension_scales.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/sliced_array.hpp"

namespace tessera::store {
namespace {

// not crossed: a coordinate of so many elements is left out
constexpr std::int64_t kMaxCoordinates = std::int64_t{1} << 24;
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;

/// Attributes without which stored numbers are no coordinates.
bool is_packed(const job::ArrayInput& input) {
  job::ArrayInput decoded = input;
  decoded.decoding.raw = false;
  const auto array = open_array(decoded, kPieceBytes);
  const auto& packed = array->info().packed;
  return packed != nullptr &&
         std::ranges::any_of(packed->list, [](const PackedAttribute& attribute) {
           return attribute.name == "scale_factor" || attribute.name == "add_offset" ||
                  attribute.name == "_Unsigned";
         });
}

void read_coordinates(const Dimension& dimension, WrittenScale& scale) {
  if (dimension.coordinates.empty() || scale.length > kMaxCoordinates || scale.length == 0) return;
  std::vector<TextAttribute> texts;
  for (const job::ArrayInput& input : dimension.coordinates) {
    std::vector<TextAttribute> own = meant_texts(open_array(input, kPieceBytes)->texts());
    if (&input != &dimension.coordinates.front() && own != texts) return;
    texts = std::move(own);
    if (is_packed(input)) return;
  }
  auto array = open_arrays(dimension.coordinates, kPieceBytes);
  for (const job::SlicePart& part : dimension.slices) {
    array = slice_array(std::move(array), {part}, dimension.name, kPieceBytes);
  }
  const ArrayInfo& info = array->info();
  if (info.shape != job::Shape{scale.length} || info.is_boolean) return;
  std::vector<std::byte> values(static_cast<std::size_t>(scale.length) *
                                base::element_bytes(info.type));
  array->read_box({{0}, {scale.length}}, values);
  scale.type = info.type;
  scale.values = std::move(values);
  scale.texts = std::move(texts);
}

/// A name that a link of HDF5 can have.
std::string link_name(std::string name, std::size_t place) {
  std::ranges::replace(name, '/', '_');
  return name.empty() || name == "." ? fmt::format("dim_{}", place) : name;
}

}  // namespace

std::vector<std::shared_ptr<const WrittenScale>> read_scales(
    const std::vector<Dimension>& dimensions, const plan::Shape& lengths) {
  std::vector<std::shared_ptr<const WrittenScale>> scales;
  if (dimensions_named(names_of(dimensions)).empty()) return scales;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    WrittenScale scale{.name = link_name(dimensions[d].name, d), .length = lengths[d]};
    try {
      read_coordinates(dimensions[d], scale);
    } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): a name alone
    }
    scales.push_back(std::make_shared<const WrittenScale>(std::move(scale)));
  }
  return scales;
}

}  // namespace tessera::store
