#include "expression/parser.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "expression/builder.hpp"
#include "expression/functions.hpp"
#include "expression/grammar.hpp"

namespace tessera::expression {
namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_of_name(char c) {
  return starts_name(c) || is_digit(c);
}

/// "index" or "index3".
std::optional<std::uint64_t> index_dimension(Text name) {
  constexpr Text kIndex = "index";
  if (!name.starts_with(kIndex)) return std::nullopt;
  const Text rest = name.substr(kIndex.size());
  if (rest.empty()) return kFlat;
  if (rest.size() != 1 || rest.front() < '0' || rest.front() > '7') return std::nullopt;
  return static_cast<std::uint64_t>(rest.front() - '0');
}

class Parser {
 public:
  Parser(Text text, std::span<const InputArray> inputs, Text what)
      : text_(text), inputs_(inputs), what_(what), builder_(types_of(inputs)) {}

  Program run() {
    const Value result = comparison();
    if (at_end()) return builder_.finish(result);
    if (next_is(")")) fail(position_, "no parenthesis is open");
    if (next_is(",")) fail(position_, "the comma is in no function's parentheses");
    fail_at_rest("an operator");
  }

 private:
  static std::vector<Type> types_of(std::span<const InputArray> inputs) {
    std::vector<Type> types;
    for (const InputArray& input : inputs) {
      types.push_back(input.is_boolean ? Type::b1 : type_of(input.type));
    }
    return types;
  }

  [[noreturn]] void fail(std::size_t position, const std::string& why) const {
    throw base::usage_error("{}: column {}: {}", what_, position + 1, why);
  }

  [[noreturn]] void fail_at_rest(Text requested) {
    if (at_end()) fail(position_, fmt::format("ends where {} should be", requested));
    const Text rest = text_.substr(position_);
    const Text word = starts_name(rest.front()) ? name_at(position_) : rest;
    const auto* const foreign = std::ranges::find_if(kForeign, [&](const Foreign& one) {
      return starts_name(one.text.front()) ? word == one.text : rest.starts_with(one.text);
    });
    if (foreign != kForeign.end()) {
      fail(position_, fmt::format("there is no '{}'; {}", foreign->text, foreign->advice));
    }
    // not crossed: a message is cut
    constexpr std::size_t kMaxShown = 20;
    const Text shown = word.substr(0, std::min(word.find(' '), kMaxShown));
    fail(position_, fmt::format("'{}' is not {}", base::printable(shown), requested));
  }

  /// Calls make(), whose Mistake is at `position`.
  template <class Make>
  Value at(std::size_t position, const Make& make) const {
    try {
      return make();
    } catch (const Mistake& mistake) {
      fail(position, mistake.what());
    }
  }

  void skip_blanks() {
    while (position_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[position_])) != 0) {
      ++position_;
    }
  }
  bool at_end() {
    skip_blanks();
    return position_ == text_.size();
  }
  bool next_is(Text sign) {
    skip_blanks();
    return text_.substr(position_).starts_with(sign);
  }
  bool take(Text sign) {
    if (!next_is(sign)) return false;
    position_ += sign.size();
    return true;
  }
  void expect(Text sign, Text requested) {
    if (!take(sign)) fail_at_rest(requested);
  }
  Text name_at(std::size_t position) const {
    std::size_t end = position;
    while (end < text_.size() && is_of_name(text_[end])) ++end;
    return text_.substr(position, end - position);
  }

  /// Takes one of the operators, if it is next.
  const Operator* take_one(std::span<const Operator> operators) {
    for (const Operator& one : operators) {
      // "*" must not take half of "**", nor "&" half of "&&".
      const bool doubled =
          one.text.size() == 1 && Text("*|&<>").find(one.text.front()) != Text::npos;
      if (!next_is(one.text)) continue;
      if (doubled && text_.substr(position_ + 1).starts_with(one.text)) continue;
      position_ += one.text.size();
      return &one;
    }
    return nullptr;
  }

  Value comparison() {
    const Value x = level(0);
    skip_blanks();
    const std::size_t position = position_;
    const Operator* const found = take_one(kComparisons);
    if (found == nullptr) return x;
    const Value y = level(0);
    skip_blanks();
    const std::size_t second = position_;
    if (take_one(kComparisons) != nullptr) {
      fail(second, "comparisons do not follow one another; write (x < y) & (y < z)");
    }
    return at(position, [&] {
      return found->swapped ? builder_.binary(found->op, y, x) : builder_.binary(found->op, x, y);
    });
  }

  Value level(std::size_t number) {
    if (number == kLevels.size()) return factor();
    Value x = level(number + 1);
    while (true) {
      skip_blanks();
      const std::size_t position = position_;
      const Operator* const found = take_one(kLevels[number]);
      if (found == nullptr) return x;
      const Value y = level(number + 1);
      x = at(position, [&] { return builder_.binary(found->op, x, y); });
    }
  }

  Value factor() {
    skip_blanks();
    const std::size_t position = position_;
    if (++depth_ > kMaxDepth) {
      fail(position, fmt::format("more than {} parentheses or signs inside each other", kMaxDepth));
    }
    const Value x = signed_factor(position);
    --depth_;
    return x;
  }

  Value signed_factor(std::size_t position) {
    if (take("+")) {
      const Value x = factor();
      return at(position, [&] { return Builder::plus(x); });
    }
    for (const auto& [sign, op] : {std::pair{"-", Op::negate}, {"~", Op::complement}}) {
      if (!take(sign)) continue;
      const Value x = factor();
      return at(position, [&, which = op] { return builder_.unary(which, x); });
    }
    const Value base = atom();
    skip_blanks();
    const std::size_t sign = position_;
    if (!take("**")) return base;
    const Value exponent = factor();
    return at(sign, [&] { return builder_.binary(Op::power, base, exponent); });
  }

  Value atom() {
    if (at_end()) fail_at_rest("a value");
    const std::size_t position = position_;
    const char c = text_[position_];
    if (take("(")) {
      const Value x = comparison();
      expect(")", "an operator or ')'");
      return x;
    }
    if (is_digit(c) || c == '.') return number();
    if (!starts_name(c)) fail_at_rest("a value");
    const Text name = name_at(position);
    if (std::ranges::find(kForeign, name, &Foreign::text) != kForeign.end() && !is_input(name)) {
      fail_at_rest("a value");
    }
    position_ += name.size();
    if (take("(")) return call(name, position);
    return named(name, position);
  }

  /// The base of a whole number, as Python writes it.
  static int base_of(Text number) {
    for (const auto& [letter, base] : {std::pair{'x', 16}, {'o', 8}, {'b', 2}}) {
      if (number.size() > 1 && number[0] == '0' && (number[1] | 0x20) == letter) return base;
    }
    return 10;
  }

  Value number() {
    const std::size_t position = position_;
    const int base = base_of(text_.substr(position));
    const bool decimal = base == 10;
    if (!decimal) position_ += 2;
    const char* const begin = text_.data() + position_;
    const char* const end = text_.data() + text_.size();
    std::uint64_t bits = 0;
    double real = 0;
    const auto whole_end = std::from_chars(begin, end, bits, base);
    const auto real_end = std::from_chars(begin, end, real);
    const bool is_real = decimal && real_end.ptr > whole_end.ptr;
    const char* const stop = is_real ? real_end.ptr : whole_end.ptr;
    if (stop == begin) {
      fail(position, decimal ? "a lone point is no number"
                             : fmt::format("no digits of base {} follow {}", base,
                                           text_.substr(position, 2)));
    }
    position_ += static_cast<std::size_t>(stop - begin);
    if ((is_real ? real_end.ec : whole_end.ec) == std::errc::result_out_of_range) {
      fail(position, is_real
                         ? "the number is beyond f8"
                         : "the number is beyond 64 bits; write it as a real number, as in 1e30");
    }
    if (position_ < text_.size() && (is_of_name(text_[position_]) || text_[position_] == '.')) {
      fail(position_, "a number ends here; a product needs *");
    }
    if (decimal && !is_real && bits != 0 && *begin == '0') {
      fail(position, fmt::format("write {}, or 0o{} if it is octal", bits, bits));
    }
    return is_real ? Builder::real(real) : Builder::whole(bits);
  }

  bool is_input(Text name) const {
    return std::ranges::find(inputs_, name, &InputArray::name) != inputs_.end();
  }

  Value named(Text name, std::size_t position) {
    const auto input = std::ranges::find(inputs_, name, &InputArray::name);
    if (input != inputs_.end()) {
      return builder_.input(static_cast<std::size_t>(input - inputs_.begin()));
    }
    const auto* const constant = std::ranges::find(kConstants, name, &NamedConstant::name);
    if (constant != kConstants.end()) return Builder::real(constant->value);
    if (const auto dimension = index_dimension(name)) return builder_.index(*dimension);
    if (std::ranges::count(function_names(), name) > 0) {
      fail(position, fmt::format("{} is a function; write {}(...)", name, name));
    }
    fail(position, fmt::format("there is no array '{}'; {}", name, advice(name, value_names())));
  }

  std::vector<std::string> value_names() const {
    std::vector<std::string> names;
    for (const InputArray& input : inputs_) names.push_back(input.name);
    for (const NamedConstant& constant : kConstants) names.emplace_back(constant.name);
    names.emplace_back("index");
    return names;
  }
  static std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const NamedFunction& function : kOperations) names.emplace_back(function.name);
    for (const Function& function : functions()) names.emplace_back(function.name);
    for (int type = 0; type <= static_cast<int>(Type::f8); ++type) {
      names.emplace_back(name_of(static_cast<Type>(type)));
    }
    return names;
  }
  static std::string advice(Text name, const std::vector<std::string>& names) {
    const std::string near = base::nearest(name, names);
    return near.empty() ? "there are " + base::join(names)
                        : fmt::format("did you mean '{}'?", near);
  }

  /// `position` of the name; the parenthesis is taken.
  Value call(Text name, std::size_t position) {
    const std::vector<Value> arguments = take_arguments();
    const auto check = [&](std::size_t arity) {
      if (arguments.size() == arity) return;
      fail(position, fmt::format("{} takes {}, not {}", name,
                                 base::count_of(static_cast<std::int64_t>(arity), "value"),
                                 arguments.size()));
    };
    if (const auto type = find_type(name)) {
      check(1);
      return at(position, [&] { return builder_.cast(*type, arguments.front()); });
    }
    const auto* const operation = std::ranges::find(kOperations, name, &NamedFunction::name);
    if (operation != kOperations.end()) {
      check(operation->arity);
      return at(position, [&] { return operation->make(builder_, arguments); });
    }
    const int row = find_function(name);
    if (row < 0) {
      fail(position,
           fmt::format("there is no function '{}'; {}", name, advice(name, function_names())));
    }
    check(functions()[static_cast<std::size_t>(row)].arity);
    return at(position, [&] { return builder_.function(row, arguments); });
  }

  std::vector<Value> take_arguments() {
    std::vector<Value> arguments;
    if (take(")")) return arguments;
    do arguments.push_back(comparison());
    while (take(","));
    expect(")", "an operator, ',' or ')'");
    return arguments;
  }

  Text text_;
  std::span<const InputArray> inputs_;
  Text what_;
  Builder builder_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Program parse(std::string_view text, std::span<const InputArray> inputs, std::string_view what) {
  if (text.size() > kMaxCharacters) {
    throw base::usage_error("{}: has {} characters; an expression has {} at most", what,
                            text.size(), kMaxCharacters);
  }
  return Parser(text, inputs, what).run();
}

bool has_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

bool is_name(std::string_view text) {
  return !text.empty() && starts_name(text.front()) && std::ranges::all_of(text, is_of_name);
}

}  // namespace tessera::expression
