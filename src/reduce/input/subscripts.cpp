#include "reduce/input/subscripts.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bools.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/idle_objects.hpp"
#include "base/text.hpp"
#include "expression/parser.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/piece_reader.hpp"
#include "store/arrays/sliced_array.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::reduce {
namespace {

using Text = std::string_view;

/// A table up to this size is read once.
// crossed by: test_tables_that_are_held_and_that_are_not
constexpr std::int64_t kMaxTableBytes = std::int64_t{16} << 20;

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Digits, signs, colons, commas and points, or a name with an equals sign first: a slice, and no
/// key.
bool is_slice(Text text) {
  const auto* const behind = std::ranges::find_if_not(text, is_of_word);
  Text rest = base::trim(Text(behind, text.end()));
  if (behind != text.begin() && rest.starts_with('=') && !rest.starts_with("==")) return true;
  return text.find_first_not_of("0123456789:,+-. \t") == text.npos;
}

/// Replaces subscripts in texts.
class Rewriter {
 public:
  explicit Rewriter(const ExpressionSpec& spec) : spec_(spec) {}

  ExpressionSpec run() {
    ExpressionSpec to = spec_;
    for (ExpressionText& text : to.texts) text.text = rewritten(text);
    if (found_.empty()) return to;
    to.names.clear();
    to.inputs.clear();
    for (std::size_t i = 0; i < spec_.names.size(); ++i) {
      const bool is_left = std::ranges::any_of(to.texts, [&](const ExpressionText& text) {
        return expression::has_word(text.text, spec_.names[i]);
      });
      if (is_left || !is_named(spec_.names[i])) add(to, spec_.names[i], i, "");
    }
    for (const auto& [text, one] : found_) add(to, one.name, one.input, one.subscript);
    to.before = std::make_shared<const ExpressionSpec>(spec_);
    return to;
  }

 private:
  struct Found {
    std::string name;
    std::size_t input = 0;
    std::string subscript;
  };

  /// In a text as it was, keys of subscripts too.
  bool is_named(const std::string& name) const {
    return std::ranges::any_of(spec_.texts, [&](const ExpressionText& text) {
      return expression::has_word(text.text, name);
    });
  }

  void add(ExpressionSpec& to, std::string name, std::size_t input, std::string subscript) const {
    to.names.push_back(std::move(name));
    to.inputs.push_back(spec_.inputs[input]);
    to.subscripts.resize(to.names.size() - 1);
    to.subscripts.push_back(std::move(subscript));
  }

  std::string rewritten(const ExpressionText& from) {
    const Text text = from.text;
    std::string to;
    for (std::size_t at = 0; at < text.size();) {
      if (!is_of_word(text[at])) {
        to += text[at++];
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_of_word(text[end])) ++end;
      const auto name = std::ranges::find(spec_.names, text.substr(at, end - at));
      std::size_t bracket = end;
      while (bracket < text.size() && text[bracket] == ' ') ++bracket;
      if (name == spec_.names.end() || bracket == text.size() || text[bracket] != '[') {
        to += text.substr(at, end - at);
        at = end;
        continue;
      }
      const std::size_t close = closing(from, bracket);
      to += name_of(text.substr(at, close + 1 - at), text.substr(bracket + 1, close - bracket - 1),
                    static_cast<std::size_t>(name - spec_.names.begin()));
      at = close + 1;
    }
    return to;
  }

  static std::size_t closing(const ExpressionText& from, std::size_t bracket) {
    int depth = 0;
    for (std::size_t at = bracket; at < from.text.size(); ++at) {
      depth += from.text[at] == '[' ? 1 : from.text[at] == ']' ? -1 : 0;
      if (depth == 0) return at;
    }
    throw base::usage_error("{}: column {}: the bracket is not closed", from.what, bracket + 1);
  }

  /// A name of its own for the array with this subscript.
  std::string name_of(Text whole, Text subscript, std::size_t input) {
    const std::string key(whole);
    if (const auto known = found_.find(key); known != found_.end()) return known->second.name;
    std::string name(whole);
    for (char& c : name) {
      constexpr Text kSigns = "[]:, -+*/%().<>=";
      constexpr Text kLetters = "__ck_mpaqrvwnlge";
      const std::size_t sign = kSigns.find(c);
      if (!is_of_word(c)) c = sign == Text::npos ? '_' : kLetters[sign];
    }
    const auto is_taken = [&](const std::string& other) {
      return std::ranges::find(spec_.names, other) != spec_.names.end() ||
             std::ranges::any_of(found_, [&](const auto& one) { return one.second.name == other; });
    };
    while (is_taken(name)) name += '_';
    found_[key] = {name, input, std::string(base::trim(subscript))};
    return name;
  }

  const ExpressionSpec& spec_;
  std::map<std::string, Found> found_;  ///< by the text
};

/// table[keys]: the shape of the keys, then that of a row of the table.
class LookedUp : public store::ArraySource {
 public:
  LookedUp(std::unique_ptr<store::ArraySource> table, std::unique_ptr<store::ArraySource> keys,
           std::string name, std::int64_t piece_bytes)
      : ArraySource(table->info()), table_(std::move(table)), keys_(std::move(keys)) {
    const job::Shape& row = table_->info().shape;
    info_.name = std::move(name);
    info_.shape = keys_->info().shape;
    info_.shape.insert(info_.shape.end(), row.begin() + 1, row.end());
    job::count_elements(info_.shape, info_.name);
    info_.refers_elsewhere |= keys_->info().refers_elsewhere;
    element_bytes_ = base::element_bytes(info_.type);
    const std::int64_t elements =
        std::max<std::int64_t>(1, piece_bytes / static_cast<std::int64_t>(element_bytes_));
    pieces_ = plan::ArrayPieces::boxes(info_.shape, plan::box_of_rows(info_.shape, elements));
    name_dimensions();
    const std::int64_t bytes = plan::element_count(row) * static_cast<std::int64_t>(element_bytes_);
    if (bytes > kMaxTableBytes) return;
    held_.resize(static_cast<std::size_t>(bytes));
    PieceReader reader(*table_, 0);
    reduce::read_box(*table_, {plan::Shape(row.size()), row}, reader, held_);
  }

  std::uint64_t read_memory_bytes() const override {
    return PieceReader::memory_bytes(*table_) + PieceReader::memory_bytes(*keys_) +
           2 * element_bytes_ * static_cast<std::uint64_t>(pieces_.max_elements());
  }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    const auto split = static_cast<std::ptrdiff_t>(keys_->info().shape.size());
    const plan::Box of_keys{{box.origin.begin(), box.origin.begin() + split},
                            {box.extent.begin(), box.extent.begin() + split}};
    plan::Box row{{0}, {1}};
    row.origin.insert(row.origin.end(), box.origin.begin() + split, box.origin.end());
    row.extent.insert(row.extent.end(), box.extent.begin() + split, box.extent.end());
    readers_.lend([&](Reader& reader) {
      const std::vector<std::int64_t> keys = read_keys(of_keys, reader);
      const auto bytes = static_cast<std::size_t>(row.elements()) * element_bytes_;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        row.origin.front() = keys[i];
        const auto to = elements.subspan(i * bytes, bytes);
        // Neighbours often have one key.
        if (i > 0 && keys[i] == keys[i - 1]) {
          std::ranges::copy(elements.subspan((i - 1) * bytes, bytes), to.begin());
        } else {
          read_row(row, reader, to);
        }
      }
    });
  }

 private:
  struct Reader {
    Reader(const store::ArraySource& table_source, const store::ArraySource& key_source)
        : table(table_source, 0), keys(key_source, 0) {}
    PieceReader table, keys;
    base::Bytes bytes;
  };

  void name_dimensions() {
    std::vector<store::Dimension> all = keys_->dimensions();
    std::vector<store::Dimension> row = table_->dimensions();
    if (all.empty() && row.empty()) return;
    all.resize(keys_->info().shape.size());
    row.resize(table_->info().shape.size());
    all.insert(all.end(), row.begin() + 1, row.end());
    if (!store::dimensions_named(store::names_of(all)).empty()) set_dimensions(std::move(all));
  }

  std::vector<std::int64_t> read_keys(const plan::Box& box, Reader& reader) const {
    const base::ElementType type = keys_->info().type;
    const auto count = static_cast<std::size_t>(box.elements());
    reader.bytes.resize(count * base::element_bytes(type));
    reduce::read_box(*keys_, box, reader.keys, reader.bytes);
    reader.keys.release();
    std::vector<std::int64_t> keys(count);
    const std::int64_t rows = table_->info().shape.front();
    base::with_element_type(type, [&]<class T>(T) {
      for (std::size_t i = 0; i < count; ++i) {
        T key;
        std::memcpy(&key, &reader.bytes[i * sizeof(T)], sizeof(T));
        keys[i] = static_cast<std::int64_t>(+key);
        if (key >= T{0} && keys[i] >= 0 && keys[i] < rows) continue;
        throw base::run_error("{}: the index {} is not in 0 to {}", info_.name, key, rows - 1);
      }
    });
    return keys;
  }

  void read_row(const plan::Box& row, Reader& reader, std::span<std::byte> to) const {
    if (held_.empty()) {
      reduce::read_box(*table_, row, reader.table, to);
      reader.table.release();
      return;
    }
    const plan::Shape strides = store::packed_strides(table_->info().shape, element_bytes_);
    const plan::Shape zero(row.origin.size());
    store::copy_box(held_.data() + store::distance(zero, row.origin, strides), strides, to.data(),
                    store::packed_strides(row.extent, element_bytes_), row.extent, element_bytes_);
  }

  std::unique_ptr<store::ArraySource> table_, keys_;
  std::size_t element_bytes_ = 1;
  base::Bytes held_;  ///< the table, if it is small
  mutable base::IdleObjects<Reader> readers_{
      [this] { return std::make_unique<Reader>(*table_, *keys_); }};
};

/// The expression of the keys, of the arrays that it names.
ExpressionSpec key_spec(const ExpressionSpec& before, const std::string& subscript,
                        const std::string& what) {
  ExpressionSpec spec = before;
  spec.texts = {{subscript, what}};
  spec.names.clear();
  spec.inputs.clear();
  for (std::size_t i = 0; i < before.names.size(); ++i) {
    if (!expression::has_word(subscript, before.names[i])) continue;
    spec.names.push_back(before.names[i]);
    spec.inputs.push_back(before.inputs[i]);
  }
  if (spec.names.empty()) {
    throw base::usage_error("{}: names no array; keys are those of an array", what);
  }
  return spec;
}

}  // namespace

ExpressionSpec without_subscripts(const ExpressionSpec& spec) {
  return Rewriter(spec).run();
}

std::unique_ptr<store::ArraySource> subscripted(const ExpressionSpec& spec, std::size_t number,
                                                std::unique_ptr<store::ArraySource> array,
                                                std::int64_t piece_bytes) {
  if (number >= spec.subscripts.size() || spec.subscripts[number].empty()) return array;
  const std::string& subscript = spec.subscripts[number];
  const std::string name = fmt::format("{}[{}]", array->info().name, subscript);
  if (is_slice(subscript)) {
    return store::slice_array(std::move(array), job::parse_slice(subscript, name), name,
                              piece_bytes);
  }
  if (array->info().shape.empty()) throw base::usage_error("{}: is of a single number", name);
  auto keys = open_expressions(key_spec(*spec.before, subscript, name), piece_bytes);
  if (base::is_floating(keys->info().type) || keys->info().is_boolean) {
    throw base::usage_error("{}: keys are integers, and these are {}; write i8(...)", name,
                            base::element_code(keys->info().type, keys->info().is_boolean));
  }
  return std::make_unique<LookedUp>(std::move(array), std::move(keys), name, piece_bytes);
}

}  // namespace tessera::reduce
