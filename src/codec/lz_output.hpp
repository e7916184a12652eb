// The decoded bytes of a stream of literals and copies.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "codec/lz_copy.hpp"
#include "codec/stream_reader.hpp"

namespace tessera::codec {

class LzOutput {
 public:
  /// `reader`: of the stream.
  LzOutput(StreamReader& reader, std::span<std::byte> out) : reader_(reader), out_(out) {}

  /// Appends the stream's next bytes.
  void append(std::size_t bytes) {
    constexpr std::size_t kWide = 16;  // of a fixed size: without a call
    check_room(bytes);
    const auto rest = reader_.rest();
    const auto literals = reader_.take(bytes);
    const bool wide = bytes <= kWide && rest.size() >= kWide && room() >= kWide;
    if (wide) {
      std::memcpy(out_.data() + done_, literals.data(), kWide);
    } else if (bytes > 0) {
      std::memcpy(out_.data() + done_, literals.data(), bytes);
    }
    done_ += bytes;
  }
  /// Appends what was decoded `distance` before.
  void repeat(std::size_t distance, std::size_t bytes) {
    check_room(bytes);
    if (distance == 0 || distance > done_) throw reader_.bad("copies from before its beginning");
    copy_back(out_.data() + done_, distance, bytes, room());
    done_ += bytes;
  }
  void expect_full() const {
    if (room() > 0) throw reader_.bad("decodes to less than its chunk");
  }

 private:
  std::size_t room() const { return out_.size() - done_; }
  void check_room(std::size_t bytes) const {
    if (bytes > room()) throw reader_.bad("decodes to more than its chunk");
  }

  StreamReader& reader_;
  std::span<std::byte> out_;
  std::size_t done_ = 0;
};

}  // namespace tessera::codec
