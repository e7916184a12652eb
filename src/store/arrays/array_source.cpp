#include "store/arrays/array_source.hpp"

#include "base/error.hpp"
#include "store/arrays/contiguous_array.hpp"
#include "store/arrays/hdf5_array.hpp"

namespace tessera::store {

std::unique_ptr<ArraySource> open_array(const job::ArrayInput& input, std::int64_t piece_bytes) {
  switch (input.format) {
    case job::ArrayInput::Format::npy:
      return open_npy(input, piece_bytes);
    case job::ArrayInput::Format::raw:
      return open_raw(input, piece_bytes);
    case job::ArrayInput::Format::hdf5:
      return open_hdf5_array(input, piece_bytes);
    case job::ArrayInput::Format::random:
    case job::ArrayInput::Format::linspace:
      break;
  }
  throw base::usage_error("{}: is in no file", input.text);
}

}  // namespace tessera::store
