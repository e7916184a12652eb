#include "store/png/png_file.hpp"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/file/unfinished_file.hpp"

namespace tessera::store {

namespace {

// crossed by: sizes_that_png_cannot_say_are_usage_errors
constexpr std::int64_t kMaxSide = std::numeric_limits<std::int32_t>::max();
/// PNG allows 2^31 - 1 bytes a chunk; some readers compute with ints, which 1 GiB does not
/// overflow.
// not crossed: takes 2 GiB
constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxKeyBytes = 79;

using namespace std::string_view_literals;
/// At fixed places: before the size of the picture, and behind it and the colour space.
constexpr std::string_view kPictureStart = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv;
constexpr std::string_view kPictureMark = "\0\0\0\x10tEXtSoftware\0Tessera"sv;
constexpr std::size_t kPictureMarkAt = 46;

void check_size(const std::string& path, base::ImageSize size_px) {
  const auto fits = [](std::int64_t side) { return side >= 1 && side <= kMaxSide; };
  if (!fits(size_px.width) || !fits(size_px.height)) {
    throw base::usage_error("{}: a PNG has from 1 to {} pixels a side, not {} x {}", path, kMaxSide,
                            size_px.width, size_px.height);
  }
}

}  // namespace

/// libpng reports errors by longjmp, and exceptions must not unwind it. So each call into it goes
/// through guarded(), and no object between setjmp and longjmp has a destructor. Callbacks store
/// their errors here; they are thrown after libpng has returned.
struct PngWriter::State {
  State(PictureTarget target_, const PictureLayout& layout_)
      : target(std::move(target_)), layout(layout_) {
    if (!target.take) open_file();
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info = png != nullptr ? png_create_info_struct(png) : nullptr;
  }

  ~State() { png_destroy_write_struct(&png, &info); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void open_file() {
    if (base::is_standard_output(target.path)) {
      file.reset(new base::PosixFile(base::PosixFile::standard_output()));
    } else {
      const bool any = target.replace == base::Replace::what_is_there;
      unfinished.emplace(target.path, any ? base::anything : is_picture_of_tessera);
      file = std::make_unique<base::PosixFile>(unfinished->part());
    }
    target.take = [this](std::span<const std::byte> bytes) { file->write(bytes); };
  }

  /// Calls libpng and throws its error.
  template <class Call>
  void guarded(Call call) {
    if (!jumped_back(call)) return;
    if (write_failure) std::rethrow_exception(std::exchange(write_failure, nullptr));
    throw base::run_error("{}: libpng: {}", file ? file->path() : target.path, message);
  }

  template <class Call>
  bool jumped_back(Call& call) {
    if (setjmp(png_jmpbuf(png)) != 0) return true;
    call();
    return false;
  }

  void start(const PictureTexts& text) {
    if (info == nullptr) throw base::run_error("{}: libpng cannot start", target.path);
    std::vector<png_text> entries = text_entries(text);
    guarded([&] {
      png_set_write_fn(png, this, on_write, on_flush);
      // By default, libpng refuses sides over a million.
      png_set_user_limits(png, kMaxSide, kMaxSide);
      png_set_IHDR(png, info, static_cast<png_uint_32>(layout.size_px.width),
                   static_cast<png_uint_32>(layout.size_px.height), layout.depth,
                   layout.alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                   PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
      png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
      png_set_text(png, info, entries.data(), static_cast<int>(entries.size()));
      png_write_info(png, info);
    });
  }

  /// tEXt for ASCII, iTXt (UTF-8) for the rest.
  static std::vector<png_text> text_entries(const PictureTexts& text) {
    std::vector<png_text> entries;
    for (const auto& [key, value] : text) {
      if (key.empty() || key.size() > kMaxKeyBytes) continue;
      const bool ascii = std::ranges::all_of(value, [](char c) { return (c & 0x80) == 0; });
      png_text entry{};
      entry.compression = ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
      // libpng copies both without changing them.
      entry.key = const_cast<char*>(key.c_str());
      entry.text = const_cast<char*>(value.c_str());
      entries.push_back(entry);
    }
    return entries;
  }

  void write_chunk(const char* name, std::span<const std::byte> bytes) {
    guarded([&] {
      png_write_chunk(png, reinterpret_cast<png_const_bytep>(name),
                      reinterpret_cast<png_const_bytep>(bytes.data()), bytes.size());
    });
  }

  static void on_write(png_structp png, png_bytep bytes, std::size_t size) {
    auto* self = static_cast<State*>(png_get_io_ptr(png));
    try {
      self->target.take({reinterpret_cast<const std::byte*>(bytes), size});
      self->bytes_written += size;
      return;
    } catch (...) {
      self->write_failure = std::current_exception();
    }
    png_error(png, "write failed");
  }

  static void on_flush(png_structp) {}

  static void on_error(png_structp png, png_const_charp text) {
    auto* self = static_cast<State*>(png_get_error_ptr(png));
    std::snprintf(self->message, sizeof self->message, "%s", text);
    png_longjmp(png, 1);
  }

  static void on_warning(png_structp, png_const_charp) {}

  PictureTarget target;
  PictureLayout layout;
  std::optional<base::UnfinishedFile> unfinished;  ///< nothing for standard output
  std::unique_ptr<base::PosixFile> file;           ///< null if another one takes the bytes
  std::uint64_t bytes_written = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[160] = "";
  std::exception_ptr write_failure;
};

bool is_picture_of_tessera(const std::string& path) {
  const std::string front = base::front_of(path, kPictureMarkAt + kPictureMark.size());
  return front.starts_with(kPictureStart) && front.ends_with(kPictureMark);
}

PngWriter::PngWriter(PictureTarget target, const PictureLayout& layout, const PictureTexts& text) {
  check_size(target.path, layout.size_px);
  state_ = std::make_unique<State>(std::move(target), layout);
  state_->start(text);
}

PngWriter::~PngWriter() = default;

std::uint64_t PngWriter::size_bytes() const {
  return state_->bytes_written;
}

void PngWriter::write_stream(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), kMaxChunkBytes);
    state_->write_chunk("IDAT", bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

void PngWriter::finish() {
  // png_write_end() would refuse, because libpng did not see the IDAT chunks.
  state_->write_chunk("IEND", {});
  if (!state_->file) return;
  state_->file->sync();
  state_->file->close();
  if (state_->unfinished) state_->unfinished->publish(state_->target.replace);
}

}  // namespace tessera::store
