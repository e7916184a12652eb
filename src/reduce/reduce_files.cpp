#include "reduce/reduce_files.hpp"

#include <algorithm>
#include <iterator>

#include "base/file/posix_file.hpp"
#include "base/version.hpp"
#include "job/arrays/reduce_identity.hpp"
#include "reduce/done_note.hpp"
#include "store/arrays/array_source.hpp"
#include "store/image/header.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {

namespace {

store::Attributes first_attributes(const job::ArrayJob& job, const std::string& format) {
  return {
      {"format", format}, {"version", base::version_and_commit()}, {"input", job::input_text(job)}};
}

}  // namespace

store::Attributes result_attributes(const job::ReduceJob& job, const std::string& format) {
  store::Attributes attributes = first_attributes(job, format);
  for (const auto& option : job::reduce_options()) {
    if (!job::decides_numbers(option) || option.get(job).empty()) continue;
    attributes.push_back({std::string(option.name), option.get(job), store::type_of(option.kind)});
  }
  return attributes;
}

store::Attributes result_attributes(const job::MapJob& job, const std::string& format) {
  store::Attributes attributes = first_attributes(job, format);
  attributes.push_back({"map", job.map, store::type_of(job::Kind::text)});
  return attributes;
}

namespace {

/// What is written must not replace the input, nor files that have its elements.
void check_input(const job::ArrayInput& input, const std::vector<store::NamedFile>& written) {
  std::vector<std::string> read = {input.path};
  const auto is_there = [](const store::NamedFile& file) { return base::exists(file.path); };
  if (std::ranges::any_of(written, is_there)) {
    std::ranges::move(store::referenced_files(input), std::back_inserter(read));
  }
  for (const std::string& path : read) {
    for (const store::NamedFile& file : written) store::check_distinct({{"INPUT", path}, file});
  }
}

}  // namespace

void check_reduce_files(const job::ArrayJob& job, const JobFacts& facts) {
  if (!job.checkpoint_file.empty())
    store::check_output(job.checkpoint_file, "--checkpoint-file", true);
  std::vector<store::NamedFile> written;
  for (const std::string& path : facts.outputs) written.push_back({"--output", path});
  written.insert(written.end(), {{"--report", job.report},
                                 {"--trace", job.trace},
                                 {"--report-html", job.report_html},
                                 {"--checkpoint-file", job.checkpoint_file}});
  for (const std::string& path : facts.outputs)
    written.push_back({"--output", finished_path(path)});
  for (const std::string& path : facts.states) written.push_back({"--state", path});
  store::check_distinct(written);
  for (const std::string& bins : facts.bins) {
    if (!base::is_regular(bins)) continue;
    for (const store::NamedFile& file : written) store::check_distinct({{"--bins", bins}, file});
  }
  for (const job::ArrayInput& input : facts.inputs) {
    if (!input.is_in_file()) continue;
    for (const job::ArrayInput& read : store::expand(input)) check_input(read, written);
  }
  store::check_text_outputs({{"--report", job.report, base::kReport},
                             {"--trace", job.trace, base::kTrace},
                             {"--report-html", job.report_html, base::kPage}},
                            job.overwrite);
}

}  // namespace tessera::reduce
