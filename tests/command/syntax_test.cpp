// The table of options on the command line.
#include "command/syntax.hpp"

#include "base/error.hpp"
#include "tests/job/given.hpp"

namespace tessera::command {
namespace {

using job::Given;
using job::given;
using job::Kind;
using job::render_options;

/// `act` with these arguments.
std::vector<Given> parse(const std::vector<std::string>& arguments) {
  std::string job_file;
  std::vector<Given> collected;
  const ProgramSyntax program{
      "summary", "version", "footer", {{"act", "summary", [&](Syntax& syntax) {
                                          syntax.add_optional_argument("JOB", job_file, "file");
                                          syntax.add_options(render_options(), collected);
                                        }}}};
  std::vector<const char*> argv = {"tessera", "act"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  parse_command_line(program, static_cast<int>(argv.size()), argv.data(), true);
  return collected;
}

}  // namespace

TEST(CommandLine, collects_options_as_text_in_the_order_given) {
  EXPECT_EQ(parse({"--width", "2", "job.toml", "--view=sun", "--width", "1e-3", "--quiet"}),
            given({{"width", "2"}, {"view", "sun"}, {"width", "1e-3"}, {"quiet", "true"}}));
}

TEST(CommandLine, takes_values_that_begin_with_a_sign) {
  EXPECT_EQ(parse({"--center", "-0.75,0.1", "--size", "-5x5", "--center=-.75-1i"}),
            given({{"center", "-0.75,0.1"}, {"size", "-5x5"}, {"center", "-.75-1i"}}));
}

TEST(CommandLine, takes_commas_brackets_blanks_and_nothing_as_they_are) {
  EXPECT_EQ(parse({"--fields", "iterations,smooth", "--png", "", "--output", "[a, b] c.h5"}),
            given({{"fields", "iterations,smooth"}, {"png", ""}, {"output", "[a, b] c.h5"}}));
}

TEST(CommandLine, leaves_the_argument_after_a_switch_alone) {
  EXPECT_EQ(parse({"--overwrite", "job.toml"}), given({{"overwrite", "true"}}));
}

TEST(CommandLine, knows_every_option_and_no_other) {
  for (const auto& option : render_options()) {
    const std::string name = "--" + std::string(option.name);
    if (option.kind == Kind::toggle) {
      EXPECT_EQ(parse({name}).at(0).value, "true");
    } else {
      EXPECT_EQ(parse({name, "x"}), given({{option.name, "x"}}));
      EXPECT_THROW(parse({name}), base::Error) << name;
    }
  }
  EXPECT_THROW(parse({"--colour", "x"}), base::Error);
}

TEST(CommandLine, explains_every_option_with_its_default) {
  testing::internal::CaptureStdout();
  parse({"--help"});
  const std::string help = testing::internal::GetCapturedStdout();
  for (const auto& option : render_options()) {
    EXPECT_NE(help.find("--" + std::string(option.name)), help.npos) << option.name;
    EXPECT_NE(help.find(option.value), help.npos) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    const std::string usual = option.get(job::RenderJob{});
    if (option.kind == Kind::toggle || usual.empty()) continue;
    EXPECT_NE(help.find("[" + usual + "]"), help.npos) << option.name;
  }
}

}  // namespace tessera::command
