// Job files: what they may hold, and what is said about those that do not parse.
#include "job/job_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "given.hpp"
#include "job/image/film_file.hpp"
#include "job/image/views.hpp"

namespace tessera::job {

using base::ExitCode;

class JobFile : public testing::Test {
 protected:
  JobFile() { std::filesystem::create_directories(folder_); }
  ~JobFile() override { std::filesystem::remove_all(folder_); }
  JobFile(const JobFile&) = delete;
  JobFile& operator=(const JobFile&) = delete;

  std::string write(std::string_view text) const {
    std::string path = folder_ / "a.toml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::vector<Given> read(std::string_view text) const {
    return read_job_file(write(text), render_options());
  }

  std::string value_of(std::string_view text) const { return read(text).at(0).value; }

  void expect_usage_error(std::string_view text, const std::vector<std::string>& words) const {
    expect_error(ExitCode::usage, words, [&] { make_render_job(read(text)); });
  }

  // One folder a process: CTest runs the tests of this file side by side.
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tessera-job-test-" + std::to_string(getpid()));
};

TEST_F(JobFile, gives_its_keys_in_the_order_of_its_lines_with_their_origin) {
  const std::vector<Given> keys = read("# a job\nwidth = 2\n\ncenter = '0,0'\n");
  const std::string path = folder_ / "a.toml";
  EXPECT_EQ(keys, (std::vector<Given>{{"width", "2", path + ":2: width"},
                                      {"center", "0,0", path + ":4: center"}}));
}

TEST_F(JobFile, keeps_numbers_to_the_digit) {
  EXPECT_EQ(value_of("width = 1.250e-05"), "1.250e-05");
  EXPECT_EQ(value_of("width = +0.100000000000000000000000000000000000001 # long"),
            "+0.100000000000000000000000000000000000001");
  EXPECT_EQ(value_of("width = 1_000.000_100\r\n"), "1000.000100");
  EXPECT_EQ(value_of("center = [-0.7436438870371587, 0.1318259042053120]"),
            "-0.7436438870371587,0.1318259042053120");
  EXPECT_EQ(value_of("center = [ # \xc3\xbc\xe2\x82\xac\n  -0.50,\n '0.2500' ]"), "-0.50,0.2500");
  EXPECT_EQ(value_of("center = [ '\xc3\xbc', 0.2500 ]"), "\xc3\xbc,0.2500");
  EXPECT_EQ(value_of("\xef\xbb\xbfwidth = 2.50"), "2.50");
  EXPECT_EQ(value_of("iterations = 10_000"), "10000");
  EXPECT_EQ(value_of("width = 3"), "3");
}

TEST_F(JobFile, takes_strings_arrays_and_booleans_where_they_make_sense) {
  EXPECT_EQ(value_of("fields = ['iterations', 'smooth']"), "iterations,smooth");
  EXPECT_EQ(value_of("device = 'cuda:0,cpu'"), "cuda:0,cpu");
  EXPECT_EQ(value_of("iterations = '500'"), "500");
  EXPECT_EQ(value_of("memory = 100000000"), "100000000");
  EXPECT_EQ(value_of("memory = '1G'"), "1G");
  EXPECT_EQ(value_of("overwrite = true"), "true");
  EXPECT_TRUE(read("").empty());
}

TEST_F(JobFile, is_overruled_by_options) {
  std::vector<Given> all = read("view = 'seahorse'\nwidth = 0.5\nthreads = 2\n");
  for (const Given& option : given({{"view", "sun"}, {"threads", "3"}})) all.push_back(option);
  const RenderJob job = make_render_job(all);
  EXPECT_EQ(job.center_text, find_view("sun").center);
  EXPECT_EQ(job.threads, 3);
  EXPECT_EQ(job.image.width, 0.5);  // the file's own keys still win over any view
}

TEST_F(JobFile, that_is_not_there_is_missing) {
  expect_error(ExitCode::missing, {"no/such.toml", "No such file"},
               [] { read_job_file("no/such.toml", render_options()); });
}

TEST_F(JobFile, that_cannot_be_read_to_its_end_is_missing) {
  // Opens, but its first page is mapped nowhere, so that reading fails.
  if (!std::filesystem::exists("/proc/self/mem")) GTEST_SKIP() << "needs /proc/self/mem";
  expect_error(ExitCode::missing, {"/proc/self/mem", "cannot read"},
               [] { read_job_file("/proc/self/mem", render_options()); });
}

TEST_F(JobFile, must_be_a_file_and_not_a_folder_or_a_mountain) {
  expect_error(ExitCode::usage, {folder_.string(), "folder"},
               [&] { read_job_file(folder_.string(), render_options()); });
  expect_usage_error(std::string((1 << 20) + 1, ' '), {"a.toml", "larger than 1 MiB"});
}

TEST_F(JobFile, that_does_not_parse_is_told_with_its_line) {
  expect_usage_error("width = 1\nheight\n", {"a.toml:2: "});
  expect_usage_error("width = \n", {"a.toml:1: "});
  expect_usage_error("a = 1\n\nwidth = 1\nwidth = 2\n", {"a.toml:4: ", "width"});
  expect_usage_error("\x89HDF\r\n\x1a\n", {"a.toml:1: "});
  expect_usage_error("output = \"a\nb\"\n", {"a.toml:1: "});
  expect_usage_error("iterations = 99999999999999999999\n", {"a.toml:1: ", "99999999999999999999"});
}

TEST_F(JobFile, with_an_unknown_key_is_told_the_nearest) {
  expect_usage_error("width = 1\niteration = 5\n",
                     {"a.toml:2: iteration: ", "no such key", "did you mean 'iterations'"});
  expect_usage_error("colour-of-the-night = 5\n",
                     {"a.toml:1: colour", "there are view, from, region, formula, center"});
}

TEST_F(JobFile, has_a_table_of_its_film) {
  const std::string path = "a.toml";
  const std::string text =
      "frames = 3\npalette = 'ice'\ntile = 9\noutput = 'z.h5'\n[film]\noutput = 'z.mp4'\n"
      "palette = 'ember'\nseconds = 60\n";
  EXPECT_EQ(parse_job_text(path, text, render_options(), kFilmTable).size(), 4u);
  const FilmFile film = parse_film_file(path, text);
  EXPECT_EQ(film.input, "z.h5");
  EXPECT_EQ(film.output, "z.mp4");
  EXPECT_EQ(film.given, (std::vector<Given>{{"palette", "ice", "a.toml:2: palette"},
                                            {"palette", "ember", "a.toml:7: palette"},
                                            {"seconds", "60", "a.toml:8: seconds"}}));
  EXPECT_NO_THROW(check_film_table(path, text));
  EXPECT_NO_THROW(check_film_table(path, "frames = 3"));
  EXPECT_EQ(parse_film_file(path, "frames = 3").input, RenderJob{}.output);
  expect_error(ExitCode::usage, {"a.toml:2: fps"},
               [&] { check_film_table(path, "[film]\nfps=0"); });
  expect_error(ExitCode::usage, {"a.toml:1: film", "[film]"},
               [&] { check_film_table(path, "film = 1"); });
  expect_error(ExitCode::usage, {"a.toml", "frames"}, [&] { parse_film_file(path, "[film]"); });
}

TEST_F(JobFile, has_no_tables) {
  expect_usage_error("[image]\nwidth = 1\n", {"a.toml:1: image: ", "no tables"});
  expect_usage_error("size = { x = 1 }\n", {"a.toml:1: size: ", "no tables"});
  expect_usage_error("\nsize.x = 1\n", {"a.toml:2: size: ", "no tables"});
  expect_usage_error("[[jobs]]\nwidth = 1\n", {"a.toml:1: jobs: ", "no tables"});
}

TEST_F(JobFile, with_a_value_of_the_wrong_type_is_told_key_and_line) {
  expect_usage_error("\noutput = 5\n", {"a.toml:2: output: ", "a string"});
  expect_usage_error("output = true\n", {"a.toml:1: output: ", "a string"});
  expect_usage_error("size = [10, 20]\n", {"a.toml:1: size: ", "a string"});
  expect_usage_error("iterations = true\n", {"a.toml:1: iterations: ", "a number"});
  expect_usage_error("iterations = [5]\n", {"a.toml:1: iterations: ", "a number"});
  expect_usage_error("width = 1979-05-27\n", {"a.toml:1: width: ", "a number"});
  expect_usage_error("fields = 3\n", {"a.toml:1: fields: ", "array"});
  expect_usage_error("center = [[1, 2]]\n", {"a.toml:1: center: ", "array"});
  expect_usage_error("center = [true, 2]\n", {"a.toml:1: center: ", "array"});
  expect_usage_error("quiet = 'true'\n", {"a.toml:1: quiet: ", "true or false"});
  expect_usage_error("quiet = 1\n", {"a.toml:1: quiet: ", "true or false"});
}

TEST_F(JobFile, with_a_bad_value_is_told_key_and_line) {
  expect_usage_error("\n\niterations = 0\n", {"a.toml:3: iterations: ", "1 to 9007199254740992"});
  expect_usage_error("width = nan\n", {"a.toml:1: width: ", "'nan'"});
  expect_usage_error("width = -inf\n", {"a.toml:1: width: ", "'-inf'"});
  expect_usage_error("iterations = 1.5\n", {"a.toml:1: iterations: ", "'1.5'"});
  expect_usage_error("center = []\n", {"a.toml:1: center: "});
  expect_usage_error("center = [1.0, 2.0, 3.0]\n", {"a.toml:1: center: "});
  expect_usage_error("view = 'sum'\n", {"a.toml:1: view: ", "'sun'"});
  expect_usage_error("width = 1e-18\narithmetic = 'plain'\n",
                     {"a.toml:1: width 1e-18: too deep", "at least"});
  expect_usage_error("png = \"a\\nb\"\n", {"a.toml:1: png: ", "line break"});
  expect_usage_error("png = 'tessera.h5'\n", {"a.toml:1: png: ", "--output"});
}

TEST(JobFiles, of_the_repository_are_all_good) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_JOBS)) {
    if (entry.path().extension() != ".toml") continue;
    const std::string path = entry.path().string();
    EXPECT_NO_THROW(make_render_job(read_job_file(path, render_options()))) << path;
    ++files;
  }
  EXPECT_GE(files, 3);
}

TEST(JobFiles, for_the_first_picture_ask_for_4k_and_smooth_values) {
  const std::string path = TESSERA_JOBS "/first-light.toml";
  const RenderJob job = make_render_job(read_job_file(path, render_options()));
  EXPECT_EQ(job.image.size_px, (base::ImageSize{3840, 2160}));
  EXPECT_EQ(job.fields, (std::vector<Field>{Field::iterations, Field::smooth}));
  EXPECT_EQ(job.output, "first-light.h5");
  EXPECT_EQ(job.png, "first-light.png");
}

}  // namespace tessera::job
