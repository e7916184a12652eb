#include "store/arrays/npy_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "base/bools.hpp"
#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"

namespace tessera::store {

namespace {

using Text = std::string_view;

constexpr std::array<unsigned char, 6> kNumpyMagic = {0x93, 'N', 'U', 'M', 'P', 'Y'};
/// The elements begin at a multiple of it.
constexpr std::size_t kHeadAlignment = 64;

unsigned byte_at(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<unsigned>(bytes[at]);
}

/// Parses the literal that NumPy writes: a dictionary of a string, a bool and a tuple of numbers.
class Literal {
 public:
  /// `python2`: numbers may end with an L.
  Literal(Text text, const std::string& path, bool python2)
      : text_(text), path_(path), python2_(python2) {}

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
  /// A tuple; with a single number, a comma must follow it.
  job::Shape shape() {
    job::Shape shape;
    expect('(');
    while (!take(')')) {
      shape.push_back(side());
      if (take(',')) continue;
      expect(')');
      if (shape.size() == 1) throw wrong();
      break;
    }
    return shape;
  }
  /// Only blanks may follow the dictionary; they align the data.
  void expect_end() {
    skip_blanks();
    if (at_ != text_.size()) throw wrong();
  }
  /// True at a list, which describes a structured type where a string is expected.
  bool at_list() {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == '[';
  }
  base::Error wrong() const {
    return base::usage_error("{}: its .npy head is damaged at character {}", path_, at_ + 1);
  }

 private:
  std::int64_t side() {
    skip_blanks();
    const std::size_t end = std::min(text_.find_first_of(",) \t\n\r\fL", at_), text_.size());
    const Text digits = text_.substr(at_, end - at_);
    const std::int64_t side =
        base::parse_integer(digits, path_ + ": shape", 0, std::int64_t{1} << 62);
    if (digits.size() > 1 && digits.front() == '0') throw wrong();  // Python has no such literal
    at_ = end;
    if (python2_ && at_ < text_.size() && text_[at_] == 'L') ++at_;
    return side;
  }
  /// Python's blanks, which do not include \v.
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\n\r\f", at_), text_.size()); }

  Text text_;
  const std::string& path_;
  bool python2_;
  std::size_t at_ = 0;
};

base::Error unsupported(const std::string& path, Text type) {
  return base::usage_error(
      "{}: its elements are of type {}; reduce takes b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8", path,
      type);
}

/// "<f4", "|b1", ">i8". Without < or >, the byte order is this machine's, as in NumPy.
void set_type(NpyHeader& header, const std::string& descr, const std::string& path) {
  const char mark = descr.empty() ? '\0' : descr[0];
  const bool marked = mark != '\0' && Text("<>=|").find(mark) != Text::npos;
  const Text code = Text(descr).substr(marked ? 1 : 0);
  header.is_boolean = code == "b1" || code == "?";
  const auto type = header.is_boolean ? base::ElementType::u8 : base::find_element(code);
  if (!type) throw unsupported(path, "'" + descr + "'");
  header.type = *type;
  header.big_endian = mark == '>' || (mark != '<' && std::endian::native == std::endian::big);
}

/// The header of a .npy file.
std::string head_of(const WrittenArray& array) {
  return npy_head(
      fmt::format("'{}'", npy_type(array.type, array.is_boolean)),
      fmt::format("{}{}", fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : ""));
}

}  // namespace

std::string npy_type(base::ElementType type, bool is_boolean) {
  const bool single = base::element_bytes(type) == 1;
  const char order = single ? '|' : std::endian::native == std::endian::big ? '>' : '<';
  return fmt::format("{}{}", order, base::element_code(type, is_boolean));
}

std::string npy_head(std::string_view type, std::string_view shape) {
  std::string text =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", type, shape);
  // 1.0 and 2.0 are in Latin-1; 2.0 and 3.0 have four bytes for the length.
  // crossed by: IsWrittenInTheFirstVersionThatHoldsIt, test_a_long_head_is_of_version_2
  constexpr std::size_t kMaxOfVersion1 = 0xffff - kHeadAlignment;
  const bool ascii = std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
  const char version = !ascii ? 3 : text.size() > kMaxOfVersion1 ? 2 : 1;
  const std::size_t before = kNumpyMagic.size() + 2 + (version == 1 ? 2 : 4);
  const std::size_t whole =
      (before + text.size() + 1 + kHeadAlignment - 1) / kHeadAlignment * kHeadAlignment;
  text.resize(whole - before - 1, ' ');
  text += '\n';
  std::string head(kNumpyMagic.begin(), kNumpyMagic.end());
  head += version;
  head += '\0';
  for (std::size_t shift = 0; head.size() < before; shift += 8) {
    head += static_cast<char>(text.size() >> shift & 0xff);
  }
  return head + text;
}

std::uint64_t npy_header_bytes(std::span<const std::byte> preamble, const std::string& path) {
  for (std::size_t i = 0; i < kNumpyMagic.size(); ++i) {
    if (preamble.size() <= i || byte_at(preamble, i) != kNumpyMagic[i]) {
      throw base::usage_error("{}: not a .npy file", path);
    }
  }
  if (preamble.size() < kNpyPreambleBytes) {
    throw base::usage_error("{}: is cut off within its .npy head", path);
  }
  const unsigned version = byte_at(preamble, 6);
  if (version < 1 || version > 3 || byte_at(preamble, 7) != 0) {
    throw base::usage_error("{}: is .npy version {}.{}; reduce reads 1.0, 2.0 and 3.0", path,
                            version, byte_at(preamble, 7));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::uint64_t{byte_at(preamble, 8 + i)} << (8 * i);
  }
  if (length > kMaxNpyHeaderBytes) {
    throw base::usage_error("{}: claims a .npy head of {} bytes: it is damaged", path, length);
  }
  return 8 + length_bytes + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> head, const std::string& path) {
  NpyHeader header{.version = static_cast<int>(byte_at(head, 6)), .data_offset_bytes = head.size()};
  const auto body = head.subspan(header.version == 1 ? 10 : 12);
  Literal literal(Text(reinterpret_cast<const char*>(body.data()), body.size()), path,
                  header.version < 3);
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<job::Shape> shape;
  literal.expect('{');
  while (!literal.take('}')) {
    const std::string key = literal.string();
    literal.expect(':');
    if (key == "descr" && !descr) {
      if (literal.at_list()) throw unsupported(path, "struct");
      descr = literal.string();
    } else if (key == "fortran_order" && !fortran) {
      fortran = literal.boolean();
    } else if (key == "shape" && !shape) {
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
  literal.expect_end();
  set_type(header, *descr, path);
  header.fortran_order = *fortran;
  header.shape = *shape;
  return header;
}

std::vector<std::uint64_t> create_npy(const std::string& path,
                                      const std::vector<WrittenArray>& arrays, const Attributes&) {
  const std::string head = head_of(arrays.front());
  base::PosixFile(path, base::PosixFile::Start::as_it_is)
      .write_at(0, std::as_bytes(std::span(head)));
  return {head.size()};
}

}  // namespace tessera::store
