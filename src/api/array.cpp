#include "tessera/array.hpp"

#include "api/call.hpp"
#include "api/cuda_array.hpp"
#include "api/source_state.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "reduce/input/open_input.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::v0 {
namespace {

Source::State of_input(job::ArrayInput input) {
  Source::State state;
  state.inputs.push_back(std::move(input));
  return state;
}

using reduce::MissingAs;

/// For what is not reduced. Missing elements of an expression are NaN in any case.
std::unique_ptr<store::ArraySource> open_whole(const Source& source, MissingAs missing) {
  job::ArrayJob job;
  api::set_inputs(job, source);
  const std::int64_t bytes = reduce::piece_bytes(job);
  if (job.map.empty()) return reduce::open_input(job.inputs, bytes, missing);
  return reduce::open_source(job, bytes);
}

void read_checked(store::ArraySource& source, const Box& box, std::span<std::byte> elements) {
  const store::ArrayInfo& info = source.info();
  const std::size_t rank = info.shape.size();
  bool is_inside = box.origin.size() == rank && box.extent.size() == rank;
  std::size_t bytes = base::element_bytes(info.type);
  for (std::size_t d = 0; is_inside && d < rank; ++d) {
    is_inside =
        box.origin[d] >= 0 && box.extent[d] >= 0 && box.origin[d] <= info.shape[d] - box.extent[d];
    bytes *= static_cast<std::size_t>(box.extent[d]);
  }
  if (!is_inside) {
    throw base::usage_error("{}: the box lies outside; the array is {}", base::printable(info.name),
                            job::format_shape(info.shape));
  }
  if (bytes == elements.size()) return source.read_box({box.origin, box.extent}, elements);
  throw base::usage_error("{}: the box has {} bytes, and there is memory for {}",
                          base::printable(info.name), bytes, elements.size());
}

job::ArrayInMemory memory_of(const ArrayView& view, std::shared_ptr<const void> owner) {
  const base::ElementType type = api::element_of(view.type);
  const std::size_t element = base::element_bytes(type);
  Shape strides = view.strides_bytes;
  if (strides.empty()) strides = store::packed_strides(view.shape, element);
  if (strides.size() != view.shape.size()) {
    throw base::usage_error("{} strides for {} dimensions", strides.size(), view.shape.size());
  }
  std::int64_t lowest = 0;
  auto end = static_cast<std::int64_t>(element);
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    const std::int64_t reach = std::max<std::int64_t>(0, view.shape[d] - 1) * strides[d];
    (reach < 0 ? lowest : end) += reach;
  }
  return {.bytes = {static_cast<const std::byte*>(view.data) + lowest,
                    static_cast<std::size_t>(end - lowest)},
          .offset_bytes = -lowest,
          .type = type,
          .shape = view.shape,
          .strides_bytes = std::move(strides),
          .swap_bytes = view.swapped,
          .is_boolean = view.type == Type::boolean,
          .owner = std::move(owner)};
}

/// A reader of the caller as the rooms know it.
class CallersReader : public job::ArrayReader {
 public:
  explicit CallersReader(std::shared_ptr<const Reader> reader) : reader_(std::move(reader)) {}

  base::ElementType type() const override { return api::element_of(reader_->type()); }
  Shape shape() const override { return reader_->shape(); }
  Shape chunk() const override { return reader_->chunk(); }
  void read(std::span<const std::int64_t> origin, std::span<const std::int64_t> extent,
            std::span<std::byte> elements) const override {
    api::called_back([&] {
      reader_->read({{origin.begin(), origin.end()}, {extent.begin(), extent.end()}}, elements);
    });
  }

 private:
  std::shared_ptr<const Reader> reader_;
};

}  // namespace

Source Source::memory(const ArrayView& view, std::string name, std::shared_ptr<const void> owner) {
  return Source(std::make_shared<State>(api::translate(
      [&] { return of_input(job::input_of(memory_of(view, std::move(owner)), name)); })));
}

Source Source::cuda(const ArrayView& view, void* stream, std::string name,
                    std::shared_ptr<const void> owner) {
  return Source(std::make_shared<State>(api::translate([&] {
    return of_input(job::input_of(api::open_cuda_array(view, stream, std::move(owner)), name));
  })));
}

Source Source::custom(std::shared_ptr<const Reader> reader, std::string name) {
  return Source(std::make_shared<State>(api::translate([&] {
    return of_input(job::input_of(std::make_shared<CallersReader>(std::move(reader)), name));
  })));
}

ArraySink::ArraySink() = default;
ArraySink::~ArraySink() = default;

Reader::Reader() = default;
Reader::~Reader() = default;

Source::Source(std::shared_ptr<const State> state) : state_(std::move(state)) {}
Source::~Source() = default;
Source::Source(const Source&) = default;
Source::Source(Source&&) noexcept = default;
Source& Source::operator=(const Source&) = default;
Source& Source::operator=(Source&&) noexcept = default;

Source Source::file(std::string_view input) {
  return Source(std::make_shared<State>(
      api::translate([&] { return of_input(job::parse_array_input(input)); })));
}

Source Source::dataset(const std::string& path, const std::string& name) {
  return Source(std::make_shared<State>(
      api::translate([&] { return of_input(job::dataset_of_file(path, name)); })));
}

Source Source::expression(std::string_view text,
                          std::vector<std::pair<std::string, Source>> arrays) {
  return Source(std::make_shared<State>(api::translate([&] {
    job::ArrayJob job;
    job::set_expression(job, text);
    State state{.map = job.map};
    for (const auto& [name, array] : arrays) {
      const State& one = array.state();
      if (!one.map.empty() || one.inputs.size() != 1) {
        throw base::usage_error("{}: is an expression itself; write it into '{}'", name, text);
      }
      state.names.push_back(name);
      state.inputs.push_back(one.inputs.front());
    }
    return state;
  })));
}

ArrayInfo Source::info() const {
  return api::translate([&] {
    const auto source = open_whole(*this, MissingAs::shown);
    const store::ArrayInfo& info = source->info();
    return ArrayInfo{.type = api::type_of(info.type, info.is_boolean),
                     .shape = info.shape,
                     .chunk = source->chunk_shape(),
                     .kind = info.kind};
  });
}

void Source::read(const Box& box, std::span<std::byte> elements) const {
  api::translated([&] { read_checked(*open_whole(*this, MissingAs::nan), box, elements); });
}

void Source::read(const Box& box, std::span<std::byte> elements, const ArrayInfo& known) const {
  api::translated([&] {
    const auto source = open_whole(*this, MissingAs::nan);
    const store::ArrayInfo& now = source->info();
    if (api::type_of(now.type, now.is_boolean) != known.type || now.shape != known.shape) {
      throw base::usage_error(
          "{}: has changed since it was opened, and is {} {} now; open it again",
          base::printable(now.name), base::element_name(now.type), job::format_shape(now.shape));
    }
    read_checked(*source, box, elements);
  });
}

}  // namespace tessera::v0

namespace tessera::api {

Type type_of(base::ElementType type, bool is_boolean) {
  return is_boolean ? Type::boolean : static_cast<Type>(static_cast<int>(type) + 1);
}

base::ElementType element_of(Type type) {
  if (type == Type::boolean) return base::ElementType::u8;
  return static_cast<base::ElementType>(static_cast<int>(type) - 1);
}

const job::ArrayInput& input_of(const Source& source, std::string_view what) {
  const Source::State& state = source.state();
  if (state.map.empty()) return state.inputs.front();
  throw base::usage_error("{}: an expression; only arrays are taken here", what);
}

void set_inputs(job::ArrayJob& job, const Source& source) {
  const Source::State& state = source.state();
  job.inputs = state.inputs;
  for (job::ArrayInput& input : job.inputs) input.decoding = job.decoding;
  job.map = state.map;
  job.names = state.names;
}

}  // namespace tessera::api
