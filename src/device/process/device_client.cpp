#include "device/process/device_client.hpp"

#include <functional>

#include "device/process/retry_while_busy.hpp"

namespace tessera::device::process {

/// Shared memory of a connection. The connection must outlive it.
class ConnectionBuffer : public HostBuffer {
 public:
  ConnectionBuffer(Connection& line, std::size_t bytes)
      : connection_(line), memory_(bytes), number_(line.next_number_++) {
    connection_.shared_.emplace(number_, &memory_);
  }
  ~ConnectionBuffer() override {
    connection_.shared_.erase(number_);
    if (!connection_.broken_) connection_.queue_command(Command::unshare, number_);
  }
  ConnectionBuffer(const ConnectionBuffer&) = delete;
  ConnectionBuffer& operator=(const ConnectionBuffer&) = delete;
  std::span<std::byte> bytes() override { return memory_.bytes(); }
  std::uint64_t number() const { return number_; }

 private:
  Connection& connection_;
  SharedMemory memory_;
  std::uint64_t number_;
};

Connection::Connection(std::shared_ptr<Supervisor> supervisor, ConnectionKind kind)
    : supervisor_(std::move(supervisor)), kind_(kind), open_(supervisor_->open_connection(kind)) {}

base::Bytes Connection::message(Reply reply, const base::Bytes& commands) {
  base::ByteWriter out;
  out.reserve(sizeof(reply) + commands.size());
  return out.put(reply).put_bytes(commands).take();
}

void Connection::flush(double more_s) {
  if (broken_) throw DeviceError(supervisor_->end_of(open_.process, 0));
  const double within_s = supervisor_->response_timeout().allowed_s() + more_s;
  const auto outcome = open_.channel.send(message(Reply::none, queued_.take()), within_s);
  if (outcome != Channel::Outcome::done) fail(outcome, within_s);
}

base::ByteReader Connection::exchange(const base::Bytes& body, double more_s, int descriptor) {
  if (broken_) throw DeviceError(supervisor_->end_of(open_.process, 0));
  const double within_s = supervisor_->response_timeout().allowed_s() + more_s;
  auto outcome = open_.channel.send(body, within_s, descriptor);
  if (outcome == Channel::Outcome::done) outcome = open_.channel.receive(answer_, within_s);
  if (outcome != Channel::Outcome::done) fail(outcome, within_s);
  try {
    return take_answer(answer_);
  } catch (const ContextLostError& error) {
    broken_ = true;
    throw DeviceError(supervisor_->end_process(open_.process, error.what()));
  }
}

void Connection::fail(Channel::Outcome outcome, double within_s) {
  broken_ = true;
  const bool silent = outcome == Channel::Outcome::silent;
  throw DeviceError(supervisor_->end_of(open_.process, silent ? within_s : 0));
}

std::unique_ptr<HostBuffer> Connection::make_buffer(std::size_t bytes) {
  auto buffer = std::make_unique<ConnectionBuffer>(*this, bytes);
  share(buffer->number());
  return buffer;
}

void Connection::share(std::uint64_t number) {
  const SharedMemory& memory = *shared_.at(number);
  const auto request = base::to_bytes(Command::share, number, memory.bytes().size());
  exchange(message(Reply::requested, request), 0, memory.descriptor());
}

std::optional<SharedRegion> Connection::find(std::span<const std::byte> bytes) const {
  const std::less_equal<const std::byte*> before;
  for (const auto& [number, memory] : shared_) {
    const std::span<const std::byte> all = memory->bytes();
    if (!before(all.data(), bytes.data())) continue;
    if (!before(bytes.data() + bytes.size(), all.data() + all.size())) continue;
    return SharedRegion{number, static_cast<std::uint64_t>(bytes.data() - all.data()),
                        bytes.size()};
  }
  return std::nullopt;
}

bool Connection::revive() {
  queued_ = {};
  if (!broken_ || !supervisor_->start_again(open_.process)) return false;
  try {
    open_ = retry_while_busy([this] { return supervisor_->open_connection(kind_); });
    broken_ = false;
    for (const auto& [number, memory] : shared_) share(number);
  } catch (const DeviceError&) {
    return false;
  }
  return true;
}

}  // namespace tessera::device::process
