#include "device/process/stream_server.hpp"

#include <exception>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "device/process/commands.hpp"
#include "device/process/faults.hpp"
#include "device/process/shared_memory.hpp"

namespace tessera::device::process {
namespace {

using Outcome = Channel::Outcome;

/// The rank's shared memory in this process, page-locked if the stream can do that.
template <class Stream>
class SharedBuffers {
 public:
  explicit SharedBuffers(Stream& stream) : stream_(stream) {}

  void add(base::ByteReader& in, Descriptor descriptor) {
    const auto number = in.get<std::uint64_t>();
    const auto bytes = in.get<std::size_t>();
    auto memory = std::make_unique<SharedMemory>(std::move(descriptor), bytes);
    auto lock = stream_.lock_memory(memory->bytes());
    buffers_.insert_or_assign(number, Buffer{std::move(memory), std::move(lock)});
  }
  void remove(base::ByteReader& in) { buffers_.erase(in.get<std::uint64_t>()); }
  std::span<std::byte> find(base::ByteReader& in) const {
    const auto place = in.get<SharedRegion>();
    return buffers_.at(place.number).memory->bytes().subspan(place.offset_bytes, place.bytes);
  }

 private:
  struct Buffer {
    std::unique_ptr<SharedMemory> memory;
    std::shared_ptr<void> lock;  ///< released first
  };
  Stream& stream_;
  std::map<std::uint64_t, Buffer> buffers_;
};

template <class T>
void put_all(base::ByteWriter& out, std::span<const T> values) {
  out.put(values.size()).put_bytes(std::as_bytes(values));
}

template <class T>
std::vector<T> get_all(base::ByteReader& in) {
  std::vector<T> values(in.get<std::size_t>());
  const auto bytes = in.get_bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Executes the commands that both kinds of streams have; false for the others.
template <class Stream>
bool carry_out_common(Command command, base::ByteReader& in, Descriptor& descriptor,
                      SharedBuffers<Stream>& buffers, Stream& stream, base::ByteWriter& out) {
  switch (command) {
    case Command::share:
      buffers.add(in, std::move(descriptor));
      return true;
    case Command::unshare:
      buffers.remove(in);
      return true;
    case Command::grow:
      out.put(stream.grow(in.get<std::size_t>()));
      return true;
    case Command::wait:
      stream.wait();
      return true;
    case Command::fail:
      fail(in.get<Fault>());
      return true;
    default:
      return false;
  }
}

void carry_out(Command command, base::ByteReader& in, const SharedBuffers<gpu::Stream>& buffers,
               gpu::Stream& stream, base::ByteWriter& out) {
  switch (command) {
    case Command::clear:
      return stream.clear(in.get<std::size_t>());
    case Command::begin_stats:
      return stream.begin_stats();
    case Command::launch_tile:
      return stream.launch(in.get<gpu::Tile>());
    case Command::read_stats:
      out.put(stream.read_stats());
      return;
    case Command::copy_out: {
      const auto from = in.get<std::size_t>();
      return stream.copy_out(from, buffers.find(in));
    }
    default:
      throw base::run_error("no command for pixels: {}", static_cast<int>(command));
  }
}

void carry_out(Command command, base::ByteReader& in,
               const SharedBuffers<gpu::ArrayStream>& buffers, gpu::ArrayStream& stream,
               base::ByteWriter& out) {
  switch (command) {
    case Command::copy_in: {
      const auto elements = buffers.find(in);
      return stream.copy_in(elements, in.get<std::size_t>());
    }
    case Command::make:
      return stream.make(in.get<kernels::TsMake>());
    case Command::set_bins: {
      const auto edges = get_all<double>(in);
      return stream.set_bins(edges, in.get<std::size_t>());
    }
    case Command::set_logarithms:
      return stream.set_logarithms(get_all<kernels::TS_U64>(in));
    case Command::set_cells: {
      const auto cells = in.get<std::size_t>();
      return stream.set_cells(cells, in.get<std::size_t>());
    }
    case Command::launch_elements: {
      const auto call = in.get<kernels::TsReduce>();
      const auto kernel = in.get<kernels::ReduceKernel>();
      return stream.launch(call, kernel, in.get<std::size_t>());
    }
    case Command::launch_along_axes:
      return stream.launch_along_axes(in.get<kernels::TsAxis>());
    case Command::read_cells:
      return put_all(out, stream.read_cells(in.get<std::size_t>()));
    case Command::read_records:
      return put_all(out, stream.read_records());
    case Command::read_spill:
      return put_all(out, stream.read_spill());
    case Command::read_bins:
      return put_all(out, stream.read_bins());
    default:
      throw base::run_error("no command for arrays: {}", static_cast<int>(command));
  }
}

template <class Stream>
void carry_out_all(base::ByteReader& in, Descriptor& descriptor, SharedBuffers<Stream>& buffers,
                   Stream& stream, base::ByteWriter& out) {
  while (!in.empty()) {
    const auto command = in.get<Command>();
    if (!carry_out_common(command, in, descriptor, buffers, stream, out)) {
      carry_out(command, in, buffers, stream, out);
    }
  }
}

template <class Stream>
void serve_stream(const std::function<std::unique_ptr<Stream>()>& open, Channel& line) {
  std::unique_ptr<Stream> stream;
  const base::Bytes opened = answer_of([&] {
    stream = open();
    base::ByteWriter out;
    return out.put(Answer::done).put(stream->capacity()).take();
  });
  if (line.send(opened, Channel::kForEver) != Outcome::done || !stream) return;
  SharedBuffers<Stream> buffers(*stream);
  std::optional<base::Bytes> failure;  // of a command without an answer
  for (Message message; line.receive(message, Channel::kForEver) == Outcome::done;) {
    base::ByteReader in(message.body);
    const auto reply = in.get<Reply>();
    bool done = false;
    base::Bytes answer = failure ? std::move(*failure) : answer_of([&] {
      base::ByteWriter out;
      out.put(Answer::done);
      carry_out_all(in, message.descriptor, buffers, *stream, out);
      done = true;
      return out.take();
    });
    failure.reset();
    if (reply == Reply::none) {
      if (!done) failure = std::move(answer);
    } else if (line.send(answer, Channel::kForEver) != Outcome::done) {
      return;
    }
  }
}

}  // namespace

base::Bytes answer_of(const std::function<base::Bytes()>& make) {
  base::ByteWriter out;
  try {
    return make();
  } catch (const DeviceError& error) {
    out.put(Answer::lost).put_text(error.what());
  } catch (const base::Error& error) {
    out.put(Answer::failed).put(error.code()).put_text(error.what());
  } catch (const std::exception& error) {  // for example, this process is out of memory
    out.put(Answer::lost).put_text(error.what());
  }
  return out.take();
}

void serve_pixels(const std::function<std::unique_ptr<gpu::Stream>()>& open, Channel& line) {
  serve_stream(open, line);
}

void serve_arrays(const std::function<std::unique_ptr<gpu::ArrayStream>()>& open, Channel& line) {
  serve_stream(open, line);
}

}  // namespace tessera::device::process
