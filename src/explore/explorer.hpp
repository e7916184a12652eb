// Answers the requests of the page of `tessera explore`. docs/viewer.md lists them.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/finds.hpp"
#include "explore/place.hpp"
#include "explore/poster.hpp"
#include "explore/square_farm.hpp"
#include "explore/square_picture.hpp"
#include "job/image/render_job.hpp"
#include "report/json_parts.hpp"
#include "view/viewer.hpp"

namespace tessera::explore {

struct ExploreSpec {
  job::RenderJob job;  ///< its place is the first view
  /// Fewest iterations of a request that has no number of its own. With `exactly`: the number at
  /// every depth.
  std::uint64_t iterations = 0;
  bool exactly = false;
  FarmSpec farm;
  view::PaletteFiles palettes;
  bool may_render = false;  ///< posters, in the current folder
};

/// Any thread may use it.
class Explorer {
 public:
  /// `lanes` must outlive it.
  Explorer(const ExploreSpec& spec, binding::Lanes& lanes);

  /// Answers all waiting requests at once. To be called before the server stops.
  void end();
  SquareFarm& farm() { return farm_; }
  std::vector<view::Route> routes();
  /// Facts for the start of the page.
  report::Json facts();

 private:
  view::HttpAnswer square(const view::Target& target);
  view::HttpAnswer begin(const view::Target& target);
  view::HttpAnswer pixel(const view::Target& target);
  view::HttpAnswer point(const view::Target& target);
  view::HttpAnswer place(const view::Target& target);
  view::HttpAnswer add_place(const view::Target& target);
  view::HttpAnswer poster(const view::Target& target);
  view::HttpAnswer find(const view::Target& target);
  view::HttpAnswer plan(const view::Target& target);
  view::HttpAnswer render(const view::Target& target);
  Place place_at(std::string_view id);
  /// The parts of a key that do not depend on the square: /explore/PLACE/LEVEL/...
  SquareKey key_of(const view::Target& target);
  report::Json place_json(const Place& place) const;

  ExploreSpec spec_;
  Places places_;
  Place start_;
  SquareFarm farm_;
  SquarePictures pictures_;
  Posters posters_;
  Finds finds_;
};

}  // namespace tessera::explore
