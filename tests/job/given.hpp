// What the tests of this folder share: jobs from a line of text, and what an error says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "job/image/options.hpp"

namespace tessera::job {

/// Given as from the command line.
inline std::vector<Given> given(
    std::initializer_list<std::pair<std::string_view, std::string_view>> options) {
  std::vector<Given> all;
  for (const auto& [name, value] : options) {
    all.push_back({std::string(name), std::string(value), "--" + std::string(name)});
  }
  return all;
}

inline RenderJob job_of(
    std::initializer_list<std::pair<std::string_view, std::string_view>> options) {
  return make_render_job(given(options));
}

/// The job that the printed configuration of `job` makes. Its iterations are given.
inline RenderJob read_again(const RenderJob& job) {
  const auto lines = describe(job);
  std::vector<Given> all;
  all.reserve(lines.size());
  for (const auto& [key, text] : lines) all.push_back({key, text, key});
  RenderJob again = make_render_job(all);
  EXPECT_EQ(again.iterations_from, IterationsFrom::given);
  again.iterations_from = job.iterations_from;
  return again;
}

/// Expects `action` to throw an Error of `code` in one line that holds each of `words`.
inline void expect_error(base::ExitCode code, const std::vector<std::string>& words,
                         const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "no error; expected one about " << words.front();
  } catch (const base::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), code) << text;
    EXPECT_EQ(text.find('\n'), text.npos) << text;
    for (const std::string& word : words) EXPECT_NE(text.find(word), text.npos) << text;
  }
}

}  // namespace tessera::job
