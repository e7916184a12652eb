#include "command/site_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <tuple>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/job_file.hpp"
#include "job/values.hpp"

namespace tessera::command {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVariable = "TESSERA_OPTIONS";

/// The options that may have a default elsewhere: how a job runs, and how things look. None decides
/// a count or a sum.
constexpr std::array kKeys = std::to_array<job::Key>({
    {"cache", job::Kind::text, true},
    {"checkpoint", job::Kind::number},
    {"compress", job::Kind::integer},
    {"device", job::Kind::list},
    {"device-memory", job::Kind::number},
    {"device-timeout", job::Kind::number},
    {"heartbeat", job::Kind::number},
    {"isolate", job::Kind::text},
    {"listen", job::Kind::text},
    {"max-seconds", job::Kind::number},
    {"memory", job::Kind::number},
    {"palette", job::Kind::text},
    {"palette-file", job::Kind::list},
    {"png-depth", job::Kind::integer},
    {"quiet", job::Kind::toggle},
    {"serve-listen", job::Kind::text},
    {"slice", job::Kind::number},
    {"threads", job::Kind::integer},
});

std::string variable(std::string_view name) {
  const char* const value = std::getenv(std::string(name).c_str());
  return value ? value : "";
}

std::string site_file() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  const std::string beside = (program.parent_path().parent_path() / "etc/tessera.toml").string();
  return !unknown && base::exists(beside) ? beside : "/etc/tessera.toml";
}

std::string user_file() {
  const std::string config = variable("XDG_CONFIG_HOME");
  const std::string home = variable("HOME");
  if (!config.empty()) return config + "/tessera.toml";
  return home.empty() ? "" : home + "/.config/tessera.toml";
}

void check_key(std::string_view name, const std::string& origin) {
  std::vector<std::string> names;
  for (const job::Key& key : kKeys) names.emplace_back(key.name);
  if (std::ranges::find(names, name) != names.end()) return;
  throw base::usage_error("{}: no option that may have a default; {}", origin,
                          job::suggestion(name, names));
}

void add_file(const std::string& path, std::vector<job::Given>& defaults) {
  if (path.empty() || !base::exists(path)) return;
  const auto found = job::parse_job_text(path, job::read_job_text(path), kKeys);
  defaults.insert(defaults.end(), found.begin(), found.end());
}

/// "--memory 8G --palette=ember --quiet"
void add_variable(std::vector<job::Given>& defaults) {
  const std::string text = variable(kVariable);
  std::vector<std::string> words = base::split(text, ' ');
  std::erase(words, "");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      throw base::usage_error("{}: '{}' is not an option such as --memory 8G", kVariable, word);
    }
    const auto equals = word.find('=');
    const std::string name = word.substr(2, equals == word.npos ? equals : equals - 2);
    const std::string origin = fmt::format("{}: --{}", kVariable, name);
    check_key(name, origin);
    const auto* const key = std::ranges::find(kKeys, name, &job::Key::name);
    std::string value = "true";
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (key->kind != job::Kind::toggle) {
      if (++i == words.size()) throw base::usage_error("{}: has no value", origin);
      value = words[i];
    }
    defaults.push_back({name, value, origin});
  }
}

struct Row {
  std::string name, value, origin;

  static auto members(auto& self) { return std::tie(self.name, self.value, self.origin); }
};

/// "/etc/tessera.toml:2" of "/etc/tessera.toml:2: memory"
std::string place_of(const job::Given& given) {
  return given.origin.substr(0, given.origin.rfind(": "));
}

}  // namespace

std::vector<job::Given> read_defaults(comm::World& world) {
  std::vector<job::Given> defaults;
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    if (variable("TESSERA_DEFAULTS") != "none") {
      add_file(site_file(), defaults);
      add_file(user_file(), defaults);
    }
    add_variable(defaults);
  });
  std::vector<Row> rows;
  for (const job::Given& one : defaults) rows.push_back({one.name, one.value, one.origin});
  rows = comm::broadcast_value(world, rows);
  defaults.clear();
  for (Row& row : rows) {
    defaults.push_back({std::move(row.name), std::move(row.value), std::move(row.origin)});
  }
  return defaults;
}

std::vector<job::Given> joined(const std::vector<job::Given>& defaults,
                               const std::vector<job::Given>& given) {
  std::vector<job::Given> all = defaults;
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

std::string defaults_text(const std::vector<job::Given>& defaults,
                          const std::vector<job::Given>& given) {
  std::vector<std::string> texts;
  for (auto one = defaults.begin(); one != defaults.end(); ++one) {
    const auto is_same = [&](const job::Given& other) { return other.name == one->name; };
    const bool replaced =
        std::any_of(one + 1, defaults.end(), is_same) || std::ranges::any_of(given, is_same);
    if (!replaced)
      texts.push_back(fmt::format("{}={} ({})", one->name, one->value, place_of(*one)));
  }
  return base::join(texts);
}

}  // namespace tessera::command
