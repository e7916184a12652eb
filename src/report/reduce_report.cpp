#include "report/reduce_report.hpp"

#include "report/serialize_parts.hpp"

namespace tessera::report {

namespace {

/// The plain numbers of a rank, in order, for either direction.
template <class Rank, class Each>
void for_each_reduce_number(Rank& rank, Each each) {
  each(rank.rank);
  each(rank.workers);
  each(rank.slices);
  each(rank.elements);
  each(rank.bytes);
  each(rank.read_s);
  each(rank.reduce_s);
  each(rank.wait_s);
  each(rank.peak_memory_bytes);
}

}  // namespace

ReduceRank totals(const ReduceReport& run) {
  ReduceRank sum{.rank = -1};
  for (const ReduceRank& rank : run.ranks) {
    sum.workers += rank.workers;
    sum.slices += rank.slices;
    sum.elements += rank.elements;
    sum.bytes += rank.bytes;
    sum.read_s += rank.read_s;
    sum.reduce_s += rank.reduce_s;
    sum.wait_s += rank.wait_s;
    sum.peak_memory_bytes += rank.peak_memory_bytes;
  }
  return sum;
}

base::Bytes serialize(const ReduceRank& rank) {
  base::ByteWriter out;
  for_each_reduce_number(rank, [&](const auto& number) { out.put(number); });
  out.put_text(rank.host).put_text(rank.device);
  put_devices(out, rank.lost);
  return out.take();
}

ReduceRank deserialize_reduce_rank(const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  ReduceRank rank;
  for_each_reduce_number(rank, [&]<class Number>(Number& number) { number = in.get<Number>(); });
  rank.host = in.get_text();
  rank.device = in.get_text();
  rank.lost = get_devices(in);
  return rank;
}

}  // namespace tessera::report
