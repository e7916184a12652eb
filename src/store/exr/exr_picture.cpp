#include "store/exr/exr_picture.hpp"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfThreading.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "store/picture/seekable_picture.hpp"

namespace tessera::store::exr {
namespace {

// crossed by: sizes_that_exr_cannot_say_are_usage_errors
constexpr std::int64_t kMaxSide = std::numeric_limits<std::int32_t>::max();
/// Level 1 of zlib takes half the time of the usual one, for 3 % more bytes.
constexpr int kZipLevel = 1;
constexpr std::size_t kRowsPerBlock = 16;
/// The library keeps two blocks of rows a thread, each in two forms.
constexpr std::size_t kBlocksPerThread = 4;

class Encoder : public BandEncoder {
 public:
  base::Bytes encode(std::span<const std::byte> rows, std::int64_t /*width_px*/,
                     std::size_t /*pixel_bytes*/) override {
    base::Bytes bytes;
    bytes.assign(rows.begin(), rows.end());
    return bytes;
  }
};

/// A picture as OpenEXR sees it.
class Stream : public Imf::OStream {
 public:
  explicit Stream(SeekablePicture& file) : Imf::OStream(file.path().c_str()), file_(file) {}

  void write(const char bytes[], int count) override {
    if (!file_.write(std::as_bytes(std::span(bytes, static_cast<std::size_t>(count))))) {
      file_.rethrow();
    }
  }
  std::uint64_t tellp() override { return file_.position(); }
  void seekp(std::uint64_t position) override { file_.seek(position); }

 private:
  SeekablePicture& file_;
};

/// A channel, and its first number in a band.
struct Channel {
  const char* name;
  Imf::PixelType type;
  std::size_t offset = 0;
  std::size_t pixel_bytes = 0;
  bool is_color = false;
};

std::vector<Channel> channels_of(const ValueChannels& values, bool alpha) {
  std::vector<Channel> channels;
  std::size_t offset = 0;
  const auto add = [&](const char* name, Imf::PixelType type) {
    channels.push_back({name, type, std::exchange(offset, offset + 4), values.bytes()});
  };
  add(values.wide ? "N0" : "N", Imf::UINT);
  if (values.wide) add("N1", Imf::UINT);
  if (values.fraction) add("NF", Imf::FLOAT);
  if (values.distance) add("DEX", Imf::FLOAT);
  if (values.distance) add("DEY", Imf::FLOAT);
  if (values.phase) add("T", Imf::FLOAT);
  const std::size_t color_bytes = alpha ? 8 : 6;
  for (std::size_t i = 0; i < color_bytes / 2; ++i) {
    constexpr std::array kNames = {"R", "G", "B", "A"};
    channels.push_back({kNames[i], Imf::HALF, 2 * i, color_bytes, true});
  }
  return channels;
}

/// An int where it fits, as Kalles Fraktaler reads it.
void insert_count(Imf::Header& header, const char* name, std::uint64_t count) {
  if (count <= std::numeric_limits<std::int32_t>::max()) {
    header.insert(name, Imf::IntAttribute(static_cast<int>(count)));
  } else {
    header.insert(name, Imf::StringAttribute(std::to_string(count)));
  }
}

std::size_t row_bytes(const PictureLayout& layout) {
  return static_cast<std::size_t>(layout.size_px.width) *
         (layout.values->bytes() + (layout.alpha ? 8 : 6));
}

/// As many threads as have room for blocks of so many rows.
std::size_t threads_for(const PictureLayout& layout, std::size_t block_rows) {
  return kWriterBytes / (kBlocksPerThread * block_rows * row_bytes(layout));
}

Imf::Header header_of(const PictureLayout& layout, std::span<const Channel> channels,
                      const PictureTexts& texts) {
  Imf::Header header(static_cast<int>(layout.size_px.width),
                     static_cast<int>(layout.size_px.height));
  const bool fits = threads_for(layout, kRowsPerBlock) > 0;
  header.compression() = fits ? Imf::ZIP_COMPRESSION : Imf::ZIPS_COMPRESSION;  // a row a block
  header.zipCompressionLevel() = kZipLevel;
  for (const Channel& channel : channels) {
    header.channels().insert(channel.name, Imf::Channel(channel.type));
  }
  insert_count(header, "Iterations", layout.values->iterations);
  insert_count(header, "IterationsBias", ValueChannels::kBias);
  for (const auto& [name, text] : texts) {
    if (!text.empty()) header.insert(name, Imf::StringAttribute(text));
  }
  return header;
}

class Writer : public PictureWriter {
 public:
  Writer(PictureTarget target, const PictureLayout& layout, const PictureTexts& texts)
      : file_(std::move(target), "EXR"),
        width_px_(static_cast<std::size_t>(layout.size_px.width)),
        values_bytes_(layout.values->bytes()),
        pixel_bytes_(values_bytes_ + (layout.alpha ? 8 : 6)),
        channels_(channels_of(*layout.values, layout.alpha)),
        stream_(file_) {
    guarded([&] {
      const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
      const auto threads =
          static_cast<int>(std::clamp<std::size_t>(threads_for(layout, kRowsPerBlock), 1, cores));
      Imf::setGlobalThreadCount(threads);
      picture_.emplace(stream_, header_of(layout, channels_, texts), threads);
    });
  }

  void put(std::span<const std::byte> band) override {
    guarded([&] {
      const std::size_t rows = band.size() / (width_px_ * pixel_bytes_);
      picture_->setFrameBuffer(buffer_of(band, rows));
      picture_->writePixels(static_cast<int>(rows));
      row_ += rows;
    });
  }

  /// The table of the blocks is written by the destructor of the library, which tells no error.
  void finish() override {
    guarded([&] { picture_.reset(); });
    file_.finish();
  }

  std::uint64_t size_bytes() const override { return file_.size_bytes(); }

 private:
  template <class Call>
  void guarded(Call call) {
    try {
      call();
    } catch (const std::exception& error) {
      file_.rethrow();
      throw base::run_error("{}: OpenEXR: {}", file_.path(), error.what());
    }
    file_.rethrow();
  }

  /// The library counts rows from the top of the picture.
  Imf::FrameBuffer buffer_of(std::span<const std::byte> band, std::size_t rows) const {
    Imf::FrameBuffer buffer;
    // It only reads them.
    auto* const values = reinterpret_cast<char*>(const_cast<std::byte*>(band.data()));
    char* const colors = values + rows * width_px_ * values_bytes_;
    for (const Channel& channel : channels_) {
      const std::size_t row_bytes = channel.pixel_bytes * width_px_;
      char* const first = (channel.is_color ? colors : values) + channel.offset - row_ * row_bytes;
      buffer.insert(channel.name, Imf::Slice(channel.type, first, channel.pixel_bytes, row_bytes));
    }
    return buffer;
  }

  SeekablePicture file_;
  std::size_t width_px_, values_bytes_, pixel_bytes_;
  std::vector<Channel> channels_;
  Stream stream_;
  std::optional<Imf::OutputFile> picture_;
  std::size_t row_ = 0;  ///< the next one
};

void check_side(const std::string& path, std::int64_t side) {
  if (side <= kMaxSide) return;
  throw base::usage_error("{}: an EXR has at most {} pixels a side, not {}", path, kMaxSide, side);
}

}  // namespace

std::unique_ptr<BandEncoder> make_encoder() {
  return std::make_unique<Encoder>();
}

std::size_t encoder_bytes(std::size_t band_bytes) {
  return band_bytes;
}

std::unique_ptr<PictureWriter> create(PictureTarget target, const PictureLayout& layout,
                                      const PictureTexts& texts) {
  check_side(target.path, layout.size_px.width);
  check_side(target.path, layout.size_px.height);
  return std::make_unique<Writer>(std::move(target), layout, texts);
}

}  // namespace tessera::store::exr
