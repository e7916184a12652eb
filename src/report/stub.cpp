#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "report/printers.hpp"
namespace tessera::report {
double RankReport::seconds(Stage s) const {
  double t = 0;
  for (auto& x : threads) t += x.seconds[(size_t)s];
  return t;
}
double RankReport::busy_s() const {
  return seconds(Stage::compute) + seconds(Stage::encode) + seconds(Stage::color);
}
std::string to_table(const RunReport& r) {
  std::string t = fmt::format("wall {:.3f}\n", r.wall_s);
  for (auto& k : r.ranks) {
    t += fmt::format("rank {} tiles {} ", k.rank, k.tiles);
    for (size_t i = 0; i < kStages; i++)
      t += fmt::format("{} {:.3f} ", kStageNames[i], k.seconds((Stage)i));
    t += fmt::format("exec {:.3g} mem {}\n", (double)k.executed, k.peak_memory_bytes >> 20);
  }
  return t;
}
std::string to_json(const RunReport&) {
  return "{}";
}
std::string to_trace(const RunReport&) {
  return "{}";
}
std::string serialize(const RankReport& r) {
  std::string s;
  auto put = [&](auto v) { s.append((char*)&v, sizeof v); };
  put(r.rank);
  put(r.tiles);
  put(r.pixels);
  put(r.iterations);
  put(r.executed);
  put(r.bytes);
  put(r.peak_memory_bytes);
  put(r.threads.size());
  for (auto& t : r.threads) {
    put(t.worker);
    put(t.seconds);
    put(t.name.size());
    s += t.name;
  }
  return s;
}
RankReport deserialize(const std::string& b) {
  RankReport r;
  const char* p = b.data();
  auto get = [&](auto& v) {
    memcpy(&v, p, sizeof v);
    p += sizeof v;
  };
  get(r.rank);
  get(r.tiles);
  get(r.pixels);
  get(r.iterations);
  get(r.executed);
  get(r.bytes);
  get(r.peak_memory_bytes);
  size_t n;
  get(n);
  r.threads.resize(n);
  for (auto& t : r.threads) {
    get(t.worker);
    get(t.seconds);
    size_t m;
    get(m);
    t.name.assign(p, m);
    p += m;
  }
  return r;
}
void write_text_file(const std::string& p, const std::string& t) {
  FILE* f = fopen(p.c_str(), "w");
  fputs(t.c_str(), f);
  fclose(f);
}
}  // namespace tessera::report
