// Answers the requests of the page of arrays. docs/viewer.md lists them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/run.hpp"
#include "base/stop_token.hpp"
#include "browse/array_list.hpp"
#include "browse/scale_builder.hpp"
#include "browse/statistics.hpp"
#include "report/json_parts.hpp"
#include "view/http/router.hpp"
#include "view/http/work_gate.hpp"

namespace tessera::browse {

struct BrowserSpec {
  std::vector<std::string> inputs;  ///< as `tessera reduce` takes them, and folders
  int threads = 1;
  std::uint64_t memory_bytes = 0;
  int max_waiting = 256;  ///< requests
};

/// Any thread may use it.
class Browser {
 public:
  /// Throws the errors of list_arrays().
  explicit Browser(const BrowserSpec& spec);

  bool empty() const { return arrays_.all().empty(); }
  std::vector<view::Route> routes();

 private:
  struct Shown {
    std::shared_ptr<OpenArray> array;
    Plane plane;
  };

  using Member = view::HttpAnswer (Browser::*)(const view::Asked&);
  view::HttpAnswer answer(Member member, const view::Asked& asked);
  view::HttpAnswer list(const view::Asked& asked);
  view::HttpAnswer array(const view::Asked& asked);
  std::string value_of(const view::Asked& asked, const Shown& what, std::int64_t x, std::int64_t y);
  view::HttpAnswer plane(const view::Asked& asked);
  view::HttpAnswer value(const view::Asked& asked);
  view::HttpAnswer statistics(const view::Asked& asked);
  view::HttpAnswer through(const view::Asked& asked);
  view::HttpAnswer tile(const view::Asked& asked);

  /// The array and the plane that the parameters name; `part`: of the path, the array's number.
  Shown shown(const view::Asked& asked, std::size_t part);
  std::shared_ptr<PlaneScales> scales_of(const Shown& shown);
  /// The limits of the request that this thread works for.
  StatisticsLimits limits() const;

  BrowserSpec spec_;
  ArrayList arrays_;
  base::LruCache<std::string, PlaneScales> scales_;
  base::StopToken stays_;
  base::Events nobody_;
  base::Run for_all_{stays_, nobody_};  ///< of work that does not end with a request
  view::WorkGate gate_;
  view::WorkGate statistics_gate_;
  ScaleBuilder builder_;
};

}  // namespace tessera::browse
