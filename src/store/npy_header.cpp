#include "store/npy_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::store {

namespace {

using Text = std::string_view;

constexpr std::array<unsigned char, 6> kMagic = {0x93, 'N', 'U', 'M', 'P', 'Y'};

unsigned byte_at(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<unsigned>(bytes[at]);
}

/// Reads the literal that NumPy writes: a dictionary of a string, a bool and a tuple of numbers.
class Literal {
 public:
  Literal(Text text, const std::string& path) : text_(text), path_(path) {}

  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw wrong();
  }
  std::string string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') throw wrong();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) throw wrong();
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair<Text, bool>{"True", true}, {"False", false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    throw wrong();
  }
  job::Shape shape() {
    job::Shape shape;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      const std::size_t end = std::min(text_.find_first_of(",) L", at_), text_.size());
      shape.push_back(base::parse_integer(text_.substr(at_, end - at_), path_ + ": shape", 0,
                                          std::int64_t{1} << 62));
      at_ = end;
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // NumPy under Python 2
      if (take(',')) continue;
      expect(')');
      break;
    }
    return shape;
  }
  /// What stands where a string should: the list of a structured type.
  bool at_list() {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == '[';
  }
  base::Error wrong() const {
    return base::usage_error("{}: its .npy head is damaged at character {}", path_, at_ + 1);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  Text text_;
  const std::string& path_;
  std::size_t at_ = 0;
};

base::Error unsupported(const std::string& path, Text type) {
  return base::usage_error(
      "{}: its elements are of type {}; reduce takes i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8", path, type);
}

/// "<f4", "|u1", ">i8"; "|b1", whose bytes are 0 and 1, as the u1 that they are.
void set_type(NpyHeader& header, const std::string& descr, const std::string& path) {
  const bool marked = !descr.empty() && Text("<>=|").find(descr[0]) != Text::npos;
  const Text code = Text(descr).substr(marked ? 1 : 0);
  const auto type = code == "b1" ? base::ElementType::u8 : base::find_element(code);
  if (!type) throw unsupported(path, "'" + descr + "'");
  header.type = *type;
  header.big_endian = descr[0] == '>';
}

}  // namespace

std::uint64_t npy_header_bytes(std::span<const std::byte> preamble, const std::string& path) {
  for (std::size_t i = 0; i < kMagic.size(); ++i) {
    if (preamble.size() <= i || byte_at(preamble, i) != kMagic[i]) {
      throw base::usage_error("{}: not a .npy file", path);
    }
  }
  if (preamble.size() < kNpyPreambleBytes) {
    throw base::usage_error("{}: is cut off within its .npy head", path);
  }
  const unsigned version = byte_at(preamble, 6);
  if (version < 1 || version > 3) {
    throw base::usage_error("{}: is .npy version {}.{}; reduce reads 1.0, 2.0 and 3.0", path,
                            version, byte_at(preamble, 7));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::uint64_t{byte_at(preamble, 8 + i)} << (8 * i);
  }
  if (length > kMostNpyHeaderBytes) {
    throw base::usage_error("{}: claims a .npy head of {} bytes: it is damaged", path, length);
  }
  return 8 + length_bytes + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> head, const std::string& path) {
  NpyHeader header{.version = static_cast<int>(byte_at(head, 6)), .data_offset_bytes = head.size()};
  const auto body = head.subspan(header.version == 1 ? 10 : 12);
  Literal literal(Text(reinterpret_cast<const char*>(body.data()), body.size()), path);
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<job::Shape> shape;
  literal.expect('{');
  while (!literal.take('}')) {
    const std::string key = literal.string();
    literal.expect(':');
    if (key == "descr") {
      if (literal.at_list()) throw unsupported(path, "struct");
      descr = literal.string();
    } else if (key == "fortran_order") {
      fortran = literal.boolean();
    } else if (key == "shape") {
      shape = literal.shape();
    } else {
      throw literal.wrong();
    }
    if (!literal.take(',')) {
      literal.expect('}');
      break;
    }
  }
  if (!descr || !fortran || !shape) throw literal.wrong();
  set_type(header, *descr, path);
  header.fortran_order = *fortran;
  header.shape = *shape;
  return header;
}

}  // namespace tessera::store
