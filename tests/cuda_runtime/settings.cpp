#include "settings.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

namespace cuda_runtime {
namespace {

[[noreturn]] void refuse(std::string_view entry) {
  std::fprintf(stderr, "TESSERA_CUDA_RUNTIME: cannot read '%.*s'\n", static_cast<int>(entry.size()),
               entry.data());
  std::abort();
}

template <class Number>
void read(std::string_view entry, std::string_view text, Number& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  if (error != std::errc() || end != text.data() + text.size()) refuse(entry);
}

void read(std::string_view entry, std::string_view text, bool& to) {
  int number = 0;
  read(entry, text, number);
  to = number != 0;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

FaultRule fault_rule(std::string_view entry, std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() < 3) refuse(entry);
  FaultRule rule{.call = std::string(parts[0])};
  read(entry, parts[1], rule.first);
  int code = 0;
  read(entry, parts[2], code);
  rule.code = static_cast<cudaError_t>(code);
  for (std::size_t i = 3; i < parts.size(); ++i) {
    if (parts[i] == "sticky") {
      rule.sticky = true;
    } else if (parts[i] == "later") {
      rule.all_later = true;
    } else if (parts[i].starts_with("slow=")) {
      read(entry, parts[i].substr(5), rule.slow_ms);
    } else if (parts[i].starts_with("once=")) {
      rule.once = parts[i].substr(5);
    } else if (parts[i].starts_with("after=")) {
      rule.after = parts[i].substr(6);
    } else {
      refuse(entry);
    }
  }
  return rule;
}

Schedule schedule_of(std::string_view entry, std::string_view text) {
  if (text == "eager") return Schedule::eager;
  if (text == "random") return Schedule::random;
  if (text == "late") return Schedule::late;
  refuse(entry);
}

void read_entry(std::string_view entry, Settings& to) {
  const std::size_t equals = entry.find('=');
  if (equals == entry.npos) refuse(entry);
  const std::string_view key = entry.substr(0, equals);
  const std::string_view value = entry.substr(equals + 1);
  if (key == "devices") return read(entry, value, to.devices);
  if (key == "memory") return read(entry, value, to.memory);
  if (key == "most") return read(entry, value, to.most);
  if (key == "driver") return read(entry, value, to.driver);
  if (key == "major") return read(entry, value, to.major);
  if (key == "minor") return read(entry, value, to.minor);
  if (key == "multiprocessors") return read(entry, value, to.multiprocessors);
  if (key == "occupancy") return read(entry, value, to.occupancy);
  if (key == "mig") return read(entry, value, to.mig);
  if (key == "prohibited") return read(entry, value, to.prohibited);
  if (key == "page_lock") return read(entry, value, to.page_lock);
  if (key == "pools") return read(entry, value, to.pools);
  if (key == "seed") return read(entry, value, to.seed);
  if (key == "delay_us") return read(entry, value, to.delay_us);
  if (key == "schedule") {
    to.schedule = schedule_of(entry, value);
  } else if (key == "reports") {
    to.reports = value;
  } else if (key == "fail") {
    to.faults.push_back(fault_rule(entry, value));
  } else {
    refuse(entry);
  }
}

Settings read_settings() {
  Settings read;
  const char* const text = std::getenv("TESSERA_CUDA_RUNTIME");
  for (const std::string_view entry : split(text == nullptr ? "" : text, ',')) {
    read_entry(entry, read);
  }
  return read;
}

/// True for the first process that asks for this file.
bool create(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

bool obeyed(const FaultRule& rule, long call) {
  const bool hit = rule.all_later ? call >= rule.first : call == rule.first;
  if (!rule.after.empty() && access(rule.after.c_str(), F_OK) != 0) return false;
  return hit && (rule.once.empty() || create(rule.once));
}

}  // namespace

const Settings& settings() {
  static const Settings& known = *new Settings(read_settings());  // never destroyed: threads use it
  return known;
}

Fault next_fault(std::string_view call) {
  if (settings().faults.empty()) return {};
  static auto& mutex = *new std::mutex;
  static auto& calls = *new std::map<std::string, long, std::less<>>;
  const std::scoped_lock lock(mutex);
  const long number = ++calls.try_emplace(std::string(call), 0).first->second;
  for (const FaultRule& rule : settings().faults) {
    if (rule.call != call || !obeyed(rule, number)) continue;
    if (rule.code != cudaSuccess) return {rule.code, rule.sticky};
    if (rule.slow_ms > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(rule.slow_ms));
      continue;
    }
    for (;;) pause();
  }
  return {};
}

void report(const std::string& misuse) {
  std::fprintf(stderr, "CUDA runtime for tests: %s\n", misuse.c_str());
  if (!settings().reports.empty()) {
    std::ofstream(settings().reports, std::ios::app) << misuse << '\n';
  }
  std::abort();
}

}  // namespace cuda_runtime
