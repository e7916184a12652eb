#include "store/hdf5/other_files.hpp"

#include "base/error.hpp"
#include "plan/piece_boxes.hpp"
#include "store/hdf5/source_survey.hpp"

namespace tessera::store {

std::optional<HeldFile> find_file(const std::string& path) {
  if (!base::exists(path)) return std::nullopt;
  return HeldFile{path, base::identity_of(path), base::stamp_of(path)};
}

std::vector<std::string> referenced_files(const job::ArrayInput& input) {
  using Format = job::ArrayInput::Format;
  const bool is_hdf5 = input.format == Format::hdf5 ||
                       (input.format == Format::file && base::has_hdf5_signature(input.path));
  if (!is_hdf5) return {};
  std::vector<std::string> files;
  try {
    const Hdf5Dataset data(input);
    if (!data.info.refers_elsewhere) return {};
    const SourceSurvey survey = survey_sources(data);
    for (const HeldFile& file : survey.files) files.push_back(file.path);
  } catch (const base::Error&) {
    return {};  // opening it for the run says what is wrong
  }
  return files;
}

OtherFiles::OtherFiles(const Hdf5Dataset& data) : name_(data.info.name) {
  SourceSurvey survey = survey_sources(data);
  used_ = std::move(survey.used);
  open_ = std::move(survey.open);
  files_ = std::move(survey.files);
}

void OtherFiles::check_unchanged(const plan::Box& box) const {
  std::vector<bool> checked(files_.size());
  for (const UsedFiles& used : used_) {
    if (!plan::meet(used.box, box)) continue;
    for (const std::size_t file : used.files) {
      if (checked[file]) continue;
      checked[file] = true;
      const auto now = find_file(files_[file].path);
      if (now == files_[file]) continue;
      throw base::run_error("{}: {} {} while it is read", name_, files_[file].path,
                            now ? "has changed" : "is gone");
    }
  }
}

}  // namespace tessera::store
