// What tessera info says about each kind of file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/json_parts.hpp"
#include "report/timings.hpp"
#include "store/arrays/array_source.hpp"
#include "store/image/image_file.hpp"

namespace tessera::command {

/// What is known about a file, for people and as JSON.
struct Description {
  std::string text;
  report::Json json;
};

/// The first line. Sets json["bytes"].
std::string head_of(const std::string& path, const std::string& what, report::Json& json,
                    std::uint64_t more_bytes = 0);

/// A line below it.
std::string row_of(std::string_view key, std::string_view value);

/// An array, for json["datasets"].
report::Json dataset_json(std::string_view name, const store::ArrayInfo& info,
                          const std::vector<std::string>& dimensions = {});

/// ", time x lat"; a dimension without a name is a question mark.
std::string describe_names(std::vector<std::string> names);

/// Adds how the numbers of the last array are meant.
void describe_packing(const store::PackedAttributes* attributes, Description& to);

/// Throws the errors of ImageReader. For a damaged file that can be resumed the message says so.
std::unique_ptr<store::ImageReader> open_described_image(const std::string& path);

/// The report of the run that made the image, as far as the tables of the file hold it.
report::RunReport run_of(const store::ImageReader& reader);

Description describe_image(const std::string& path);

/// The folder of a --pool: what is done, and by whom the rest is.
Description describe_pool(const std::string& path);

/// An array, given as FILE, FILE:/dataset or FILE?options.
Description describe_array(const std::string& text);

/// A file or folder of arrays of any format but HDF5; nothing if it is none.
std::optional<Description> describe_by_driver(const std::string& path);

/// An HDF5 file that is no image; nothing for others.
std::optional<Description> describe_hdf5(const std::string& path);

}  // namespace tessera::command
