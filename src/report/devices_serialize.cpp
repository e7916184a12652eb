// A RankDevices as bytes between processes of one run, which share byte order and build.
#include "report/devices.hpp"

namespace tessera::report {
namespace {

/// Visits the texts of a line, then its plain values; used for both directions.
template <class Line, class Text, class Value>
void for_each_member(Line& line, Text text, Value value) {
  text(line.name);
  text(line.what);
  text(line.reason);
  text(line.driver);
  text(line.compute);
  text(line.uuid);
  text(line.pci);
  value(line.memory_bytes);
  value(line.fp64);
  value(line.gpu);
  value(line.near);
}

template <class Rank, class Value>
void for_each_device_number(Rank& rank, Value value) {
  value(rank.rank);
  value(rank.node_rank);
  value(rank.node_ranks);
  value(rank.allowed_cores);
  value(rank.node_cores);
  value(rank.workers);
}

}  // namespace

base::Bytes serialize(const RankDevices& rank) {
  base::ByteWriter out;
  const auto put = [&](const auto& value) { out.put(value); };
  const auto put_text = [&](const std::string& text) { out.put_text(text); };
  for_each_device_number(rank, put);
  out.put_text(rank.host).put_text(rank.problem).put(rank.numa_nodes.size());
  for (const int node : rank.numa_nodes) out.put(node);
  out.put(rank.uses.size());
  for (const std::string& name : rank.uses) out.put_text(name);
  for (const DeviceLine& line : rank.devices) for_each_member(line, put_text, put);
  return out.take();
}

RankDevices deserialize_devices(const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  const auto get = [&]<class T>(T& value) { value = in.get<T>(); };
  const auto get_text = [&](std::string& text) { text = in.get_text(); };
  RankDevices rank;
  for_each_device_number(rank, get);
  rank.host = in.get_text();
  rank.problem = in.get_text();
  for (auto left = in.get<std::size_t>(); left > 0; --left) {
    rank.numa_nodes.push_back(in.get<int>());
  }
  for (auto left = in.get<std::size_t>(); left > 0; --left) rank.uses.push_back(in.get_text());
  while (!in.empty()) for_each_member(rank.devices.emplace_back(), get_text, get);
  return rank;
}

}  // namespace tessera::report
