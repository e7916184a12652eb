// What Zarr's JSON documents have in common. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "codec/chunk.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/packed_attributes.hpp"
#include "store/zarr/zarr_metadata.hpp"

namespace tessera::store {

using Json = nlohmann::json;

/// Also with NaN, Infinity and -Infinity bare, as some writers have them; they become strings.
/// Throws a usage error that begins with `name`.
Json parse_zarr_json(const std::string& text, const std::string& name);

/// The member, or null.
const Json& member_of(const Json& object, const char* key);
/// Numbers of at least `least`.
job::Shape shape_of(const Json& list, std::int64_t least, const std::string& name,
                    std::string_view what);
/// A string without its quotes.
std::string json_text(const Json& value);

/// The filter of a codec of bytes: "zstd", "gzip", "blosc", "crc32c", "zlib", "lz4", "shuffle",
/// with or without "numcodecs." in front. `settings`: its parameters. Throws a usage error that
/// names any other one.
codec::Filter filter_of(const std::string& codec, const Json& settings, std::size_t element_bytes,
                        const std::string& name);
/// Throws a usage error that names a codec that does not fit behind those before it.
void check_filters(const codec::Filters& filters, const std::string& name);

/// "fill_value" as an element; null is 0.
std::vector<std::byte> fill_of(const Json& value, const ZarrMetadata& array,
                               const std::string& name);
/// Attributes about the numbers that elements stand for. JSON has no types: integers are of the
/// type of the elements if that holds them, other numbers are f8.
PackedAttributes packed_of(const Json& attributes, const ZarrMetadata& array);
/// The same of one value.
PackedAttribute packed_attribute(const std::string& key, const Json& value,
                                 const ZarrMetadata& array);
/// Attributes that are texts.
std::vector<TextAttribute> texts_of(const Json& attributes);

/// Completes what .zarray and .zattrs, or zarr.json, say.
void read_zarr2(const Json& array, const Json& attributes, const std::string& name,
                ZarrMetadata& to);
void read_zarr3(const Json& array, const std::string& name, ZarrMetadata& to);

}  // namespace tessera::store
