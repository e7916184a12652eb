#include <fmt/format.h>

#include "command/command_line.hpp"
#include "job/views.hpp"

namespace tessera::command {

void add_views(Syntax& syntax, Action& action) {
  syntax.when_chosen([&action] {
    action = [](comm::World& world) {
      if (!world.is_root()) return base::ExitCode::done;
      for (const job::View& view : job::views()) {
        fmt::print("{:<16} {}\n{:<16} --center {} --width {} --iterations {}\n", view.name,
                   view.description, "", view.center, view.width, view.iterations);
      }
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
