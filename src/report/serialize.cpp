// A RankReport as bytes between processes of one run, which share byte order and build.
#include "base/bytes.hpp"
#include "report/printers.hpp"
#include "report/serialize_parts.hpp"

namespace tessera::report {

namespace {

/// Visits the plain numbers of a rank in order; used for both directions.
template <class Rank, class Each>
void for_each_number(Rank& rank, Each each) {
  each(rank.rank);
  each(rank.tiles);
  each(rank.pixels);
  each(rank.iterations);
  each(rank.executed);
  each(rank.slices);
  each(rank.elements);
  each(rank.read_s);
  each(rank.bytes);
  each(rank.peak_memory_bytes);
}

ThreadReport get_thread(base::ByteReader& in) {
  ThreadReport thread;
  thread.name = in.get_text();
  thread.worker = in.get<bool>();
  thread.seconds = in.get<decltype(thread.seconds)>();
  thread.spans_dropped = in.get<std::uint64_t>();
  const auto spans = in.get<std::size_t>();
  for (std::size_t i = 0; i < spans; ++i) thread.spans.push_back(in.get<Span>());
  return thread;
}

}  // namespace

void put_devices(base::ByteWriter& out, const std::vector<LostDevice>& devices) {
  out.put(devices.size());
  for (const LostDevice& device : devices) out.put_text(device.device).put_text(device.cause);
}

std::vector<LostDevice> get_devices(base::ByteReader& in) {
  std::vector<LostDevice> devices(in.get<std::size_t>());
  for (LostDevice& device : devices) {
    device.device = in.get_text();
    device.cause = in.get_text();
  }
  return devices;
}

base::Bytes serialize(const RankReport& rank) {
  base::ByteWriter out;
  for_each_number(rank, [&](const auto& number) { out.put(number); });
  out.put_text(rank.host).put_text(rank.device).put(rank.threads.size());
  for (const ThreadReport& thread : rank.threads) {
    out.put_text(thread.name).put(thread.worker).put(thread.seconds).put(thread.spans_dropped);
    out.put(thread.spans.size()).put_bytes(std::as_bytes(std::span(thread.spans)));
  }
  put_devices(out, rank.lost);
  put_devices(out, rank.restarted);
  return out.take();
}

RankReport deserialize(const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  RankReport rank;
  for_each_number(rank, [&]<class Number>(Number& number) { number = in.get<Number>(); });
  rank.host = in.get_text();
  rank.device = in.get_text();
  const auto threads = in.get<std::size_t>();
  for (std::size_t i = 0; i < threads; ++i) rank.threads.push_back(get_thread(in));
  rank.lost = get_devices(in);
  rank.restarted = get_devices(in);
  if (!in.empty()) throw base::run_error("the report of a rank is longer than it should be");
  return rank;
}

}  // namespace tessera::report
