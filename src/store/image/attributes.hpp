// Attributes of the file (its root group): text, fixed length, UTF-8. Private to this room.
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

/// Creates the attribute, or changes it: in place where the new text is not longer than the old
/// one, so that its bytes on disk stay where they are.
void set_attribute(const CheckedCall& h5, const Handle& file, const std::string& name,
                   const std::string& text);

/// Every fixed-length text attribute, in the order of creation where the file knows it. Attributes
/// of other types, which only others can have added, are left out.
Attributes read_attributes(const CheckedCall& h5, const Handle& file);

/// "" if there is none of that name.
std::string find_attribute(const Attributes& attributes, const std::string& name);

/// Now, as "2024-05-01T12:00:00Z".
std::string utc_now();

}  // namespace tessera::store
