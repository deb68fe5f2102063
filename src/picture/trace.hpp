// How a training went: what `mercer train --trace` wrote, a panel for each quantity.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "picture/write.hpp"

namespace mercer::picture {

struct Trace {
  struct Series {
    std::string name;  // "mistakes"
    std::string unit;  // "pass"
    std::vector<std::pair<double, double>> values;
  };
  std::string title;
  std::vector<Series> series;
};

// JSON lines {"pass": 3, "mistakes": 2, …}; `name` is for messages. Throws Error.
Trace read_trace(std::string_view text, const std::string& name);

void draw(Canvas& canvas, const Trace& t);

}  // namespace mercer::picture
