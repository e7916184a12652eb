// Integers in as few bytes as their largest difference needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace tessera::base {

/// Appends `values`, about values.size() × ceil(log256(greatest − least + 1)) bytes. Those above
/// 2^63 count as negative.
void put_packed(std::span<const std::uint64_t> values, ByteWriter& to);
/// The inverse. Throws base::Error (failed) if the bytes end before that.
std::vector<std::uint64_t> get_packed(ByteReader& from);

}  // namespace tessera::base
