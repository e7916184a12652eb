// The printed configuration of a job makes the same job.
#include "given.hpp"
#include "job/image/views.hpp"

namespace tessera::job {
namespace {

TEST(Describe, reads_back_to_the_same_job_of_a_share) {
  const RenderJob job = job_of({{"share", "3/7"}});
  EXPECT_EQ(read_again(job), job);
}

TEST(Describe, reads_back_to_the_same_zoom) {
  const RenderJob job = job_of({{"view", "deep-spiral"},
                                {"frames", "30"},
                                {"zoom-per-frame", "3"},
                                {"turn-per-frame", "-7.50"}});
  EXPECT_EQ(read_again(job), job);
  EXPECT_TRUE(job.arithmetic_auto) << "each image decides for itself";
  EXPECT_EQ(job.fields.size(), 2u);
}

TEST(Describe, reads_back_to_the_same_job_for_every_view) {
  for (const View& view : views()) {
    const RenderJob job = job_of({{"view", view.name}, {"size", "3840x2160"}});
    EXPECT_EQ(read_again(job), job) << view.name;
  }
}

TEST(Describe, reads_back_to_the_same_job_when_everything_is_set) {
  const RenderJob job = job_of({{"formula", "julia:-0.80,0.156"},
                                {"center", "-0.5+0.250i"},
                                {"width", "1.250"},
                                {"size", "31x17"},
                                {"iterations", "4294967294"},
                                {"bailout", "1234.5678901234567"},
                                {"fields", "smooth,distance,fraction,gradient,phase"},
                                {"distance", "1.5"},
                                {"light", "-30,0.5"},
                                {"interior", "derivative"},
                                {"matrix", "0,-1,1,0"},
                                {"tile", "100"},
                                {"compress", "3"},
                                {"output", " a b.h5"},
                                {"png", "p.png"},
                                {"supersample", "2"},
                                {"from", "b.png"},
                                {"region", "1,2,3,4"},
                                {"palette", "ember"},
                                {"palette-cycle", "0.5"},
                                {"palette-offset", "-0.25"},
                                {"inside", "#102030"},
                                {"equalize", "true"},
                                {"png-depth", "16"},
                                {"overwrite", "true"},
                                {"writers", "3"},
                                {"device", "cuda:0,cpu"},
                                {"threads", "3"},
                                {"memory", "1000000000"},
                                {"quiet", "true"},
                                {"report", "r.json"},
                                {"report-html", "r.html"},
                                {"serve", "true"},
                                {"serve-listen", "[::1]:8080"},
                                {"trace", "t.json"}});
  EXPECT_EQ(describe(job).size(), render_options().size() - 13)
      << "a share and a zoom have no picture, a single run no pool, a place of one's own no view, "
         "zoom is another word "
         "for width, as height is, and what turns is the matrix; plain pixels are not uncertain; "
         "equalized colours have no scale";
  EXPECT_EQ(read_again(job), job);
  EXPECT_EQ(job.center_text, "-0.5+0.250i");
  EXPECT_EQ(job.memory_bytes, 1000000000u);
}

}  // namespace
}  // namespace tessera::job
