#include "store/picture/pmtiles.hpp"

#include <algorithm>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "codec/gzip.hpp"

namespace tessera::store {
namespace {

constexpr std::uint64_t kHeaderBytes = 127;
/// The header and the first directory, before the tiles: what readers get with one request.
constexpr std::uint64_t kTilesAt = 16384;
constexpr std::size_t kLeafEntries = 4096;
constexpr char kOfGzip = 2, kOfNothing = 1, kOfPng = 2;

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

void put_little(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}

void rotate(std::int64_t side, std::int64_t& x, std::int64_t& y, std::int64_t right,
            std::int64_t below) {
  if (below != 0) return;
  if (right != 0) {
    x = side - 1 - x;
    y = side - 1 - y;
  }
  std::swap(x, y);
}

std::uint64_t tiles_below(int zoom) {
  return ((std::uint64_t{1} << (2 * zoom)) - 1) / 3;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::uint64_t pmtiles_number(int zoom, std::int64_t x, std::int64_t y) {
  std::uint64_t index = 0;
  for (std::int64_t side = (std::int64_t{1} << zoom) / 2; side > 0; side /= 2) {
    const std::int64_t right = (x & side) != 0 ? 1 : 0;
    const std::int64_t below = (y & side) != 0 ? 1 : 0;
    index += static_cast<std::uint64_t>(side * side * ((3 * right) ^ below));
    x &= side - 1;
    y &= side - 1;
    rotate(side, x, y, right, below);
  }
  return tiles_below(zoom) + index;
}

PmtilesPlace pmtiles_place(int zoom, std::uint64_t index) {
  PmtilesPlace place;
  auto rest = static_cast<std::int64_t>(index);
  for (std::int64_t side = 1; side < std::int64_t{1} << zoom; side *= 2) {
    const std::int64_t right = 1 & (rest / 2);
    const std::int64_t below = 1 & (rest ^ right);
    rotate(side, place.x, place.y, right, below);
    place.x += side * right;
    place.y += side * below;
    rest /= 4;
  }
  return place;
}

PmtilesWriter::PmtilesWriter(const std::string& path, int zooms, std::string metadata,
                             base::Replace replace)
    : unfinished_(path, base::anything),
      file_(unfinished_.part()),
      replace_(replace),
      zooms_(zooms),
      metadata_(std::move(metadata)),
      end_(kTilesAt) {}

void PmtilesWriter::put(std::uint64_t number, std::span<const std::byte> png) {
  ++addressed_;
  const std::pair key{base::fnv1a(text_of(png)),
                      std::uint64_t{base::crc32c(png)} << 32 | png.size()};
  const auto [found, is_new] = known_.try_emplace(key, Known{end_});
  if (is_new) {
    file_.write_at(end_, png);
    end_ += png.size();
  }
  const std::uint64_t offset = found->second.offset - kTilesAt;
  if (!entries_.empty()) {
    Entry& last = entries_.back();
    if (last.offset == offset && last.number + last.run == number) {
      ++last.run;
      return;
    }
  }
  entries_.push_back({number, offset, static_cast<std::uint32_t>(png.size()), 1});
}

std::string PmtilesWriter::directory(std::span<const Entry> entries) {
  std::string text;
  put_varint(text, entries.size());
  std::uint64_t last = 0;
  for (const Entry& entry : entries) {
    put_varint(text, entry.number - last);
    last = entry.number;
  }
  for (const Entry& entry : entries) put_varint(text, entry.run);
  for (const Entry& entry : entries) put_varint(text, entry.bytes);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool follows = i > 0 && entries[i].offset == entries[i - 1].offset + entries[i - 1].bytes;
    put_varint(text, follows ? 0 : entries[i].offset + 1);
  }
  return codec::gzip(text);
}

std::string PmtilesWriter::header(std::uint64_t root_bytes, std::uint64_t leaves_at,
                                  std::uint64_t leaves_bytes, std::uint64_t metadata_at,
                                  std::uint64_t metadata_bytes) const {
  std::string text = "PMTiles\x03";
  for (const std::uint64_t value : {kHeaderBytes, root_bytes, metadata_at, metadata_bytes,
                                    leaves_at, leaves_bytes, kTilesAt, end_ - kTilesAt, addressed_,
                                    std::uint64_t{entries_.size()}, std::uint64_t{known_.size()}}) {
    put_little(text, value, 8);
  }
  // Equal tiles are stored once, so the tiles are not all in the order of their numbers.
  const char clustered = known_.size() == entries_.size() ? 1 : 0;
  for (const char code :
       {clustered, kOfGzip, kOfNothing, kOfPng, char{0}, static_cast<char>(zooms_ - 1)}) {
    text.push_back(code);
  }
  // An image has no longitudes; readers of maps expect some.
  const auto degrees = [&](double value) {
    put_little(text, static_cast<std::uint32_t>(static_cast<std::int32_t>(value * 1e7)), 4);
  };
  for (const double value : {-180.0, -85.0, 180.0, 85.0}) degrees(value);
  text.push_back(0);
  for (const double value : {0.0, 0.0}) degrees(value);
  return text;
}

void PmtilesWriter::finish() {
  std::string root = directory(entries_);
  std::string leaves;
  if (kHeaderBytes + root.size() > kTilesAt) {
    std::vector<Entry> of_leaves;
    // More entries in each leaf, until the root fits.
    for (std::size_t each = kLeafEntries;
         of_leaves.empty() || kHeaderBytes + root.size() > kTilesAt; each *= 2) {
      of_leaves.clear();
      leaves.clear();
      for (std::size_t first = 0; first < entries_.size(); first += each) {
        const auto some =
            std::span(entries_).subspan(first, std::min(each, entries_.size() - first));
        const std::string leaf = directory(some);
        of_leaves.push_back(
            {some.front().number, leaves.size(), static_cast<std::uint32_t>(leaf.size()), 0});
        leaves += leaf;
      }
      root = directory(of_leaves);
    }
  }
  const std::string metadata = codec::gzip(metadata_);
  const std::uint64_t tiles_end = end_;
  file_.write_at(tiles_end, std::as_bytes(std::span(leaves)));
  file_.write_at(tiles_end + leaves.size(), std::as_bytes(std::span(metadata)));
  const std::string head =
      header(root.size(), tiles_end, leaves.size(), tiles_end + leaves.size(), metadata.size()) +
      root;
  file_.write_at(0, std::as_bytes(std::span(head)));
  end_ += leaves.size() + metadata.size();
  file_.sync();
  file_.close();
  unfinished_.publish(replace_);
}

}  // namespace tessera::store
