#include <fmt/format.h>

#include <span>

#include "base/file/posix_file.hpp"
#include "base/file/text_kind.hpp"
#include "report/printers.hpp"

namespace tessera::report {

namespace {

void write_all(base::PosixFile& file, const std::string& text) {
  file.write(std::as_bytes(std::span(text)));
}

}  // namespace

void write_text_file(const std::string& path, const std::string& text,
                     const base::IsOurs& is_ours) {
  if (base::is_standard_output(path)) return fmt::print("{}", text);
  if (base::is_special(path)) {
    base::PosixFile file = base::PosixFile::stream(path);
    write_all(file, text);
    return file.close();
  }
  base::UnfinishedFile unfinished(path, is_ours);
  base::PosixFile file(unfinished.part());
  write_all(file, text);
  file.sync();
  file.close();
  unfinished.publish(base::Replace::what_is_there);
}

void publish(const job::RunSpec& job, const std::string& json, const std::string& text) {
  if (!job.report.empty()) write_text_file(job.report, json, base::of_kind(base::kReport));
  if (job.json) return fmt::print("{}", json);
  const bool taken = base::is_standard_output(job.report) || base::is_standard_output(job.trace);
  if (!taken) fmt::print("{}", text);
}

}  // namespace tessera::report
