#include "store/hdf5/contents.hpp"

#include <utility>

#include "store/hdf5/attributes.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/open_file.hpp"

namespace tessera::store {

Hdf5Contents list_hdf5(const std::string& path) {
  const std::scoped_lock lock(hdf5_mutex());
  check_readable_hdf5(path);
  const CheckedCall h5(path);
  const Handle file = open_hdf5(h5);
  Listing listing = list_datasets(h5, file);
  return {read_attributes(h5, file), std::move(listing.names), listing.more};
}

}  // namespace tessera::store
