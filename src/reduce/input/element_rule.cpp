#include "reduce/input/element_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "statistics/half.hpp"

namespace tessera::reduce {
namespace {

using base::ElementType;
using store::PackedAttribute;
using PackedKind = PackedAttribute::Kind;

// Attributes are compared exactly, whatever their type.
static_assert(std::numeric_limits<long double>::digits >= 64);

/// NaN that only missing elements have; of f2, f4 and f8.
constexpr std::uint64_t kFillHalf = 0x7e0f, kRangeHalf = 0x7e17;
constexpr std::uint64_t kFillSingle = 0x7fc0cf0f, kRangeSingle = 0x7fc0cf17;
constexpr std::uint64_t kFillDouble = 0x7ff8cf0f0f0f0f0f, kRangeDouble = 0x7ff8cf1717171717;

struct Limits {
  long double least, greatest;
};

Limits extent_of(ElementType type) {
  return base::with_element_type(type, [](auto of) -> Limits {
    using Number = std::numeric_limits<decltype(of)>;
    return {Number::lowest(), Number::max()};
  });
}

/// The integer that its type holds; for u8 the bits.
std::int64_t integer_of(long double number, ElementType type) {
  return type == ElementType::u64 ? std::bit_cast<std::int64_t>(static_cast<std::uint64_t>(number))
                                  : static_cast<std::int64_t>(number);
}

std::string text_of(long double number, ElementType type) {
  if (type == ElementType::f32) return fmt::format("{}", static_cast<float>(number));
  if (base::is_floating(type)) return fmt::format("{}", static_cast<double>(number));
  return type == ElementType::u64 ? fmt::format("{}", static_cast<std::uint64_t>(number))
                                  : fmt::format("{}", static_cast<std::int64_t>(number));
}

/// The type with the other sign, of an integer.
ElementType of_other_sign(ElementType type, bool is_unsigned) {
  const auto number = static_cast<int>(type);
  constexpr auto kSigned = static_cast<int>(ElementType::u8);
  const bool now = number >= kSigned;
  if (now == is_unsigned) return type;
  return static_cast<ElementType>(is_unsigned ? number + kSigned : number - kSigned);
}

class RuleMaker {
 public:
  RuleMaker(const store::ArrayInfo& array, const job::Decoding& decoding)
      : array_(array), decoding_(decoding) {
    rule_.stored = rule_.seen = array.type;
  }

  MadeRule make(MissingAs as) {
    if (!decoding_.raw && array_.packed) read_attributes();
    for (const std::string& text : decoding_.missing) add_given(text);
    choose_type();
    settle_missing(decoding_.as_nan ? MissingAs::nan : as);
    const bool same = rule_.value == rule_.stored && !rule_.scale && !rule_.offset &&
                      !rule_.may_miss() && !rule_.to_bool;
    if (same && notes_.empty()) return {};
    if (!same) notes_.insert(notes_.begin(), describe());
    return {true, std::move(rule_), std::move(notes_)};
  }

 private:
  template <class... Args>
  base::Error refused(fmt::format_string<Args...> format, Args&&... args) const {
    return base::usage_error("{}: {}; --raw reads what is stored", array_.name,
                             fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    notes_.push_back(array_.name + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  const PackedAttribute* find(std::string_view name) const { return array_.packed->find(name); }

  void read_attributes() {
    const auto is_packing = [](const PackedAttribute& one) { return one.name != "dtype"; };
    const auto packing = std::ranges::find_if(array_.packed->list, is_packing);
    if (array_.packed->of_bools && packing != array_.packed->list.end()) {
      throw refused("{} is for numbers, and these are an enumeration", packing->name);
    }
    set_sign();
    rule_.scale = factor("scale_factor");
    rule_.offset = factor("add_offset");
    for (const char* name : {"_FillValue", "missing_value"}) add_missing(name);
    set_range();
    const PackedAttribute* const dtype = find("dtype");
    rule_.to_bool = dtype != nullptr && dtype->kind == PackedKind::text && dtype->text == "bool" &&
                    rule_.stored == ElementType::i8 && !is_packed();
  }

  bool is_packed() const { return rule_.scale || rule_.offset; }

  void set_sign() {
    const PackedAttribute* const attribute = find("_Unsigned");
    if (attribute == nullptr || base::is_floating(rule_.stored)) return;
    std::string text = attribute->text;
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    if (attribute->kind != PackedKind::text || (text != "true" && text != "false")) {
      throw refused("_Unsigned is neither the text true nor false");
    }
    rule_.seen = of_other_sign(rule_.stored, text == "true");
  }

  /// scale_factor or add_offset.
  std::optional<double> factor(const char* name) {
    const PackedAttribute* const attribute = find(name);
    if (attribute == nullptr) return std::nullopt;
    if (attribute->kind == PackedKind::text) throw refused("{} is a text, not a number", name);
    if (attribute->kind != PackedKind::numbers) throw refused("{} is not a number", name);
    if (attribute->numbers.size() != 1) {
      throw refused("{} has {} elements, not one", name, attribute->numbers.size());
    }
    const auto number = static_cast<double>(attribute->numbers.front());
    if (!std::isfinite(number)) throw refused("{} is {}", name, number);
    all_f4_ &= attribute->type == ElementType::f32;
    return number;
  }

  /// A number of an attribute, among the seen elements.
  long double seen(long double number, ElementType type) const {
    if (type != rule_.stored || rule_.seen == rule_.stored) return number;
    const long double width = std::ldexp(1.0L, static_cast<int>(8 * base::element_bytes(type)));
    if (rule_.seen >= ElementType::u8 && number < 0) return number + width;
    return number > extent_of(rule_.seen).greatest ? number - width : number;
  }

  void add_missing(const char* name) {
    const PackedAttribute* const attribute = find(name);
    if (attribute == nullptr) return;
    if (attribute->kind != PackedKind::numbers) {
      return note("{} is {} and matches no element", name,
                  attribute->kind == PackedKind::text ? "a text" : "not a number");
    }
    if (name == std::string_view("_FillValue") && attribute->numbers.size() != 1) {
      throw refused("_FillValue has {} elements, not one", attribute->numbers.size());
    }
    for (const long double number : attribute->numbers) {
      add_missing(seen(number, attribute->type), attribute->type, name);
    }
  }

  void add_missing(long double number, ElementType type, const std::string& name) {
    if (!base::is_floating(rule_.seen)) {
      const Limits limits = extent_of(rule_.seen);
      if (number != std::floor(number) || number < limits.least || number > limits.greatest ||
          std::isnan(number)) {
        return note("{} {} is not {} and matches no element", name, text_of(number, type),
                    base::element_code(rule_.seen));
      }
      return add_once(rule_.missing_integers, integer_of(number, rule_.seen));
    }
    if (std::isnan(number)) {
      rule_.nan_is_missing = true;
      return;
    }
    auto rounded = static_cast<double>(number);
    if (rule_.seen == ElementType::f32) rounded = static_cast<float>(number);
    if (rule_.seen == ElementType::f16) rounded = statistics::round_to_half(rounded);
    if (std::isinf(rounded) && std::isfinite(number)) {
      return note("{} {} is beyond every {} and matches no element", name, text_of(number, type),
                  base::element_code(rule_.seen));
    }
    if (type == ElementType::f32 && rule_.seen == ElementType::f64) tell_narrow(number, name);
    add_once(rule_.missing_reals, rounded);
  }

  /// An f4 is not the number that it was rounded from: the elements may be.
  void tell_narrow(long double number, const std::string& name) {
    const std::string text = text_of(number, ElementType::f32);
    double meant = 0;
    std::from_chars(text.data(), text.data() + text.size(), meant);
    if (std::isinf(number) || meant == number) return;
    note("{} is an f4, {}: elements of {} count", name, static_cast<double>(number), text);
  }

  template <class T>
  static void add_once(std::vector<T>& all, T one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  }

  void set_range() {
    std::optional<long double> least, greatest;
    const auto apply = [](std::optional<long double>& bound, long double number, bool is_least) {
      bound = !bound ? number : is_least ? std::max(*bound, number) : std::min(*bound, number);
    };
    for (const char* name : {"valid_min", "valid_max", "valid_range"}) {
      const PackedAttribute* const attribute = find(name);
      if (attribute == nullptr) continue;
      const std::size_t requested = name == std::string_view("valid_range") ? 2 : 1;
      if (attribute->kind != PackedKind::numbers || attribute->numbers.size() != requested) {
        throw refused("{} is not {}", name, requested == 2 ? "two numbers" : "a number");
      }
      if (is_packed() && attribute->type != rule_.stored) {
        note("{} is {} and the packed numbers are {}: it is not used", name,
             base::element_code(attribute->type), base::element_code(rule_.stored));
        continue;
      }
      std::vector<long double> numbers;
      for (const long double number : attribute->numbers) {
        if (std::isnan(number)) throw refused("{} is NaN", name);
        numbers.push_back(seen(number, attribute->type));
      }
      if (name != std::string_view("valid_max")) apply(least, numbers.front(), true);
      if (name != std::string_view("valid_min")) apply(greatest, numbers.back(), false);
      if (least && greatest && *least > *greatest) throw refused("{} leaves no element", name);
    }
    if (least || greatest) set_bounds(least, greatest);
  }

  void set_bounds(std::optional<long double> least, std::optional<long double> greatest) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    ValidRange range;
    if (base::is_floating(rule_.seen)) {
      range.least = static_cast<double>(least.value_or(-kInfinity));
      if (least && range.least < *least) range.least = std::nextafter(range.least, kInfinity);
      range.greatest = static_cast<double>(greatest.value_or(kInfinity));
      if (greatest && range.greatest > *greatest) {
        range.greatest = std::nextafter(range.greatest, -kInfinity);
      }
    } else {
      const Limits limits = extent_of(rule_.seen);
      const long double low = std::max(std::ceil(least.value_or(limits.least)), limits.least);
      const long double high =
          std::min(std::floor(greatest.value_or(limits.greatest)), limits.greatest);
      if (low == limits.least && high == limits.greatest) return;
      if (low > high) throw refused("valid_range leaves no element");
      range.min_integer = integer_of(low, rule_.seen);
      range.greatest_integer = integer_of(high, rule_.seen);
    }
    rule_.range = range;
  }

  /// A value of --missing.
  void add_given(const std::string& text) {
    if (array_.is_boolean) {
      return note("--missing {} is for numbers and matches no bool", text);
    }
    long double number = base::parse_real(text, "--missing");
    std::int64_t whole = 0;
    std::uint64_t natural = 0;
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* const end = text.data() + text.size();
    const auto reads = [&](auto& integer) {
      const auto read = std::from_chars(begin, end, integer);
      return read.ptr == end && read.ec == std::errc();
    };
    if (reads(whole)) {
      number = whole;
    } else if (reads(natural)) {
      number = natural;
    } else if (!base::is_floating(rule_.seen)) {
      std::from_chars(begin, end, number);  // a double does not hold every integer
    }
    add_missing(number, ElementType::f64, "--missing");
  }

  void choose_type() {
    const bool narrow = base::element_bytes(rule_.seen) <= 2 || rule_.seen == ElementType::f32;
    if (is_packed()) {
      rule_.value = narrow && all_f4_ ? ElementType::f32 : ElementType::f64;
    } else {
      rule_.value = rule_.to_bool ? ElementType::u8 : rule_.seen;
    }
  }

  std::string why_missing() const {
    if (!decoding_.missing.empty()) return "--missing";
    for (const char* name :
         {"_FillValue", "missing_value", "valid_range", "valid_min", "valid_max"}) {
      if (find(name) != nullptr) return name;
    }
    return "_FillValue";
  }

  void settle_missing(MissingAs as) {
    if (!rule_.may_miss()) return;
    const bool is_floating = base::is_floating(rule_.value);
    const bool is_wide = base::element_bytes(rule_.value) == 8 && !is_floating;
    if (as == MissingAs::nan && is_wide && !decoding_.may_round) {
      throw refused(
          "{}: missing elements are NaN here, and f8 does not hold every {}; reductions "
          "leave them out",
          why_missing(), base::element_code(rule_.value));
    }
    if (as == MissingAs::nan || (as == MissingAs::shown && !is_wide)) {
      if (!is_floating) rule_.value = ElementType::f64;
    }
    if (as == MissingAs::nan) return;
    rule_.markers = base::is_floating(rule_.value) ? nan_markers() : integer_markers();
  }

  base::MissingMarkers nan_markers() const {
    if (rule_.value == ElementType::f16) return {kFillHalf, kRangeHalf};
    if (rule_.value == ElementType::f32) return {kFillSingle, kRangeSingle};
    return {kFillDouble, kRangeDouble};
  }

  base::MissingMarkers integer_markers() const {
    if (rule_.to_bool) return {0xff, 0xfe};
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * base::element_bytes(rule_.value));
    const auto bits = [mask](std::int64_t x) { return std::bit_cast<std::uint64_t>(x) & mask; };
    const auto outside = invalid_integer();
    base::MissingMarkers markers;
    markers.has_fill = !rule_.missing_integers.empty();
    if (markers.has_fill) markers.fill = markers.range = bits(rule_.missing_integers.front());
    if (outside) markers.range = bits(*outside);
    if (!markers.has_fill) markers.fill = markers.range;
    return markers;
  }

  /// An integer outside of the range that no other attribute calls missing; nothing if there is
  /// none.
  std::optional<std::int64_t> invalid_integer() const {
    if (!rule_.range) return std::nullopt;
    const Limits limits = extent_of(rule_.seen);
    const auto free = [this](std::int64_t x) {
      return std::ranges::find(rule_.missing_integers, x) == rule_.missing_integers.end();
    };
    // In 64 bits that wrap around, of either sign.
    const auto search = [&](std::int64_t from, std::int64_t to, int step) {
      for (std::int64_t x = from; x != to;
           x = std::bit_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x) +
                                           static_cast<std::uint64_t>(step))) {
        if (free(x)) return std::optional(x);
      }
      return std::optional<std::int64_t>();
    };
    const std::int64_t first = integer_of(limits.least, rule_.seen);
    const std::int64_t last = integer_of(limits.greatest, rule_.seen);
    if (auto below = search(first, rule_.range->min_integer, 1)) return below;
    return search(last, rule_.range->greatest_integer, -1);
  }

  std::string describe() const {
    std::string text = fmt::format("{}: {}", array_.name, base::element_code(rule_.stored));
    if (rule_.seen != rule_.stored) text += fmt::format(" as {}", base::element_code(rule_.seen));
    if (rule_.to_bool) text += " of bools";
    if (rule_.scale) text += fmt::format(" * {}", factor_text(*rule_.scale));
    if (rule_.offset) text += fmt::format(" + {}", factor_text(*rule_.offset));
    if (rule_.value != rule_.seen) text += fmt::format(" in {}", base::element_code(rule_.value));
    if (!rule_.may_miss()) return text;
    return text +
           (rule_.markers ? "; missing elements are left out" : "; missing elements are NaN");
  }

  std::string factor_text(double number) const {
    return rule_.value == ElementType::f32 ? fmt::format("{}", static_cast<float>(number))
                                           : fmt::format("{}", number);
  }

  const store::ArrayInfo& array_;
  const job::Decoding& decoding_;
  ElementRule rule_;
  std::vector<std::string> notes_;
  bool all_f4_ = true;  ///< scale_factor and add_offset, as far as they are there
};

}  // namespace

MadeRule make_rule(const store::ArrayInfo& array, const job::Decoding& decoding, MissingAs as) {
  return RuleMaker(array, decoding).make(as);
}

}  // namespace tessera::reduce
