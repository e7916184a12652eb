// Adds a table of options to the command line. CLI11 only collects text, so that the command line
// and job files share the same parsing and messages.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/options.hpp"

namespace tessera::job {

constexpr std::string_view scope_title(Scope scope) {
  switch (scope) {
    case Scope::image:
      return "Image";
    case Scope::output:
      return "Output";
    case Scope::run:
      return "Run";
  }
  return "Options";
}

/// Registers `options` with `app`; --help shows the values of T{} as defaults. Parsing appends to
/// `given` in the order of the command line. `given` must outlive the parsing.
template <class T>
void add_options(CLI::App& app, std::span<const Option<T>> options, std::vector<Given>& given) {
  const T defaults{};
  for (const Option<T>& option : options) {
    const std::string name(option.name);
    const CLI::callback_t collect = [&given, name](const CLI::results_t& texts) {
      given.push_back({name, texts.back(), "--" + name});
      return true;
    };
    const bool toggle = option.kind == Kind::toggle;
    const std::string usual = toggle ? "" : option.get(defaults);
    const std::string help =
        usual.empty() ? std::string(option.help) : fmt::format("{} [{}]", option.help, usual);
    // Triggered at each occurrence; otherwise CLI11 would sort them by the order of the table.
    CLI::Option* added = app.add_option("--" + name, collect, help)->trigger_on_parse();
    added->type_name(std::string(option.value))->group(std::string(scope_title(option.scope)));
    added->expected(toggle ? 0 : 1);
  }
}

}  // namespace tessera::job
