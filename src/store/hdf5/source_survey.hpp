// Follows a dataset to all files that hold elements of it. Private to this folder.
#pragma once

#include <vector>

#include "store/hdf5/other_files.hpp"

namespace tessera::store {

/// The other files that hold elements of a dataset.
struct SourceSurvey {
  std::vector<UsedFiles> used;
  std::vector<Handle> open;
  std::vector<HeldFile> files;
};

/// Throws as OtherFiles() does.
SourceSurvey survey_sources(const Hdf5Dataset& data);

}  // namespace tessera::store
