#include "job/arrays/map_job.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "job/arrays/reduce_identity.hpp"

namespace tessera::job {
namespace {

std::vector<Given> to(const std::string& output) {
  return {{"output", output, "--output"}};
}

std::string map_error(const std::string& expression, const std::vector<std::string>& inputs,
                      const std::vector<Given>& given) {
  try {
    make_map_job(expression, inputs, given);
    return "";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    return error.what();
  }
}

TEST(MapJob, names_arrays_as_given_or_by_their_place) {
  const MapJob job = make_map_job(
      "u * b", std::vector<std::string>{"u=x.npy", "y.npy", "w=r?dtype=f4&shape=2"}, to("c.npy"));
  EXPECT_EQ(job.names, (std::vector<std::string>{"u", "b", "w"}));
  EXPECT_EQ(job.inputs[0].path, "x.npy");
  EXPECT_EQ(job.inputs[2].path, "r");
  EXPECT_EQ(input_text(job), "u=x.npy b=y.npy w=r?dtype=f4&shape=2");
  EXPECT_EQ(make_map_job("a", std::vector<std::string>{"r?dtype=f4&shape=2"}, to("c.npy")).names,
            std::vector<std::string>{"a"});
}

TEST(MapJob, has_an_array_for_each_expression) {
  const std::vector<std::string> x = {"x.npy"};
  const MapJob two = make_map_job("c = a + 1;\n d= a == 1", x, to("o.h5"));
  ASSERT_EQ(two.mapped.size(), 2U);
  EXPECT_EQ(two.mapped[0], (MappedArray{"c", "a + 1", "o.h5"}));
  EXPECT_EQ(two.mapped[1], (MappedArray{"d", "a == 1", "o.h5"}));
  EXPECT_EQ(make_map_job("a == 1", x, to("o.npy")).mapped[0].text, "a == 1");
  const MapJob named = make_map_job("a", x, to("o.h5:/group/c"));
  EXPECT_EQ(named.output, "o.h5");
  EXPECT_EQ(named.mapped[0].name, "group/c");
}

TEST(MapJob, has_a_file_for_each_expression) {
  const std::vector<Given> outputs = {{"output", "d=o.h5:/x/y", "--output"},
                                      {"output", "c=o.npy", "--output"}};
  // An output has the name of the second argument; the third has the name of an input.
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"d = a*a", "a=x.npy"},
                                                    std::vector<std::string>{"d = a*a", "x.npy"}}) {
    const MapJob job = make_map_job("c = a + 1", arguments, outputs);
    ASSERT_EQ(job.mapped.size(), 2U);
    EXPECT_EQ(job.mapped[0], (MappedArray{"c", "a + 1", "o.npy"}));
    EXPECT_EQ(job.mapped[1], (MappedArray{"x/y", "a*a", "o.h5"}));
    EXPECT_EQ(job.map, "c = a + 1; d = a*a");
    EXPECT_EQ(output_files(job), (std::vector<std::string>{"o.npy", "o.h5"}));
    EXPECT_EQ(job.output, "o.npy");
    EXPECT_EQ(job.inputs.size(), 1U);
  }
  const MapJob same_names =
      make_map_job("c = c + 1; d = d + 1", std::vector<std::string>{"c=x.npy", "d=y.npy"}, outputs);
  EXPECT_EQ(same_names.names, (std::vector<std::string>{"c", "d"}));
}

TEST(MapJob, has_the_keys_of_earlier_versions) {
  const std::vector<std::string> x = {"x=random:normal?count=9"};
  EXPECT_EQ(identity(make_map_job("x + 1", x, to("o.npy"))),
            "input x=random:normal?count=9\nmap x + 1\nddof 0\nnan propagate\n");
  EXPECT_EQ(identity(make_map_job("x + 1", x, to("o.h5:/c"))),
            "input x=random:normal?count=9\ndataset c\ncompress 1\nchunk scalar\nmap x + 1\n"
            "ddof 0\nnan propagate\n");
  const MapJob two = make_map_job(
      "c = x; d = -x", x,
      std::vector<Given>{{"output", "c=o.npy", "--output"}, {"output", "d=p.npy", "--output"}});
  std::string text;
  for (const auto& [name, value] : describe(as_reduction(two)))
    text += fmt::format("{} {}; ", name, value);
  EXPECT_EQ(text.substr(0, text.find("serve")),
            "input x=random:normal?count=9; map c = x; d = -x; output o.npy p.npy; ddof 0; nan "
            "propagate; ");
}

TEST(MapJob, refuses_what_does_not_fit) {
  const std::vector<std::string> x = {"x.npy"};
  EXPECT_EQ(map_error("a", x, {}),
            "map: say where the array goes, with --output FILE.npy or FILE.h5");
  EXPECT_EQ(map_error("c = a; d = a", x, to("o.npy")),
            "--output o.npy: holds one array; 2 fit into FILE.h5, or give NAME=FILE");
  EXPECT_EQ(map_error("c = a; c = a", x, to("o.h5")), "map: two arrays are named 'c'");
  EXPECT_EQ(map_error("c = a; a", x, to("o.h5")),
            "map: 'a' has no name; several arrays are 'c = a + b; d = a - b'");
  EXPECT_EQ(map_error("c = a;", x, to("o.h5")),
            "map: an expression is empty; give one, such as 'a + b'");
  EXPECT_EQ(
      map_error("a", x, to("o.npy:/c")),
      "--output: 'o.npy:/c' is not FILE.npy, FILE.raw, FILE.h5, FILE.h5:/dataset or FILE.zarr");
  EXPECT_EQ(map_error("a", std::vector<std::string>{"b=x.npy", "y.npy"}, to("o.npy")),
            "y.npy: another array is named 'b'; write NAME=INPUT");
}

TEST(MapJob, is_known_by_its_expression_and_its_arrays) {
  const auto identity_of = [](const std::string& expression, const std::string& input,
                              const std::string& output) {
    return identity(make_map_job(expression, std::vector<std::string>{input}, to(output)));
  };
  const std::string usual = identity_of("a + 1", "a=x.npy", "o.h5:/c");
  EXPECT_EQ(identity_of("a + 1", "x.npy", "p.h5:/c"), usual);
  EXPECT_NE(identity_of("a + 2", "a=x.npy", "o.h5:/c"), usual);
  EXPECT_NE(identity_of("a + 1", "a=y.npy", "o.h5:/c"), usual);
  EXPECT_NE(identity_of("a + 1", "b=x.npy", "o.h5:/c"), usual);
  EXPECT_NE(identity_of("a + 1", "a=x.npy", "o.h5:/d"), usual);
  const auto of_two = [](const std::string& c, const std::string& d) {
    return identity(make_map_job(
        "c = a; d = 2*a", std::vector<std::string>{"x.npy"},
        std::vector<Given>{{"output", "c=" + c, "--output"}, {"output", "d=" + d, "--output"}}));
  };
  EXPECT_EQ(of_two("o.npy", "p.npy"), of_two("./o.npy", "p.npy"));
  EXPECT_NE(of_two("o.npy", "p.npy"), of_two("p.npy", "o.npy"));
}

}  // namespace
}  // namespace tessera::job
