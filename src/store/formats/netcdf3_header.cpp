#include "store/formats/netcdf3_header.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "base/byte_order.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"

namespace tessera::store {
namespace {

using base::ElementType;

/// Thrown where more of the file is needed.
struct NeedsMore {};

constexpr std::uint64_t kAlignment = 4;
constexpr std::uint64_t kStreaming = std::numeric_limits<std::uint64_t>::max();

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::optional<ElementType> element_of(std::uint32_t type) {
  using enum ElementType;
  switch (type) {
    case 1:
      return i8;
    case 3:
      return i16;
    case 4:
      return i32;
    case 5:
      return f32;
    case 6:
      return f64;
    case 7:
      return u8;
    case 8:
      return u16;
    case 9:
      return u32;
    case 10:
      return i64;
    case 11:
      return u64;
    default:
      return std::nullopt;
  }
}

constexpr std::uint32_t kCharacters = 2;

struct Dimension {
  std::string name;
  std::uint64_t length = 0;  ///< 0: the records
};

/// Reads the header from its first bytes. Throws NeedsMore if these are too few.
class Parser {
 public:
  Parser(const std::string& path, std::span<const std::byte> bytes, std::uint64_t file_bytes)
      : path_(path), bytes_(bytes), file_bytes_(file_bytes) {}

  NetCdf3Header parse() {
    at_ = 3;
    header_.version = std::to_integer<int>(take(1)[0]);
    is_wide_ = header_.version == 5;
    std::uint64_t records = size();
    if (!is_wide_ && records == std::numeric_limits<std::uint32_t>::max()) records = kStreaming;
    read_dimensions();
    read_attributes();
    read_list(11, [&] { read_variable(); });
    end_variables(records);
    return std::move(header_);
  }

 private:
  base::Error damaged(const char* what) const {
    return base::usage_error("{}: NetCDF-3: its header is damaged: {}", path_, what);
  }
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      if (count > file_bytes_ - at_) {
        throw base::usage_error("{}: NetCDF-3: is cut off within its header", path_);
      }
      throw NeedsMore();
    }
    const auto taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }
  template <class T>
  T number() {
    base::Bytes bytes(sizeof(T));
    std::ranges::copy(take(sizeof(T)), bytes.begin());
    if (std::endian::native == std::endian::little) base::swap_byte_order(bytes, sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  /// A count, of 64 bits in CDF-5.
  std::uint64_t size() { return is_wide_ ? number<std::uint64_t>() : number<std::uint32_t>(); }
  std::string name() {
    const std::uint64_t length = size();
    const auto bytes = take(length);
    std::string name(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    take(padded(length) - length);
    return name;
  }
  /// A list with its tag, or an absent one.
  void read_list(std::uint32_t tag, const std::function<void()>& read) {
    const auto found = number<std::uint32_t>();
    const std::uint64_t count = size();
    if (found != tag && (found != 0 || count != 0)) throw damaged("a list has the wrong tag");
    for (std::uint64_t i = 0; i < count; ++i) read();
  }
  void read_dimensions() {
    read_list(10, [&] {
      std::string of = name();
      dimensions_.push_back({std::move(of), size()});
    });
  }
  /// Those that say what the elements stand for.
  PackedAttributes read_attributes(std::vector<TextAttribute>* texts = nullptr) {
    PackedAttributes attributes;
    read_list(12, [&] {
      PackedAttribute attribute{.name = name()};
      const auto type = number<std::uint32_t>();
      const std::uint64_t count = size();
      if (type == kCharacters) {
        attribute.kind = PackedAttribute::Kind::text;
        const auto text = take(count);
        attribute.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
        attribute.text.resize(attribute.text.find_last_not_of('\0') + 1);
        take(padded(count) - count);
      } else {
        read_numbers(type, count, attribute);
      }
      const bool counts = std::ranges::find(kPackedNames, attribute.name) != kPackedNames.end();
      if (counts) {
        attributes.list.push_back(std::move(attribute));
      } else if (texts != nullptr && type == kCharacters) {
        texts->emplace_back(attribute.name, base::from_latin1(attribute.text));
      }
    });
    return attributes;
  }
  void read_numbers(std::uint32_t code, std::uint64_t count, PackedAttribute& attribute) {
    const auto type = element_of(code);
    if (!type) throw damaged("an attribute has an unknown type");
    const std::uint64_t each = base::element_bytes(*type);
    if (count > file_bytes_ / each) throw damaged("an attribute is longer than the file");
    const std::uint64_t before = at_;
    attribute.kind = PackedAttribute::Kind::numbers;
    attribute.type = *type;
    base::with_element_type(*type, [&]<class T>(T) {
      for (std::uint64_t i = 0; i < count; ++i) {
        if constexpr (sizeof(T) == 1) {
          attribute.numbers.push_back(std::bit_cast<T>(take(1)[0]));
        } else if constexpr (std::is_arithmetic_v<T>) {
          attribute.numbers.push_back(number<T>());
        }
      }
    });
    const std::uint64_t bytes = at_ - before;
    take(padded(bytes) - bytes);
  }
  void read_variable() {
    NetCdf3Variable variable{.name = "/" + name()};
    const std::uint64_t rank = size();
    std::uint64_t elements = 1;
    for (std::uint64_t d = 0; d < rank; ++d) {
      const std::uint64_t id = size();
      if (id >= dimensions_.size()) throw damaged("a variable has an unknown dimension");
      const std::uint64_t length = dimensions_[id].length;
      variable.dimensions.push_back(dimensions_[id].name);
      if (length == 0 && d > 0) throw damaged("records are not the first dimension");
      variable.has_records |= length == 0;
      variable.shape.push_back(static_cast<std::int64_t>(length));
      if (length == 0) continue;
      if (length > (std::uint64_t{1} << 62) / elements) throw damaged("a variable is too large");
      elements *= length;
    }
    variable.attributes = read_attributes(&variable.texts);
    const auto type = number<std::uint32_t>();
    variable.type = element_of(type);
    if (!variable.type && type != kCharacters) throw damaged("a variable has an unknown type");
    size();  // its bytes, which are wrong beyond 4 GiB
    variable.offset_bytes =
        header_.version == 1 ? number<std::uint32_t>() : number<std::uint64_t>();
    variable.slab_bytes = elements * (variable.type ? base::element_bytes(*variable.type) : 1);
    if (variable.offset_bytes > file_bytes_ && elements > 0 && !variable.has_records) {
      throw base::usage_error("{}: NetCDF-3: is cut off: {} begins behind its end", path_,
                              variable.name);
    }
    header_.variables.push_back(std::move(variable));
  }
  /// Records of a single variable are not padded.
  void end_variables(std::uint64_t records) {
    std::vector<NetCdf3Variable*> of_records;
    for (NetCdf3Variable& variable : header_.variables) {
      if (variable.has_records) of_records.push_back(&variable);
    }
    if (of_records.empty()) return;
    std::uint64_t begin = file_bytes_;
    for (const NetCdf3Variable* variable : of_records) {
      header_.record_bytes +=
          of_records.size() == 1 ? variable->slab_bytes : padded(variable->slab_bytes);
      begin = std::min(begin, variable->offset_bytes);
    }
    if (records == kStreaming) {
      records = header_.record_bytes == 0 ? 0 : (file_bytes_ - begin) / header_.record_bytes;
    }
    if (records > std::uint64_t{1} << 62) throw damaged("too many records");
    for (NetCdf3Variable* variable : of_records) {
      variable->shape.front() = static_cast<std::int64_t>(records);
    }
  }

  const std::string& path_;
  std::span<const std::byte> bytes_;
  std::uint64_t file_bytes_;
  std::uint64_t at_ = 0;
  bool is_wide_ = false;
  std::vector<Dimension> dimensions_;
  NetCdf3Header header_;
};

}  // namespace

NetCdf3Header read_netcdf3_header(const base::InputFile& file) {
  constexpr std::uint64_t kFirstBytes = std::uint64_t{64} << 10;
  const std::uint64_t all = file.size_bytes();
  for (std::uint64_t bytes = std::min(all, kFirstBytes);; bytes = std::min(all, 4 * bytes)) {
    base::Bytes front(bytes);
    file.read_at(0, front);
    try {
      return Parser(file.path(), front, all).parse();
    } catch (const NeedsMore&) {
      if (bytes == all) throw base::usage_error("{}: NetCDF-3: is cut off", file.path());
    }
  }
}

}  // namespace tessera::store
