// What a render says at its end about the pixels.
#pragma once

#include <string>

#include "job/image/render_job.hpp"
#include "report/timings.hpp"
#include "store/image/image_file.hpp"

namespace tessera::render {

/// Says that the run continues with the tiles that an earlier one has left in the file.
void say_what_is_resumed(const std::string& file, const store::Leftover& found);

/// Says so if counts are not certain.
void say_if_undecided(const job::RenderJob& job, const report::RunReport& run);

/// Says so if all pixels have one colour. Returns whether they have.
bool say_if_one_color(const job::RenderJob& job, const std::string& name,
                      const report::RunReport& run);

}  // namespace tessera::render
