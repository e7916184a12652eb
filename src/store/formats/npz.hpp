// Arrays of NumPy's .npz files: .npy files in a zip archive. Private to store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/arrays/array_source.hpp"
#include "store/formats/path_head.hpp"

namespace tessera::store {

bool is_zip(const PathHead& head);
/// "/x" for the member x.npy.
std::vector<std::string> list_npz(const std::string& path);
/// A deflated array is inflated into a temporary file without a name.
std::unique_ptr<ArraySource> open_npz(const job::ArrayInput& input, std::int64_t piece_bytes);

}  // namespace tessera::store
