#include "store/hdf5/contents.hpp"

#include <utility>

#include "store/arrays/hdf5_array.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/dimensions.hpp"
#include "store/hdf5/element_type.hpp"
#include "store/hdf5/open_file.hpp"
#include "store/hdf5/packed_attributes.hpp"
#include "store/hdf5/read_shown_attributes.hpp"

namespace tessera::store {

namespace {

constexpr std::int64_t kAnyPieceBytes = 1 << 20;  ///< nothing is read

/// Why the dataset cannot be read, without its name in front.
std::string problem_of(const job::ArrayInput& input) {
  try {
    open_hdf5_array(input, kAnyPieceBytes);
    return "";
  } catch (const base::Error& error) {
    const std::string why = error.what();
    const std::string name = input.text + ": ";
    return why.starts_with(name) ? why.substr(name.size()) : why;
  }
}

Hdf5DatasetSummary named(const std::string& path, const std::string& dataset) {
  Hdf5DatasetSummary summary;
  summary.input = job::dataset_of_file(path, dataset);
  summary.holds = "damaged";
  return summary;
}

/// Throws if the dataset itself is damaged.
void summarize(const CheckedCall& h5, const Handle& file, Hdf5DatasetSummary& summary) {
  const Handle dataset(
      h5("H5Dopen2", H5Dopen2, file.id(), summary.input.dataset.c_str(), H5P_DEFAULT));
  summary.shape = shape_of(h5, dataset);
  try {
    const Hdf5Dataset data(summary.input);
    summary.type = data.info.type;
    summary.is_boolean = data.info.is_boolean;
    summary.holds = data.info.is_boolean ? "bool" : base::element_name(data.info.type);
    summary.packed = read_packed_attributes(data);
    summary.dimensions = names_of(read_dimensions(data, summary.input));
  } catch (const base::Error&) {
    const Handle type(h5("H5Dget_type", H5Dget_type, dataset.id()));
    summary.holds = content_name(h5, type);
    return;
  }
  summary.problem =
      is_bare_dimension(h5, dataset) ? "is a dimension without values" : problem_of(summary.input);
}

}  // namespace

Hdf5Contents list_hdf5(const std::string& path) {
  const std::scoped_lock lock(hdf5_mutex());
  check_readable_hdf5(path);
  const CheckedCall h5(path);
  const Handle file = open_hdf5(h5);
  Hdf5Contents contents{.is_image = is_image(h5, file)};
  if (contents.is_image) return contents;
  contents.attributes = read_shown_attributes(h5, file);
  Listing listing = list_datasets(h5, file);
  contents.more = listing.more;
  for (const std::string& name : listing.names) {
    Hdf5DatasetSummary summary = named(path, name);
    try {
      summarize(h5, file, summary);
    } catch (const base::Error& error) {
      summary.problem = error.what();
    }
    contents.datasets.push_back(std::move(summary));
  }
  return contents;
}

}  // namespace tessera::store
