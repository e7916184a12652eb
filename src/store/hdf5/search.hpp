// Where HDF5 looks for the files that an HDF5 file names. Private to this folder.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::store {

/// Environment variables of HDF5 with more folders, separated by colons.
inline constexpr const char* kSourceFolders = "HDF5_VDS_PREFIX";
inline constexpr const char* kLinkFolders = "HDF5_EXT_PREFIX";

/// The first place, in HDF5's order, where there is a file that `file` calls `name`; a folder if
/// there is only that; empty if there is neither. HDF5 would go on after a file that it cannot
/// open, which must not pass unnoticed.
std::filesystem::path find_named_file(const std::string& name, const std::filesystem::path& file,
                                      const char* folders);

/// The place of a file of external storage; HDF5_EXTFILE_PREFIX counts.
std::filesystem::path external_place(const std::string& name, const std::filesystem::path& file);

}  // namespace tessera::store
