#include "reduce/done_note.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <span>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/record_file.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "report/printers.hpp"

namespace tessera::reduce {
namespace {

/// The output, as a later run of the same command must find it; a copy of it counts.
std::string describe_output(const std::string& path) {
  return base::describe_contents(path, base::sample_bytes_of(1));
}

}  // namespace

std::string finished_path(const std::string& output) {
  return base::beside(output, ".done");
}

void write_done_note(const std::string& output, const std::string& part,
                     const std::string& identity, const FinishedOutput& what) {
  const base::Bytes note =
      base::sole_record(base::kNoteMark, std::as_bytes(std::span(identity)),
                        base::to_bytes(describe_output(part), what.items, what.specials));
  report::write_text_file(finished_path(output), std::string(base::text_of(note)));
}

void try_to_note(const std::string& command, const std::string& output, const std::string& part,
                 const std::string& identity, const FinishedOutput& what) {
  try {
    write_done_note(output, part, identity, what);
  } catch (const base::Error& error) {
    base::log("{}: the same command will not know that it is done: {}", command,
              base::printable(error.what()));
  }
}

bool is_done_note(const std::string& note) {
  return base::has_sound_head(note, base::kNoteMark) ||
         base::front_of(note, base::kOldNoteTitle.size()) == base::kOldNoteTitle;
}

void check_note(const std::string& output) {
  const std::string note = finished_path(output);
  std::error_code error;
  const bool empty = std::filesystem::file_size(note, error) == 0;
  const std::string front = base::front_of(note, base::kOldNoteTitle.size());
  if (error || empty || base::has_mark(front, base::kNoteMark)) return;  // a damaged one, too
  throw base::usage_error("--output {}: {} exists and is not of tessera; give another name", output,
                          finished_path(output));
}

std::optional<FinishedOutput> find_finished(const std::string& output,
                                            const std::string& identity) {
  const base::Bytes file = base::read_marked_file(finished_path(output), base::kNoteMark);
  const auto note = base::read_sole_record(file, base::kNoteMark);
  if (!note || base::text_of(note->identity) != identity) return std::nullopt;
  base::ByteReader in(note->payload);
  if (in.get<std::string>() != describe_output(output)) return std::nullopt;
  FinishedOutput what;
  in.read(what.items);
  in.read(what.specials);
  return what;
}

}  // namespace tessera::reduce
