// One core's speed from pixels to chunk bytes and back, and from chunk bytes to PNG bytes, beside
// zlib on the same data in the same run. Every case checks its answer before it is timed.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "codec/chunk.hpp"
#include "codec/png_band.hpp"
#include "color/box_average.hpp"
#include "color/colorizer.hpp"
#include "color/pixel_format.hpp"

namespace {

using namespace tessera;
using base::ElementType;
using Bytes = std::vector<std::byte>;

constexpr std::int64_t kTile = 512;
constexpr std::int64_t kTilesPerBand = 8;
constexpr std::int64_t kBandWidth = kTile * kTilesPerBand;
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

void encode_uniform_chunk(benchmark::State& state) {
  const Bytes raw(static_cast<std::size_t>(kTile * kTile) * 4, std::byte{7});
  codec::ChunkEncoder encoder(ElementType::u32, 1);
  const codec::EncodedChunk encoded = encoder.encode(raw);
  Bytes back(raw.size());
  codec::ChunkDecoder(ElementType::u32).decode(encoded.bytes, encoded.filter_mask, back);
  require(back == raw, "a uniform chunk did not come back");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(encoder.encode(raw));
  report_chunks(state, {raw}, static_cast<double>(encoded.bytes.size()));
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

void crc32c_of_chunk(benchmark::State& state) {
  const Bytes& chunk = band().u32[0];
  const std::span<const std::byte> all(chunk);
  require(codec::crc32c(all.subspan(99), codec::crc32c(all.first(99))) == codec::crc32c(all),
          "crc32c does not continue");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(codec::crc32c(chunk));
  report(state, static_cast<double>(kTile * kTile), static_cast<double>(chunk.size()));
}

void colorize(benchmark::State& state) {
  const ElementType type = type_of(state);
  const Bytes& chunk = band().chunks(type)[0];
  const color::Colorizer colorizer(color::find_palette("twilight"), kIterations);
  const auto pixels = static_cast<std::size_t>(kTile * kTile);
  std::vector<color::Pixel> rgb(pixels), one(1);
  colorizer.colorize(chunk.data(), type, rgb);
  for (std::size_t i = 0; i < pixels; i += 997) {
    colorizer.colorize(chunk.data() + i * base::element_bytes(type), type, one);
    require(one[0] == rgb[i], "colours differ");
  }
  for ([[maybe_unused]] auto _ : state) {
    colorizer.colorize(chunk.data(), type, rgb);
    benchmark::ClobberMemory();
  }
  report(state, static_cast<double>(pixels),
         static_cast<double>(rgb.size() * sizeof(color::Pixel)));
}

void box_average(benchmark::State& state) {
  const color::Pixel gray{{25443, 25443, 25443, color::kFull}};
  const std::vector<color::Pixel> row(static_cast<std::size_t>(kBandWidth), gray);
  const int factor = static_cast<int>(state.range(0));
  const base::ImageSize small{kBandWidth / factor, kTile / factor};
  color::BoxAverage average(factor);
  std::vector<color::Pixel> out(static_cast<std::size_t>(small.width));
  const auto shrink = [&] {
    average.begin(small);
    for (std::int64_t y = 0; y < kTile; ++y) average.add(y, 0, row);
    for (std::int64_t y = 0; y < small.height; ++y) average.finish(y, out);
  };
  shrink();
  for (const color::Pixel& pixel : out) require(pixel == gray, "an average is wrong");
  for ([[maybe_unused]] auto _ : state) {
    shrink();
    benchmark::ClobberMemory();
  }
  report(state, static_cast<double>(kBandWidth * kTile),
         3 * static_cast<double>(kBandWidth * kTile));
}

/// What a worker does for a band of the PNG: decode, colour, filter, deflate.
class BandPainter {
 public:
  explicit BandPainter(ElementType type)
      : type_(type),
        decoder_(type),
        colorizer_(color::find_palette("twilight"), kIterations),
        tile_(static_cast<std::size_t>(kTile * kTile) * base::element_bytes(type)),
        rgb_(static_cast<std::size_t>(kBandWidth * kTile) * 3) {
    codec::ChunkEncoder encoder(type, 1);
    for (const Bytes& raw : band().chunks(type)) chunks_.push_back(encoder.encode(raw));
  }

  void paint() {
    const std::size_t row_bytes = kTile * base::element_bytes(type_);
    for (std::size_t tile = 0; tile < chunks_.size(); ++tile) {
      decoder_.decode(chunks_[tile].bytes, chunks_[tile].filter_mask, tile_);
      std::byte* to = rgb_.data() + tile * kTile * 3;
      for (std::size_t row = 0; row < kTile; ++row) {
        colorizer_.colorize(tile_.data() + row * row_bytes, type_, row_);
        const auto x = static_cast<std::int64_t>(tile * kTile);
        color::store_pixels({.dither = type_ == ElementType::f32}, row_, x,
                            static_cast<std::int64_t>(row), to + row * kBandWidth * 3);
      }
    }
  }

  codec::PngBand deflate() { return encoder_.encode(rgb_, kBandWidth); }
  const Bytes& rgb() const { return rgb_; }

 private:
  ElementType type_;
  codec::ChunkDecoder decoder_;
  color::Colorizer colorizer_;
  codec::PngBandEncoder encoder_;
  std::vector<codec::EncodedChunk> chunks_;
  Bytes tile_;
  std::vector<color::Pixel> row_ = std::vector<color::Pixel>(kTile);
  Bytes rgb_;
};

Bytes joined(const codec::PngBand& band) {
  Bytes stream = codec::zlib_header();
  stream.insert(stream.end(), band.deflated.begin(), band.deflated.end());
  const Bytes trailer = codec::zlib_trailer(band.adler32);
  stream.insert(stream.end(), trailer.begin(), trailer.end());
  return stream;
}

void require_rows(const Bytes& filtered, const Bytes& rgb) {
  constexpr std::size_t kRow = kBandWidth * 3;
  Bytes row(kRow);
  for (std::size_t y = 0; y < kTile; ++y) {
    const std::byte* from = filtered.data() + y * (kRow + 1) + 1;
    for (std::size_t i = 0; i < kRow; ++i) {
      const int before = std::to_integer<int>(y > 0 ? row[i] : i >= 3 ? row[i - 3] : std::byte{0});
      row[i] = static_cast<std::byte>(std::to_integer<int>(from[i]) + before);
    }
    require(std::memcmp(row.data(), rgb.data() + y * kRow, kRow) == 0, "a PNG row differs");
  }
}

void png_band(benchmark::State& state) {
  BandPainter painter(type_of(state));
  const bool whole_path = state.range(1) != 0;
  painter.paint();
  const codec::PngBand first = painter.deflate();
  require_rows(zlib_inflated(joined(first), first.filtered_bytes), painter.rgb());
  for ([[maybe_unused]] auto _ : state) {
    if (whole_path) painter.paint();
    benchmark::DoNotOptimize(painter.deflate());
  }
  report(state, static_cast<double>(kBandWidth * kTile), static_cast<double>(painter.rgb().size()));
  state.counters["ratio"] =
      static_cast<double>(painter.rgb().size()) / static_cast<double>(first.deflated.size());
}

void png_band_with_zlib(benchmark::State& state) {
  BandPainter painter(type_of(state));
  painter.paint();
  const codec::PngBand first = painter.deflate();
  const Bytes filtered = zlib_inflated(joined(first), first.filtered_bytes);
  const int level = static_cast<int>(state.range(1));
  std::size_t size = 0;
  for ([[maybe_unused]] auto _ : state) size = zlib_compressed(filtered, level).size();
  report(state, static_cast<double>(kBandWidth * kTile), static_cast<double>(painter.rgb().size()));
  state.counters["ratio"] = static_cast<double>(painter.rgb().size()) / static_cast<double>(size);
}

constexpr auto kU16 = static_cast<std::int64_t>(ElementType::u16);
constexpr auto kU32 = static_cast<std::int64_t>(ElementType::u32);
constexpr auto kF32 = static_cast<std::int64_t>(ElementType::f32);

void types_and_levels(benchmark::internal::Benchmark* cases, std::vector<std::int64_t> levels) {
  cases->ArgNames({"type", "level"})->ArgsProduct({{kU16, kU32, kF32}, std::move(levels)});
}

BENCHMARK(encode_chunks)->Apply([](auto* cases) { types_and_levels(cases, {0, 1, 2, 3}); });
BENCHMARK(encode_chunks_with_zlib)->Apply([](auto* cases) { types_and_levels(cases, {1, 6}); });
BENCHMARK(encode_uniform_chunk);
BENCHMARK(decode_chunks)->ArgName("type")->Arg(kU16)->Arg(kU32)->Arg(kF32);
BENCHMARK(decode_chunks_with_zlib)->ArgName("type")->Arg(kU16)->Arg(kU32)->Arg(kF32);
BENCHMARK(crc32c_of_chunk);
BENCHMARK(colorize)->ArgName("type")->Arg(kU16)->Arg(kU32)->Arg(kF32);
BENCHMARK(box_average)->ArgName("factor")->Arg(2)->Arg(8);
BENCHMARK(png_band)->ArgNames({"type", "decode_and_colour"})->ArgsProduct({{kU16, kF32}, {0, 1}});
BENCHMARK(png_band_with_zlib)->ArgNames({"type", "level"})->ArgsProduct({{kU16, kF32}, {1}});

}  // namespace

int main(int argc, char** argv) {
  benchmark::AddCustomContext("element types", "0 = u16, 1 = u32, 2 = f32");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
