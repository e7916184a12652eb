// tessera clean: lists the files that runs have left beside their outputs, and removes them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/leftovers.hpp"
#include "job/run_options.hpp"

namespace tessera::command {
namespace {

struct CleanJob {
  bool remove = false;
};

std::span<const job::Option<CleanJob>> clean_options() {
  static const std::vector<job::Option<CleanJob>> options = {
      job::toggle({"remove", "", "remove the listed files that no run uses"}, &CleanJob::remove),
  };
  return options;
}

/// Removes the file if that is wanted; a line on it.
std::string settle(const Leftover& leftover, bool remove, std::uint64_t& removed_bytes) {
  std::string note = leftover.in_use ? "in use; " : "";
  if (remove && !leftover.in_use) {
    const bool removed = remove_leftover(leftover);
    note = removed ? "removed; " : "not removed; ";
    removed_bytes += removed ? leftover.bytes : 0;
  }
  return base::printable(note + leftover.what);
}

void clean(const std::string& folder, bool remove) {
  const std::vector<Leftover> leftovers = find_leftovers(folder.empty() ? "." : folder);
  std::size_t width = 0;
  std::uint64_t bytes = 0;
  for (const Leftover& leftover : leftovers) {
    width = std::max(width, base::printable(leftover.path).size());
    bytes += leftover.bytes;
  }
  std::uint64_t removed_bytes = 0;
  for (const Leftover& leftover : leftovers) {
    fmt::print("{:<{}}  {:>10}  {}\n", base::printable(leftover.path), width,
               base::format_bytes(static_cast<double>(leftover.bytes)),
               settle(leftover, remove, removed_bytes));
  }
  if (leftovers.empty()) return fmt::print("nothing is left over here\n");
  if (remove) {
    fmt::print("{} are free again\n", base::format_bytes(static_cast<double>(removed_bytes)));
  } else {
    fmt::print("{} in all; --remove deletes what is not in use, and unfinished work with it\n",
               base::format_bytes(static_cast<double>(bytes)));
  }
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
  syntax.when_chosen([arguments, &action] {
    action = [arguments](comm::World& world) {
      comm::agree(world, [&] {
        CleanJob job;
        job::apply_options(job, clean_options(), arguments->given);
        if (world.is_root()) clean(arguments->folder, job.remove);
      });
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
