// The table of options on the command line.
#include "job/command_line.hpp"

#include "given.hpp"

namespace tessera::job {

namespace {

std::vector<Given> parse(std::vector<std::string> arguments) {
  CLI::App app;
  std::string job_file;
  app.add_option("JOB", job_file);
  std::vector<Given> collected;
  add_options(app, render_options(), collected);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes a vector from its end
  app.parse(std::move(arguments));
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
      EXPECT_THROW(parse({name}), CLI::ParseError) << name;
    }
  }
  EXPECT_THROW(parse({"--colour", "x"}), CLI::ParseError);
}

TEST(CommandLine, explains_every_option_with_its_default) {
  CLI::App app;
  std::vector<Given> collected;
  add_options(app, render_options(), collected);
  const std::string help = app.help();
  for (const auto& option : render_options()) {
    EXPECT_NE(help.find("--" + std::string(option.name)), help.npos) << option.name;
    EXPECT_NE(help.find(option.value), help.npos) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    const std::string usual = option.get(RenderJob{});
    if (option.kind == Kind::toggle || usual.empty()) continue;
    EXPECT_NE(help.find("[" + usual + "]"), help.npos) << option.name;
  }
}

}  // namespace tessera::job
