#include "store/formats/netcdf3.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/byte_order.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file/input_file.hpp"
#include "base/text.hpp"
#include "store/arrays/contiguous_array.hpp"
#include "store/arrays/read_rows.hpp"
#include "store/formats/array_names.hpp"
#include "store/formats/netcdf3_header.hpp"

namespace tessera::store {
namespace {

/// A variable whose records lie between those of others.
class RecordArray : public ArraySource {
 public:
  RecordArray(const std::string& path, ArrayInfo info, const NetCdf3Variable& variable,
              std::uint64_t record_bytes, std::int64_t piece_bytes)
      : ArraySource(std::move(info)),
        file_(path),
        element_bytes_(base::element_bytes(info_.type)),
        offset_bytes_(variable.offset_bytes),
        slab_bytes_(variable.slab_bytes),
        record_bytes_(record_bytes),
        inner_(info_.shape.begin() + 1, info_.shape.end()) {
    check_length();
    const std::int64_t elements =
        std::max<std::int64_t>(1, piece_bytes / static_cast<std::int64_t>(element_bytes_));
    pieces_ = plan::ArrayPieces::boxes(info_.shape, plan::box_of_rows(info_.shape, elements));
  }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    const plan::Box inside{{box.origin.begin() + 1, box.origin.end()},
                           {box.extent.begin() + 1, box.extent.end()}};
    const bool is_whole = inside.extent == inner_;
    const std::size_t each = elements.size() / static_cast<std::size_t>(box.extent.front());
    const std::int64_t end = box.origin.front() + box.extent.front();
    for (std::int64_t record = box.origin.front(); record < end;) {
      const std::int64_t count = is_whole ? std::min(end - record, records_at_once()) : 1;
      const auto to = elements.first(static_cast<std::size_t>(count) * each);
      if (is_whole) {
        read_slabs(record, count, to);
      } else {
        read_part(record, inside, to);
      }
      elements = elements.subspan(to.size());
      if (std::endian::native == std::endian::little) base::swap_byte_order(to, element_bytes_);
      record += count;
    }
  }

 private:
  void check_length() const {
    const auto records = static_cast<std::uint64_t>(info_.shape.front());
    if (plan::element_count(info_.shape) == 0) return;
    const std::uint64_t behind = file_.size_bytes() - std::min(file_.size_bytes(), offset_bytes_);
    if (behind >= slab_bytes_ && (behind - slab_bytes_) / record_bytes_ >= records - 1) return;
    throw base::usage_error("{}: is cut off: {} of {} do not fit into its {}", file_.path(),
                            base::count_of(info_.shape.front(), "record"),
                            base::count_of(static_cast<std::int64_t>(record_bytes_), "byte"),
                            base::count_of(static_cast<std::int64_t>(file_.size_bytes()), "byte"));
  }
  std::uint64_t offset_of(std::int64_t record) const {
    return offset_bytes_ + static_cast<std::uint64_t>(record) * record_bytes_;
  }
  /// Records that are read together with what lies between them.
  std::int64_t records_at_once() const {
    // crossed by: test_records_of_any_size
    constexpr std::uint64_t kSpanBytes = std::uint64_t{256} << 10;
    return static_cast<std::int64_t>(std::max<std::uint64_t>(1, kSpanBytes / record_bytes_));
  }
  void read_slabs(std::int64_t first, std::int64_t count, std::span<std::byte> to) const {
    if (count == 1) return file_.read_at(offset_of(first), to);
    base::Bytes span(static_cast<std::size_t>(count - 1) * record_bytes_ + slab_bytes_);
    file_.read_at(offset_of(first), span);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(i) * record_bytes_);
      const auto slab = static_cast<std::ptrdiff_t>(slab_bytes_);
      std::copy(span.begin() + at, span.begin() + at + slab, to.begin() + i * slab);
    }
  }
  void read_part(std::int64_t record, const plan::Box& inside, std::span<std::byte> to) const {
    store::read_rows(
        plan::BoxRows(inner_, inside), element_bytes_,
        [&](std::uint64_t offset, std::span<std::byte> bytes) {
          file_.read_at(offset_of(record) + offset, bytes);
        },
        to);
  }

  base::InputFile file_;
  std::size_t element_bytes_;
  std::uint64_t offset_bytes_;
  std::uint64_t slab_bytes_;
  std::uint64_t record_bytes_;
  plan::Shape inner_;
};

std::vector<std::string> names_of(const NetCdf3Header& header, bool of_numbers) {
  std::vector<std::string> names;
  for (const NetCdf3Variable& variable : header.variables) {
    if (variable.type || !of_numbers) names.push_back(variable.name);
  }
  return names;
}

const NetCdf3Variable& find_variable(const job::ArrayInput& input, const NetCdf3Header& header) {
  const bool is_named = input.dataset.size() > 1;
  const std::vector<std::string> names = names_of(header, !is_named);
  const std::string& name = names[find_array(input, names)];
  const NetCdf3Variable& found = *std::ranges::find(header.variables, name, &NetCdf3Variable::name);
  if (found.type) return found;
  throw base::usage_error("{}: holds characters; arrays hold numbers", input.text);
}

}  // namespace

bool is_netcdf3(const PathHead& head) {
  return head.front.size() > 3 && head.starts_with("CDF") &&
         std::string_view("\1\2\5").find(head.front[3]) != std::string_view::npos;
}

std::vector<std::string> list_netcdf3(const std::string& path) {
  return names_of(read_netcdf3_header(base::InputFile(path)), true);
}

std::unique_ptr<ArraySource> open_netcdf3(const job::ArrayInput& input, std::int64_t piece_bytes) {
  const base::InputFile file(input.path);
  const NetCdf3Header header = read_netcdf3_header(file);
  const NetCdf3Variable& variable = find_variable(input, header);
  ArrayInfo info{.name = input.text,
                 .dataset = variable.name,
                 .kind = header.version == 1   ? "NetCDF-3, classic"
                         : header.version == 2 ? "NetCDF-3, 64-bit offset"
                                               : "NetCDF-3, 64-bit data",
                 .type = *variable.type,
                 .shape = variable.shape};
  job::count_elements(info.shape, info.name);
  if (!input.decoding.raw && !variable.attributes.list.empty()) {
    info.packed = std::make_shared<const PackedAttributes>(variable.attributes);
  }
  const bool is_contiguous = !variable.has_records || header.record_bytes == variable.slab_bytes;
  std::unique_ptr<ArraySource> array;
  if (is_contiguous) {
    array =
        open_contiguous(input.path, std::move(info),
                        {.offset_bytes = variable.offset_bytes, .big_endian = true}, piece_bytes);
  } else {
    array = std::make_unique<RecordArray>(input.path, std::move(info), variable,
                                          header.record_bytes, piece_bytes);
  }
  array->set_dimensions(dimensions_beside(input, variable.name, variable.dimensions));
  array->set_texts(variable.texts);
  return array;
}

}  // namespace tessera::store
