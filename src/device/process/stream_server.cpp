#include "device/process/stream_server.hpp"

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/process/commands.hpp"
#include "device/process/faults.hpp"
#include "device/process/shared_memory.hpp"

namespace tessera::device::process {
namespace {

using Outcome = Channel::Outcome;

/// Executes the commands of one rank's stream.
template <class Stream>
class StreamServer {
 public:
  explicit StreamServer(Stream& stream) : stream_(stream) {}
  /// Copies that are still in flight use the buffers.
  ~StreamServer() { settle(stream_); }
  StreamServer(const StreamServer&) = delete;
  StreamServer& operator=(const StreamServer&) = delete;

  void execute_all(base::ByteReader& in, Descriptor& descriptor, base::ByteWriter& out) {
    while (!in.empty()) execute(in.get<Command>(), in, descriptor, out);
  }

 private:
  void execute(Command command, base::ByteReader& in, Descriptor& descriptor,
               base::ByteWriter& out) {
    switch (command) {
      case Command::share:
        return share(in.get<std::uint64_t>(), in, std::move(descriptor));
      case Command::unshare:
        buffers_.erase(in.get<std::uint64_t>());
        return;
      case Command::fail:
        return fail(in.get<Fault>());
      case Command::call:
        return call_number(in.get<std::uint8_t>(), Calls(), in, out);
    }
    throw base::run_error("no command: {}", static_cast<int>(command));
  }

  void share(std::uint64_t number, base::ByteReader& in, Descriptor descriptor) {
    auto memory = std::make_unique<SharedMemory>(std::move(descriptor), in.get<std::size_t>());
    auto lock = stream_.lock_memory(memory->bytes());
    buffers_.insert_or_assign(number, Buffer{std::move(memory), std::move(lock)});
  }

  template <auto... kCalls>
  void call_number(std::uint8_t requested, CallList<kCalls...>, base::ByteReader& in,
                   base::ByteWriter& out) {
    std::uint8_t number = 0;
    const bool known = ((number++ == requested && (call(kCalls, in, out), true)) || ...);
    if (!known) throw base::run_error("no call {}", requested);
  }

  template <class Of, class Result, class... Taken>
  void call(Result (Of::*function)(Taken...), base::ByteReader& in, base::ByteWriter& out) {
    if constexpr (std::is_base_of_v<Of, Stream>) {
      // In braces, arguments are read in their order.
      std::tuple arguments{receive<Taken>(in)...};
      const auto make = [&](const auto&... each) { return (stream_.*function)(each...); };
      if constexpr (std::is_void_v<Result>) {
        std::apply(make, arguments);
      } else {
        out.put(std::apply(make, arguments));
      }
    } else {
      throw base::run_error("a call of another kind of stream");
    }
  }

  template <class T>
  auto receive(base::ByteReader& in) const {
    using Value = std::remove_cvref_t<T>;
    if constexpr (kIsHostMemory<Value>) {
      const auto place = in.get<SharedRegion>();
      return buffers_.at(place.number).memory->bytes().subspan(place.offset_bytes, place.bytes);
    } else if constexpr (base::Plain<Value>) {
      return in.get<Value>();
    } else {  // a span of numbers
      return in.get<std::vector<typename Value::value_type>>();
    }
  }

  /// The rank's shared memory in this process, page-locked if the stream can do that.
  struct Buffer {
    std::unique_ptr<SharedMemory> memory;
    std::shared_ptr<void> lock;  ///< released first
  };

  Stream& stream_;
  std::map<std::uint64_t, Buffer> buffers_;
};

template <class Stream>
void serve_stream(const std::function<std::unique_ptr<Stream>()>& open, Channel& line) {
  std::unique_ptr<Stream> stream;
  const base::Bytes opened = answer_of([&] {
    stream = open();
    return base::to_bytes(Answer::done, stream->capacity());
  });
  if (line.send(opened, Channel::kForEver) != Outcome::done || !stream) return;
  StreamServer<Stream> server(*stream);
  std::optional<base::Bytes> failure;  // of a command without an answer
  for (Message message; line.receive(message, Channel::kForEver) == Outcome::done;) {
    base::ByteReader in(message.body);
    const auto reply = in.get<Reply>();
    bool done = false;
    base::Bytes answer = failure ? std::move(*failure) : answer_of([&] {
      base::ByteWriter out;
      out.put(Answer::done);
      server.execute_all(in, message.descriptor, out);
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

namespace {

Answer kind_of(const DeviceError& error) {
  if (dynamic_cast<const ContextLostError*>(&error) != nullptr) return Answer::context_lost;
  if (dynamic_cast<const DeviceBusyError*>(&error) != nullptr) return Answer::busy;
  return Answer::lost;
}

}  // namespace

base::Bytes answer_of(const std::function<base::Bytes()>& make) {
  try {
    return make();
  } catch (const DeviceError& error) {
    return base::to_bytes(kind_of(error), std::string(error.what()));
  } catch (const base::Error& error) {
    return base::to_bytes(Answer::failed, error.code(), std::string(error.what()));
  } catch (const std::exception& error) {  // for example, this process is out of memory
    return base::to_bytes(Answer::lost, std::string(error.what()));
  }
}

void serve_pixels(const std::function<std::unique_ptr<gpu::Stream>()>& open, Channel& line) {
  serve_stream(open, line);
}

void serve_arrays(const std::function<std::unique_ptr<gpu::ArrayStream>()>& open, Channel& line) {
  serve_stream(open, line);
}

}  // namespace tessera::device::process
