// The kinds of files that tessera info describes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "command/info/description.hpp"
#include "report/timings.hpp"
#include "store/image/image_file.hpp"

namespace tessera::command {

/// Throws the errors of ImageReader. For a damaged file that can be resumed the message says so.
std::unique_ptr<store::ImageReader> open_described_image(const std::string& path);

/// The report of the run that made the image, as far as the tables of the file hold it.
report::RunReport run_of(const store::ImageReader& reader);

Description describe_image(const std::string& path);

/// The folder of render --pool: what is done, and by whom the rest is.
Description describe_pool(const std::string& path);

/// An array, given as FILE, FILE:/dataset or FILE?options.
Description describe_array(const std::string& text);

/// A file or folder of arrays of any format but HDF5; nothing if it is none.
std::optional<Description> describe_by_driver(const std::string& path);

/// An HDF5 file that is no image; nothing for others.
std::optional<Description> describe_hdf5(const std::string& path);

}  // namespace tessera::command
