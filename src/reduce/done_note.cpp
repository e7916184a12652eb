#include "reduce/done_note.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "report/printers.hpp"

namespace tessera::reduce {
namespace {

constexpr const char* kTitle = "tessera: what the file beside this one was made of";

/// The size and the modification time distinguish the output from a later file of the same name.
std::string head_of(const base::FileStamp& output) {
  return fmt::format("{}\noutput\t{}\t{}\n", kTitle, output.bytes, output.changed_ns);
}

std::string describe(const FinishedOutput& what) {
  return fmt::format("found\t{}\t{}\t{}\t{}\t{}\t{}\n", what.items, what.specials.nans,
                     what.specials.positive_infinities, what.specials.negative_infinities,
                     what.specials.missing.fill, what.specials.missing.range);
}

}  // namespace

std::string finished_path(const std::string& output) {
  return output + ".done";
}

void write_done_note(const std::string& output, const std::string& part,
                     const std::string& identity, const FinishedOutput& what) {
  report::write_text_file(finished_path(output),
                          head_of(base::stamp_of(part)) + identity + describe(what));
}

void try_to_note(const std::string& command, const std::string& output, const std::string& identity,
                 const FinishedOutput& what) {
  try {
    write_done_note(output, base::part_path(output), identity, what);
  } catch (const base::Error& error) {
    fmt::print(stderr, "{}: the same command will not know that it is done: {}\n", command,
               base::printable(error.what()));
  }
}

bool is_done_note(const std::string& note) {
  std::ifstream file(note);
  std::string title;
  return std::getline(file, title) && title == kTitle;
}

void check_note(const std::string& output) {
  const std::string note = finished_path(output);
  std::error_code error;
  const bool empty = std::filesystem::file_size(note, error) == 0;
  if (error || empty || is_done_note(note)) return;
  throw base::usage_error("--output {}: {} exists and is not of tessera; give another name", output,
                          finished_path(output));
}

std::optional<FinishedOutput> find_finished(const std::string& output,
                                            const std::string& identity) {
  std::ifstream file(finished_path(output), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string expected = head_of(base::stamp_of(output)) + identity;
  if (!text.starts_with(expected)) return std::nullopt;
  std::istringstream rest(text.substr(expected.size()));
  std::string word;
  FinishedOutput what;
  rest >> word >> what.items >> what.specials.nans >> what.specials.positive_infinities >>
      what.specials.negative_infinities >> what.specials.missing.fill >>
      what.specials.missing.range;
  // The whole text must match: the lines of another job may begin with the same text.
  if (!rest || text != expected + describe(what)) return std::nullopt;
  return what;
}

}  // namespace tessera::reduce
