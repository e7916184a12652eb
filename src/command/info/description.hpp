// What tessera info says about a file, and the parts that several kinds of files have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/json_parts.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::command {

/// Describes a file, for people and as JSON.
struct Description {
  std::string text;
  report::Json json;
};

/// The first line. Sets json["bytes"].
std::string head_of(const std::string& path, const std::string& what, report::Json& json);

std::string row_of(std::string_view key, std::string_view value);

/// An array, for json["datasets"].
report::Json dataset_json(std::string_view name, const store::ArrayInfo& info,
                          const std::vector<std::string>& dimensions = {});

/// ", time x lat"; a dimension without a name is a question mark.
std::string describe_names(std::vector<std::string> names);

/// How the numbers of the array are meant, below its line.
void describe_packing(const store::PackedAttributes* attributes, Description& to);

}  // namespace tessera::command
