#include "place/loose_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "base/read_number.hpp"
#include "base/text.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads a number from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  std::string read() {
    skip(" \t\r\n`*\"'(");
    if (!take_sign(number_)) return "";
    read_digits();
    if (digits_ == 0) return "";
    if (ambiguous_) return "";
    if (!read_power() || goes_on_as_word() || goes_on_as_number()) return "";
    return number_;
  }
  std::string_view rest() const { return rest_; }
  bool is_imaginary() const { return is_imaginary_; }

 private:
  void skip(std::string_view characters) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(characters), rest_.size()));
  }
  bool take(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }
  /// False for two signs.
  bool take_sign(std::string& to) {
    constexpr std::string_view kMinus = "\u2212";
    if (take("-") || take(kMinus)) {
      to += '-';
    } else {
      take("+");
    }
    skip(kBlanks);
    return !rest_.starts_with('-') && !rest_.starts_with('+');
  }
  std::size_t digits_at_front(std::string_view text) const {
    return std::min(text.find_first_not_of("0123456789"), text.size());
  }

  void read_digits() {
    bool point = false;
    for (;;) {
      const std::size_t group = digits_at_front(rest_);
      number_ += rest_.substr(0, group);
      digits_ += group;
      rest_.remove_prefix(group);
      if (!point && rest_.starts_with('.') &&
          (digits_ > 0 || digits_at_front(rest_.substr(1)) > 0)) {
        point = true;
        number_ += '.';
        rest_.remove_prefix(1);
      } else if (!take_separator(group, point)) {
        return;
      }
    }
  }

  /// Between two groups of the digits of one number.
  bool take_separator(std::size_t group, bool point) {
    constexpr std::array<std::string_view, 7> kMarks = {",",      "'",      "_",     " ",
                                                        "\u2009", "\u202f", "\u00a0"};
    for (const std::string_view mark : kMarks) {
      if (!rest_.starts_with(mark)) continue;
      const std::string_view behind = rest_.substr(mark.size());
      const std::size_t next = digits_at_front(behind);
      const bool thousands = next == 3 && group > 0 && group <= 3 && !point;
      const bool decimals = point && mark != "," && next >= 3;
      if ((thousands || decimals) && !is_word_behind(behind.substr(next), mark)) {
        rest_ = behind;
        return true;
      }
      ambiguous_ = ambiguous_ || (mark == "," && next > 0 && !point);
      return false;
    }
    return take_line_break();
  }
  /// "50 100 iterations" are two numbers.
  static bool is_word_behind(std::string_view rest, std::string_view mark) {
    if (mark != " ") return false;
    rest = rest.substr(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    return !rest.empty() && std::isalpha(static_cast<unsigned char>(rest[0])) != 0;
  }
  /// Long digits go on in a line of digits alone.
  bool take_line_break() {
    constexpr std::size_t kLong = 16;
    const std::size_t at = rest_.find_first_not_of(" \t\\\r");
    if (digits_ < kLong || at == rest_.npos || rest_[at] != '\n') return false;
    std::string_view next = rest_.substr(at + 1);
    next.remove_prefix(std::min(next.find_first_not_of(kBlanks), next.size()));
    const std::string_view line = base::trim(next.substr(0, next.find('\n')));
    const bool digits = !line.empty() && is_digit(line[0]) &&
                        line.find_first_not_of("0123456789eE+-\\") == line.npos;
    if (digits) rest_ = next;
    return digits;
  }

  bool read_power() {
    const std::string_view before = rest_;
    if (rest_.size() > 1 && (rest_[0] == 'e' || rest_[0] == 'E')) {
      rest_.remove_prefix(1);
      return read_exponent("e");
    }
    if (take("^")) return read_raised();
    skip(kBlanks);
    for (const std::string_view times : {"x", "X", "*", "\u00d7", "\u00b7"}) {
      if (!take(times)) continue;
      skip(kBlanks);
      if (take("10^") || take("^")) return read_exponent("e");
      break;
    }
    rest_ = before;
    return true;
  }
  bool read_exponent(std::string_view mark) {
    std::string exponent(mark);
    const bool braces = take("{") || take("(");
    if (!take_sign(exponent)) return false;
    const std::size_t digits = digits_at_front(rest_);
    if (digits == 0 || digits > 9) return false;
    number_ += exponent + std::string(rest_.substr(0, digits));
    rest_.remove_prefix(digits);
    if (braces) rest_.remove_prefix(std::min(std::size_t{1}, rest_.size()));
    return true;
  }
  /// 10^N or 2^N.
  bool read_raised() {
    const std::string raised = std::move(number_);
    number_.clear();
    if (!read_exponent("")) return false;
    const std::int64_t exponent = base::read_integer(number_).value_or(0);
    constexpr std::int64_t kMost = 300'000;
    if ((raised != "10" && raised != "2") || std::abs(exponent) > kMost) return false;
    plane::Real value = 1;
    mpfr_mul_2si(value.get(), value.get(), static_cast<long>(exponent), MPFR_RNDN);
    number_ = raised == "2" ? plane::decimal_of(value) : fmt::format("1e{}", exponent);
    return true;
  }
  /// "400k"; "300x" is a zoom, and "0.1i" imaginary.
  bool goes_on_as_word() {
    if (take("i") || take("I")) {
      is_imaginary_ = true;
      return goes_on_as_word();
    }
    if (rest_.empty() || std::isalpha(static_cast<unsigned char>(rest_[0])) == 0) return false;
    const bool times = rest_[0] == 'x' || rest_[0] == 'X';
    return !times || (rest_.size() > 1 && std::isalnum(static_cast<unsigned char>(rest_[1])) != 0);
  }

  /// "1.5.2", "1.5 e3", "10⁶", "3/4", "2 ** 70", "3 x 1e5", "5 million".
  bool goes_on_as_number() const {
    std::string_view rest = rest_;
    if (rest.size() > 1 && rest[0] == '.' && is_digit(rest[1])) return true;
    if (starts_with_any(rest, {"\u2070", "\u2074", "\u2075", "\u2076", "\u2077", "\u2078", "\u2079",
                               "\u207b", "\u00b9", "\u00b2", "\u00b3"})) {
      return true;
    }
    rest = behind(rest, kBlanks);
    if (rest.starts_with('^') || is_scale_word(rest)) return true;
    if (starts_with_any(rest, {"e", "E"})) {
      return digits_at_front(behind(rest.substr(1), "+-")) > 0;
    }
    for (const std::string_view mark : {"/", "x", "X", "*", "\u00d7", "\u00b7", "\u22c5"}) {
      if (!rest.starts_with(mark)) continue;
      return digits_at_front(behind(rest.substr(mark.size()), "* \t")) > 0;
    }
    return false;
  }
  static bool starts_with_any(std::string_view text,
                              std::initializer_list<std::string_view> marks) {
    return std::ranges::any_of(marks,
                               [&](std::string_view mark) { return text.starts_with(mark); });
  }
  static std::string_view behind(std::string_view text, std::string_view characters) {
    return text.substr(std::min(text.find_first_not_of(characters), text.size()));
  }
  static bool is_scale_word(std::string_view text) {
    std::string word;
    for (const char c : text) {
      if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return word.ends_with("illion") || word.ends_with("illions") || word == "thousand";
  }

  std::string_view rest_;
  std::string number_;
  bool is_imaginary_ = false;
  std::size_t digits_ = 0;
  bool ambiguous_ = false;
};

}  // namespace

LooseComplex loose_complex(std::string_view text) {
  Reader first(text);
  LooseComplex number{.re = first.read()};
  std::string_view rest = first.rest();
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n,;*"), rest.size()));
  Reader second(rest);
  number.im = second.read();
  if (first.is_imaginary() && !second.is_imaginary()) std::swap(number.re, number.im);
  return number;
}

std::string loose_number(std::string_view text) {
  return Reader(text).read();
}

}  // namespace tessera::place
