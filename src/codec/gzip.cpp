#include "codec/gzip.hpp"

#include <libdeflate.h>

#include <memory>

#include "base/error.hpp"

namespace tessera::codec {
namespace {

constexpr int kEffort = 6;

}  // namespace

std::string gzip(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kEffort), &libdeflate_free_compressor);
  if (!compressor) throw base::run_error("libdeflate_alloc_compressor({}): no memory", kEffort);
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), packed.data(),
                                         packed.size()));
  return packed;
}

}  // namespace tessera::codec
