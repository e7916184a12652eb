// Several arrays as one.
#include <glob.h>

#include <algorithm>

#include "base/error.hpp"
#include "store/array_source.hpp"

namespace tessera::store {

namespace {

class JoinedArray : public ArraySource {
 public:
  explicit JoinedArray(std::vector<std::unique_ptr<ArraySource>> parts)
      : parts_(std::move(parts)), info_(parts_.front()->info()), pieces_(join(parts_)) {
    info_.name += fmt::format(" and {} more", parts_.size() - 1);
    info_.kind = fmt::format("{} arrays: {}", parts_.size(), info_.kind);
    info_.shape = pieces_.shape();
    for (const auto& part : parts_) info_.refers_elsewhere |= part->info().refers_elsewhere;
  }

  const ArrayInfo& info() const override { return info_; }
  const plan::ArrayPieces& pieces() const override { return pieces_; }
  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    const auto [part, own] = pieces_.locate(piece);
    parts_[part]->read(own, elements);
  }
  std::optional<base::FileView> view(std::int64_t first, std::int64_t end) const override {
    const auto [part, own] = pieces_.locate(first);
    const auto [last_part, own_last] = pieces_.locate(end - 1);
    if (part != last_part) return std::nullopt;
    return parts_[part]->view(own, own_last + 1);
  }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    const std::size_t row_bytes = elements.size() / static_cast<std::size_t>(box.extent.front());
    std::int64_t first = 0;  // of the part, along the first dimension
    for (const auto& part : parts_) {
      const std::int64_t rows = part->info().shape.front();
      const std::int64_t from = std::max(box.origin.front(), first);
      const std::int64_t to = std::min(box.origin.front() + box.extent.front(), first + rows);
      if (from < to) {
        plan::Box own = box;
        own.origin.front() = from - first;
        own.extent.front() = to - from;
        part->read_box(
            own, elements.subspan(static_cast<std::size_t>(from - box.origin.front()) * row_bytes,
                                  static_cast<std::size_t>(to - from) * row_bytes));
      }
      first += rows;
    }
  }
  plan::Shape grain() const override { return parts_.front()->grain(); }
  const ChunkCoding* coding(std::int64_t piece) const override {
    const auto [part, own] = pieces_.locate(piece);
    return parts_[part]->coding(own);
  }
  std::int64_t most_elements() const override {
    std::int64_t most = 0;
    for (const auto& part : parts_) most = std::max(most, part->most_elements());
    return most;
  }
  ChunkPlace place(std::int64_t piece) const override {
    const auto [part, own] = pieces_.locate(piece);
    return parts_[part]->place(own);
  }
  void read_stored(std::int64_t first, std::int64_t end, StoredChunks& chunks) const override {
    const auto [part, own] = pieces_.locate(first);
    const auto own_end = std::min(own + (end - first), parts_[part]->pieces().count());
    parts_[part]->read_stored(own, own_end, chunks);
  }

 private:
  static plan::ArrayPieces join(const std::vector<std::unique_ptr<ArraySource>>& parts) {
    std::vector<plan::ArrayPieces> pieces;
    pieces.reserve(parts.size());
    for (const auto& part : parts) pieces.push_back(part->pieces());
    return plan::ArrayPieces::joined(std::move(pieces));
  }

  std::vector<std::unique_ptr<ArraySource>> parts_;
  ArrayInfo info_;
  plan::ArrayPieces pieces_;
};

std::string describe(const ArrayInfo& array) {
  return fmt::format("{} {}", base::element_code(array.type), job::format_shape(array.shape));
}

/// Whether `next` can lie behind `first` along the first dimension.
void check_continues(const ArrayInfo& first, const ArrayInfo& next) {
  const bool fits = first.type == next.type && !first.shape.empty() &&
                    first.shape.size() == next.shape.size() &&
                    std::equal(first.shape.begin() + 1, first.shape.end(), next.shape.begin() + 1);
  if (fits) return;
  throw base::usage_error("{}: is {}, which does not continue {}, {}", next.name, describe(next),
                          first.name, describe(first));
}

}  // namespace

std::vector<job::ArrayInput> expand(const job::ArrayInput& input) {
  if (input.path.find('*') == input.path.npos) return {input};
  std::vector<job::ArrayInput> inputs;
  glob_t found{};
  if (::glob(input.path.c_str(), GLOB_ERR, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      job::ArrayInput one = input;
      one.path = found.gl_pathv[i];
      one.text.replace(0, input.path.size(), one.path);  // what follows is the same
      inputs.push_back(std::move(one));
    }
  }
  ::globfree(&found);
  if (inputs.empty()) throw base::missing_error("{}: no file matches", input.path);
  return inputs;
}

std::unique_ptr<ArraySource> open_arrays(std::span<const job::ArrayInput> inputs,
                                         std::int64_t piece_bytes) {
  std::vector<std::unique_ptr<ArraySource>> parts;
  job::Shape shape;
  for (const job::ArrayInput& input : inputs) {
    for (const job::ArrayInput& one : expand(input)) {
      parts.push_back(open_array(one, piece_bytes));
      if (parts.size() == 1) {
        shape = parts.front()->info().shape;
        continue;
      }
      check_continues(parts.front()->info(), parts.back()->info());
      shape.front() += parts.back()->info().shape.front();
      job::count_elements(shape, one.text);
    }
  }
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<JoinedArray>(std::move(parts));
}

}  // namespace tessera::store
