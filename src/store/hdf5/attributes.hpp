// Attributes of the file (its root group): UTF-8 strings, i64 and f64. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "store/hdf5/handle.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

inline constexpr const char* kFormatKey = "format";
inline constexpr const char* kFormatName = "tessera-image";
inline constexpr const char* kVersionKey = "format_version";
/// Version 1 had all attributes as text of fixed length.
inline constexpr int kFormatVersion = 2;
inline constexpr int kOldestFormatVersion = 1;
inline constexpr const char* kStatusKey = "status";
inline constexpr const char* kUnfinished = "unfinished";
inline constexpr const char* kShare = "share ";      ///< before K/N: all of that share is there
inline constexpr const char* kPartStatus = "part ";  ///< before K/N: all of that part is there
inline constexpr const char* kComplete = "complete";
/// In a file that joins parts: how many there are, and their folder, beside the file.
inline constexpr const char* kPartsKey = "parts";
inline constexpr const char* kPartsFolderKey = "parts_folder";
inline constexpr const char* kFingerprintKey = "fingerprint";
inline constexpr const char* kCreatedKey = "created";
inline constexpr const char* kCompletedKey = "completed";

/// How a string is stored. Other programs read one of variable length as text, but HDF5 keeps its
/// bytes without a checksum, and some damaged ones make HDF5 hang. So a file that may have to be
/// mended has only strings of fixed length.
enum class TextLayout { fixed, variable };

/// Creates the attribute, or replaces one of any type.
void set_attribute(const CheckedCall& h5, const Handle& file, const Attribute& attribute,
                   TextLayout layout);

/// The names of a file's attributes, in order of creation if the file has recorded it.
std::vector<std::string> attribute_names(const CheckedCall& h5, const Handle& file);

/// Every attribute that is one text or one number, in order of creation if the file has recorded
/// it. Others are skipped; only other programs can have added them.
Attributes read_attributes(const CheckedCall& h5, const Handle& file);

/// The value of that attribute; "" if there is none.
std::string find_attribute(const Attributes& attributes, const std::string& name);

/// Whether the file says that it is an image of Tessera. False if it cannot be read.
bool is_image(const CheckedCall& h5, const Handle& file) noexcept;

/// The current time as "2024-05-01T12:00:00Z".
std::string utc_now();

}  // namespace tessera::store
