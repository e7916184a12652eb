#include <fmt/format.h>

#include <cstdio>
#include <span>

#include "base/file/posix_file.hpp"
#include "report/printers.hpp"

namespace tessera::report {

namespace {

void write_all(base::PosixFile& file, const std::string& text) {
  file.write(std::as_bytes(std::span(text)));
}

}  // namespace

void write_text_file(const std::string& path, const std::string& text) {
  if (base::is_standard_output(path)) return fmt::print("{}", text);
  if (base::is_special(path)) {
    base::PosixFile file(path);
    write_all(file, text);
    return file.close();
  }
  const std::string part = base::part_path(path);
  try {
    base::remove_file(part);
    base::PosixFile file(part);
    const base::FileIdentity identity = base::identity_of(part);
    write_all(file, text);
    file.sync();
    file.close();
    base::publish_file(part, path, identity, base::Replace::what_is_there);
  } catch (const base::Error&) {
    base::remove_file(part);
    throw;
  }
}

void publish(const job::RunSpec& job, const std::string& json, const std::string& text) {
  if (!job.report.empty()) write_text_file(job.report, json);
  if (job.json) return fmt::print("{}", json);
  const bool taken = base::is_standard_output(job.report) || base::is_standard_output(job.trace);
  if (!taken) fmt::print("{}", text);
}

}  // namespace tessera::report
