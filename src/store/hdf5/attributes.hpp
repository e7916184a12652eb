// Attributes of the file (its root group): text, fixed length, UTF-8. Private to this folder.
#pragma once

#include <string>

#include "store/hdf5/handle.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

inline constexpr const char* kFormatKey = "format";
inline constexpr const char* kFormatName = "tessera-image";
inline constexpr const char* kVersionKey = "format_version";
inline constexpr int kFormatVersion = 1;
inline constexpr const char* kStatusKey = "status";
inline constexpr const char* kUnfinished = "unfinished";
inline constexpr const char* kComplete = "complete";
inline constexpr const char* kCreatedKey = "created";
inline constexpr const char* kCompletedKey = "completed";

/// Creates or changes the attribute. If the new text is not longer than the old one, it is changed
/// in place, so that its bytes keep their position on disk.
void set_attribute(const CheckedCall& h5, const Handle& file, const std::string& name,
                   const std::string& text);

/// Every fixed-length text attribute, in order of creation if the file has recorded it. Attributes
/// of other types are skipped; only other programs can have added them.
Attributes read_attributes(const CheckedCall& h5, const Handle& file);

/// The value of that attribute; "" if there is none.
std::string find_attribute(const Attributes& attributes, const std::string& name);

/// The current time as "2024-05-01T12:00:00Z".
std::string utc_now();

}  // namespace tessera::store
