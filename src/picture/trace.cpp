#include "picture/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <mercer/error.hpp>
#include <nlohmann/json.hpp>

#include "picture/axes.hpp"
#include "picture/colours.hpp"
#include "picture/marks.hpp"

namespace mercer::picture {

namespace {

// What is most looked for comes first; what is not named here comes last.
std::size_t rank_of(const std::string& name) {
  constexpr std::array<std::string_view, 9> order{
      "mistakes", "loss", "held_out", "gap", "violation", "residual", "dual", "support", "active"};
  return static_cast<std::size_t>(std::ranges::find(order, name) - order.begin());
}

Axis values_axis(const Trace::Series& s) {
  double low = s.values[0].second;
  double high = low;
  for (const auto& [x, y] : s.values) {
    low = std::min(low, y);
    high = std::max(high, y);
  }
  constexpr double wide = 100;
  if (low > 0 && high > wide * low) {
    Axis y{s.name, low / 1.5, high * 1.5, true};
    return y;
  }
  const bool counts = low >= 0 && low < 0.3 * high;  // from 0 on, where that shows more
  Axis y = axis_around(s.name, counts ? 0 : low, high);
  if (counts) y.low = 0;
  y.whole =
      std::ranges::all_of(s.values, [](const auto& v) { return v.second == std::floor(v.second); });
  return y;
}

}  // namespace

Trace read_trace(std::string_view text, const std::string& name) {
  Trace trace;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line_number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!json.is_object())
      throw Error(
          fmt::format("{}: line {}: not a JSON object, as `mercer train --trace` writes one "
                      "for each step",
                      name, line_number));
    if (json.empty() || !json.front().is_number())
      throw Error(fmt::format("{}: line {}: the step has no number; expected {{\"pass\": 1, …}}",
                              name, line_number));
    const std::string unit = json.begin().key();
    const double at = json.front().get<double>();
    for (auto item = std::next(json.begin()); item != json.end(); ++item) {
      if (!item.value().is_number()) continue;
      const auto value = item.value().get<double>();
      auto series = std::ranges::find_if(trace.series, [&](const Trace::Series& s) {
        return s.name == item.key() && s.unit == unit;
      });
      if (series == trace.series.end())
        series = trace.series.insert(series, Trace::Series{item.key(), unit, {}});
      series->values.emplace_back(at, value);
    }
  }
  if (line_number == 0)
    throw Error(name +
                ": no step is written there: the training had none, as small problems of ridge "
                "regression and of support vectors are solved in one go");
  if (trace.series.empty())
    throw Error(name + ": there is no step with a number in it, so there is nothing to draw");
  std::ranges::stable_sort(trace.series, {}, [](const auto& s) { return rank_of(s.name); });
  return trace;
}

void draw(Canvas& canvas, const Trace& t) {
  constexpr std::size_t most = 4;
  const std::size_t count = std::min(t.series.size(), most);
  std::string note;
  for (std::size_t k = count; k < t.series.size(); ++k)
    note += (note.empty() ? "not shown: " : ", ") + t.series[k].name;
  const double top = draw_title(canvas, t.title, note);
  constexpr double margin = 16;
  constexpr double between = 18;
  const double each = (canvas.height() - top - margin - between * static_cast<double>(count - 1)) /
                          static_cast<double>(count) -
                      room_below;
  if (each < 30) throw Error("the picture is too small for its panels; give it a larger --size");
  double left = 0;
  for (std::size_t k = 0; k < count; ++k)
    left = std::max(left, room_at_left(values_axis(t.series[k]), each) + 6);
  for (std::size_t k = 0; k < count; ++k) {
    const auto& s = t.series[k];
    const Box box{left, top + static_cast<double>(k) * (each + room_below + between),
                  canvas.width() - left - 2 * margin, each};
    double low = s.values[0].first;
    double high = low;
    for (const auto& [x, y] : s.values) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
    Axis x = axis_around(s.unit, low, high, 0.02);
    x.whole = true;
    const Axis y = values_axis(s);
    draw_axes(canvas, box, x, y);
    canvas.begin(s.name);
    const Colour colour = class_colour(k);
    std::vector<Spot> line;
    for (const auto& [a, b] : s.values) line.push_back(place(box, x, y, a, b));
    if (line.size() > 1) canvas.stroke(line, {colour, 1.8});
    constexpr std::size_t few = 60;
    if (line.size() <= few)
      for (const Spot& at : line) draw_mark(canvas, at, k, 3.4, colour, {white, 0.7});
    canvas.end();
  }
}

}  // namespace mercer::picture
