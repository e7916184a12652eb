// A RankReport as bytes between processes of one run, which share byte order and build: a mark,
// the fields in order, a checksum of what stands before it. 25 bytes a span.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/error.hpp"
#include "report/printers.hpp"

namespace tessera::report {

namespace {

constexpr std::uint64_t kMark = 0x3154524F50455254;  // "TREPORT1"
/// Least bytes of a thread and of a span: bounds counts before memory is taken for them.
constexpr std::size_t kSpanBytes = 1 + 3 * 8;
constexpr std::size_t kThreadBytes = 8 + 1 + 8 * kStages + 8;

/// FNV-1a over words of eight bytes (Fowler, Noll, Vo), enough to tell damage from a report.
std::uint64_t checksum(const char* bytes, std::size_t size) {
  std::uint64_t sum = 0xCBF29CE484222325;
  for (std::size_t i = 0; i < size; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, std::min<std::size_t>(8, size - i));
    sum = (sum ^ word) * 0x100000001B3;
    sum ^= sum >> 32;
  }
  return sum ^ size;
}

class Packer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put_text(const std::string& text) {
    put<std::uint64_t>(text.size());
    bytes_ += text;
  }
  std::string finish() {
    put(checksum(bytes_.data(), bytes_.size()));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

base::Error damaged() {
  return base::run_error("the report of a rank arrived damaged");
}

class Unpacker {
 public:
  /// Throws unless the checksum at the end is right.
  explicit Unpacker(const std::string& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {
    if (bytes.size() < 16) throw damaged();
    end_ -= 8;
    std::uint64_t sum = 0;
    std::memcpy(&sum, end_, 8);
    if (sum != checksum(at_, left())) throw damaged();
  }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) {
    if (left() < sizeof value) throw damaged();
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
  }
  void get_text(std::string& text) {
    const std::size_t size = get_count(1);
    text.assign(at_, size);
    at_ += size;
  }
  /// A number of things of at least `bytes_each` that are still to come.
  std::size_t get_count(std::size_t bytes_each) {
    std::uint64_t count = 0;
    get(count);
    if (count > left() / bytes_each) throw damaged();
    return count;
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  const char* at_;
  const char* end_;
};

void put_thread(Packer& out, const ThreadReport& thread) {
  out.put_text(thread.name);
  out.put<std::uint8_t>(thread.worker ? 1 : 0);
  out.put(thread.seconds);
  out.put<std::uint64_t>(thread.spans.size());
  for (const Span& span : thread.spans) {
    out.put(static_cast<std::uint8_t>(span.stage));
    out.put(span.item);
    out.put(span.start_s);
    out.put(span.end_s);
  }
}

void get_thread(Unpacker& in, ThreadReport& thread) {
  std::uint8_t byte = 0;
  in.get_text(thread.name);
  in.get(byte);
  thread.worker = byte != 0;
  in.get(thread.seconds);
  thread.spans.resize(in.get_count(kSpanBytes));
  for (Span& span : thread.spans) {
    in.get(byte);
    if (byte >= kStages) throw damaged();
    span.stage = static_cast<Stage>(byte);
    in.get(span.item);
    in.get(span.start_s);
    in.get(span.end_s);
  }
}

/// The plain numbers of a rank, in order, for either direction.
template <class Rank, class Each>
void for_each_number(Rank& rank, Each each) {
  each(rank.rank);
  each(rank.tiles);
  each(rank.pixels);
  each(rank.iterations);
  each(rank.executed);
  each(rank.bytes);
  each(rank.peak_memory_bytes);
}

}  // namespace

std::string serialize(const RankReport& rank) {
  Packer out;
  out.put(kMark);
  for_each_number(rank, [&](const auto& number) { out.put(number); });
  out.put_text(rank.host);
  out.put_text(rank.device);
  out.put<std::uint64_t>(rank.threads.size());
  for (const ThreadReport& thread : rank.threads) put_thread(out, thread);
  return out.finish();
}

RankReport deserialize(const std::string& bytes) {
  Unpacker in(bytes);
  std::uint64_t mark = 0;
  in.get(mark);
  if (mark != kMark) throw damaged();
  RankReport rank;
  for_each_number(rank, [&](auto& number) { in.get(number); });
  in.get_text(rank.host);
  in.get_text(rank.device);
  rank.threads.resize(in.get_count(kThreadBytes));
  for (ThreadReport& thread : rank.threads) get_thread(in, thread);
  if (in.left() != 0) throw damaged();
  return rank;
}

}  // namespace tessera::report
