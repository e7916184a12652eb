// tessera clean: lists the files that runs have left beside their outputs, and removes them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/leftovers.hpp"
#include "job/run_options.hpp"
#include "pool/pool.hpp"
#include "report/json_parts.hpp"

namespace tessera::command {
namespace {

struct CleanJob : job::RunSpec {
  bool remove = false;
};

std::span<const job::Option<CleanJob>> clean_options() {
  static const std::vector<job::Option<CleanJob>> options = {
      job::toggle({"remove", "", "remove the listed files that no run uses"}, &CleanJob::remove),
      job::run_option<CleanJob>(job::RunOption::json),
  };
  return options;
}

/// A leftover and what became of it.
struct Settled : Leftover {
  bool removed = false;
};

std::vector<Settled> settle(const std::string& folder, bool remove) {
  std::vector<Settled> files;
  for (Leftover& leftover : find_leftovers(folder)) {
    const bool removed = remove && !leftover.in_use && remove_leftover(leftover);
    files.push_back({std::move(leftover), removed});
  }
  return files;
}

std::uint64_t bytes_of(std::span<const Settled> files, bool removed_only) {
  std::uint64_t bytes = 0;
  for (const Settled& file : files) bytes += file.removed || !removed_only ? file.bytes : 0;
  return bytes;
}

std::string note_on(const Settled& file, bool remove) {
  if (file.in_use) return "in use; ";
  if (!remove) return "";
  return file.removed ? "removed; " : "not removed; ";
}

void print_table(std::span<const Settled> files, bool remove) {
  std::size_t width = 0;
  for (const Settled& file : files) width = std::max(width, base::printable(file.path).size());
  for (const Settled& file : files) {
    fmt::print("{:<{}}  {:>10}  {}\n", base::printable(file.path), width,
               base::format_bytes(static_cast<double>(file.bytes)),
               base::printable(note_on(file, remove) + file.what));
  }
  const auto sum = base::format_bytes(static_cast<double>(bytes_of(files, remove)));
  if (files.empty()) return fmt::print("nothing is left over here\n");
  if (remove) return fmt::print("{} are free again\n", sum);
  fmt::print("{} in all; --remove deletes the unused ones, unfinished work included\n", sum);
}

void print_json(std::span<const Settled> files) {
  report::Json json = report::document("clean");
  json["files"] = report::Json::array();
  for (const Settled& file : files) {
    json["files"].push_back({{"path", file.path},
                             {"bytes", file.bytes},
                             {"what", file.what},
                             {"in_use", file.in_use},
                             {"removed", file.removed}});
  }
  json["bytes"] = bytes_of(files, false);
  json["removed_bytes"] = bytes_of(files, true);
  fmt::print("{}", report::dump(json));
}

void clean(const std::string& folder, const CleanJob& job) {
  if (pool::is_pool(folder)) {
    throw base::usage_error(
        "{}: is a pool, whose runs remove what they no longer need; rm -r "
        "removes it with its work",
        folder);
  }
  const std::vector<Settled> files = settle(folder, job.remove);
  if (job.json) return print_json(files);
  print_table(files, job.remove);
}

}  // namespace

void add_clean(Syntax& syntax, Action& action) {
  struct Arguments {
    std::string folder;
    std::vector<job::Given> given;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_optional_argument("FOLDER", arguments->folder,
                               "folder to search; by default the current one");
  syntax.add_options(clean_options(), arguments->given);
  set_action(syntax, action, [arguments](run::Context& context) {
    comm::World& world = context.world;
    comm::agree(world, [&] {
      CleanJob job;
      job::apply_options(job, clean_options(), arguments->given);
      if (world.is_root()) clean(arguments->folder.empty() ? "." : arguments->folder, job);
    });
    return base::ExitCode::done;
  });
}

}  // namespace tessera::command
