// One core's speed from pixels to chunk bytes and back, beside zlib on the same data in the same
// run. Every case checks its answer before it is timed.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "codec/chunk.hpp"

namespace {

using namespace tessera;
using base::ElementType;
using Bytes = std::vector<std::byte>;

constexpr std::int64_t kTile = 512;
constexpr std::int64_t kTilesPerBand = 8;
constexpr std::uint32_t kIterations = 2000;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

struct Escape {
  std::uint32_t count;
  float smooth;
};

Escape escape(double re, double im) {
  double x = 0, y = 0;
  std::uint32_t n = 0;
  const auto step = [&] {
    const double t = x * x - y * y + re;
    y = 2 * x * y + im;
    x = t;
  };
  for (; n < kIterations && x * x + y * y <= 4; ++n) step();
  if (n == kIterations) return {n, kIterations};
  int m = static_cast<int>(n);
  for (; x * x + y * y <= 65536; ++m) step();
  return {n, static_cast<float>(m + 1 - std::log2(std::log(x * x + y * y) / std::log(65536.0)))};
}

/// Every fourth tile of the middle row of a seahorse valley that is 16384 px wide.
struct Band {
  std::vector<Bytes> u16, u32, f32;  ///< a chunk for each tile

  Band() {
    for (std::int64_t tile = 0; tile < kTilesPerBand; ++tile) add_tile(tile);
  }

  const std::vector<Bytes>& chunks(ElementType type) const {
    return type == ElementType::u16 ? u16 : type == ElementType::u32 ? u32 : f32;
  }

 private:
  void add_tile(std::int64_t tile) {
    constexpr double kStep = 0.0025 / 16384;
    std::vector<std::uint16_t> short_counts;
    std::vector<std::uint32_t> counts;
    std::vector<float> smooth;
    for (std::int64_t row = 0; row < kTile; ++row) {
      for (std::int64_t column = 0; column < kTile; ++column) {
        const std::int64_t x = (tile - kTilesPerBand / 2) * 4 * kTile + column;
        const Escape e = escape(-0.743643887037151 + static_cast<double>(x) * kStep,
                                0.131825904205330 - static_cast<double>(row) * kStep);
        counts.push_back(e.count);
        short_counts.push_back(static_cast<std::uint16_t>(e.count));
        smooth.push_back(e.smooth);
      }
    }
    u16.push_back(bytes_of(short_counts));
    u32.push_back(bytes_of(counts));
    f32.push_back(bytes_of(smooth));
  }

  template <class T>
  static Bytes bytes_of(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
};

const Band& band() {
  static const Band kBand;
  return kBand;
}

ElementType type_of(const benchmark::State& state) {
  return static_cast<ElementType>(state.range(0));
}

/// Pixels and bytes per second of `pixels` pixels that each iteration did.
void report(benchmark::State& state, double pixels, double bytes) {
  using benchmark::Counter;
  state.counters["Mpx/s"] = Counter(pixels / 1e6, Counter::kIsIterationInvariantRate);
  state.counters["MB/s"] = Counter(bytes / 1e6, Counter::kIsIterationInvariantRate);
}

double total(const std::vector<Bytes>& all) {
  double bytes = 0;
  for (const Bytes& b : all) bytes += static_cast<double>(b.size());
  return bytes;
}

Bytes shuffled(const Bytes& raw, std::size_t element_bytes) {
  Bytes planes(raw.size());
  const std::size_t count = raw.size() / element_bytes;
  for (std::size_t k = 0; k < element_bytes; ++k) {
    for (std::size_t i = 0; i < count; ++i) planes[k * count + i] = raw[i * element_bytes + k];
  }
  return planes;
}

Bytes zlib_compressed(const Bytes& planes, int level) {
  Bytes out(compressBound(planes.size()));
  uLongf size = out.size();
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(planes.data()), planes.size(), level);
  require(status == Z_OK, "compress2 failed");
  out.resize(size);
  return out;
}

Bytes zlib_inflated(const Bytes& stream, std::size_t bytes) {
  Bytes out(bytes);
  uLongf size = bytes;
  const int status = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                reinterpret_cast<const Bytef*>(stream.data()), stream.size());
  require(status == Z_OK && size == bytes, "uncompress failed");
  return out;
}

void report_chunks(benchmark::State& state, const std::vector<Bytes>& raw, double encoded_bytes) {
  const double pixels = static_cast<double>(kTile * kTile) * static_cast<double>(raw.size());
  report(state, pixels, total(raw));
  state.counters["ratio"] = total(raw) / encoded_bytes;
}

void encode_chunks(benchmark::State& state) {
  const ElementType type = type_of(state);
  const std::vector<Bytes>& raw = band().chunks(type);
  codec::ChunkEncoder encoder(type, static_cast<int>(state.range(1)));
  codec::ChunkDecoder decoder(type);
  double encoded_bytes = 0;
  for (const Bytes& chunk : raw) {
    const codec::EncodedChunk encoded = encoder.encode(chunk);
    Bytes back(chunk.size());
    decoder.decode(encoded.bytes, encoded.filter_mask, back);
    require(back == chunk, "a chunk did not come back");
    encoded_bytes += static_cast<double>(encoded.bytes.size());
  }
  for ([[maybe_unused]] auto _ : state) {
    for (const Bytes& chunk : raw) benchmark::DoNotOptimize(encoder.encode(chunk));
  }
  report_chunks(state, raw, encoded_bytes);
}

void encode_chunks_with_zlib(benchmark::State& state) {
  const ElementType type = type_of(state);
  const std::size_t element_bytes = base::element_bytes(type);
  const int level = static_cast<int>(state.range(1));
  const std::vector<Bytes>& raw = band().chunks(type);
  double encoded_bytes = 0;
  for (const Bytes& chunk : raw) {
    const Bytes planes = shuffled(chunk, element_bytes);
    const Bytes encoded = zlib_compressed(planes, level);
    require(zlib_inflated(encoded, chunk.size()) == planes, "zlib did not give it back");
    encoded_bytes += static_cast<double>(encoded.size());
  }
  for ([[maybe_unused]] auto _ : state) {
    for (const Bytes& chunk : raw) {
      benchmark::DoNotOptimize(zlib_compressed(shuffled(chunk, element_bytes), level));
    }
  }
  report_chunks(state, raw, encoded_bytes);
}

void decode_chunks(benchmark::State& state) {
  const ElementType type = type_of(state);
  const std::vector<Bytes>& raw = band().chunks(type);
  codec::ChunkEncoder encoder(type, 1);
  codec::ChunkDecoder decoder(type);
  std::vector<codec::EncodedChunk> encoded;
  double encoded_bytes = 0;
  Bytes back(raw[0].size());
  for (const Bytes& chunk : raw) {
    encoded.push_back(encoder.encode(chunk));
    encoded_bytes += static_cast<double>(encoded.back().bytes.size());
    decoder.decode(encoded.back().bytes, encoded.back().filter_mask, back);
    require(back == chunk, "a chunk did not come back");
  }
  for ([[maybe_unused]] auto _ : state) {
    for (const auto& chunk : encoded) decoder.decode(chunk.bytes, chunk.filter_mask, back);
    benchmark::ClobberMemory();
  }
  report_chunks(state, raw, encoded_bytes);
}

/// zlib alone, without unshuffling: already an advantage for it.
void decode_chunks_with_zlib(benchmark::State& state) {
  const ElementType type = type_of(state);
  const std::vector<Bytes>& raw = band().chunks(type);
  codec::ChunkEncoder encoder(type, 1);
  std::vector<Bytes> encoded;
  for (const Bytes& chunk : raw) {
    encoded.push_back(encoder.encode(chunk).bytes);
    require(
        zlib_inflated(encoded.back(), chunk.size()) == shuffled(chunk, base::element_bytes(type)),
        "zlib did not give a chunk back");
  }
  for ([[maybe_unused]] auto _ : state) {
    for (const Bytes& stream : encoded) {
      benchmark::DoNotOptimize(zlib_inflated(stream, raw[0].size()));
    }
  }
  report_chunks(state, raw, total(encoded));
}

constexpr auto kU16 = static_cast<std::int64_t>(ElementType::u16);
constexpr auto kU32 = static_cast<std::int64_t>(ElementType::u32);
constexpr auto kF32 = static_cast<std::int64_t>(ElementType::f32);

void types_and_levels(benchmark::internal::Benchmark* cases, std::vector<std::int64_t> levels) {
  cases->ArgNames({"type", "level"})->ArgsProduct({{kU16, kU32, kF32}, std::move(levels)});
}

BENCHMARK(encode_chunks)->Apply([](auto* cases) { types_and_levels(cases, {0, 1, 2, 3}); });
BENCHMARK(encode_chunks_with_zlib)->Apply([](auto* cases) { types_and_levels(cases, {1, 6}); });
BENCHMARK(decode_chunks)->ArgName("type")->Arg(kU16)->Arg(kU32)->Arg(kF32);
BENCHMARK(decode_chunks_with_zlib)->ArgName("type")->Arg(kU16)->Arg(kU32)->Arg(kF32);
}  // namespace

int main(int argc, char** argv) {
  benchmark::AddCustomContext("element types", "0 = u16, 1 = u32, 2 = f32");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
