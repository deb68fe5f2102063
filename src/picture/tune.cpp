#include "picture/tune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mercer/error.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "picture/axes.hpp"
#include "picture/colours.hpp"
#include "picture/marks.hpp"

namespace mercer::picture {

namespace {

using Json = nlohmann::ordered_json;

bool is_error(const std::string& metric) {
  constexpr std::array<std::string_view, 6> parts{"loss", "error", "rmse", "mae", "mse", "risk"};
  std::string low = metric;
  std::ranges::transform(low, low.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::any_of(parts, [&](auto p) { return low.find(p) != std::string::npos; });
}

// Which parameters are there, in the order of their first use, and how many values each has.
std::vector<std::pair<std::string, std::set<std::string>>> parameters_of(const Json& candidates) {
  std::vector<std::pair<std::string, std::set<std::string>>> all;
  for (const auto& c : candidates) {
    if (!c.is_object() || !c.contains("parameters") || !c["parameters"].is_object()) continue;
    for (const auto& [key, value] : c["parameters"].items()) {
      auto at = std::ranges::find(all, key, [](const auto& p) { return p.first; });
      if (at == all.end()) at = all.insert(at, {key, {}});
      at->second.insert(value.dump());
    }
  }
  return all;
}

double number_of(const Json& value, std::vector<std::string>& texts) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const auto at = std::ranges::find(texts, text);
  if (at != texts.end()) return static_cast<double>(at - texts.begin());
  texts.push_back(text);
  return static_cast<double>(texts.size() - 1);
}

bool better(const Tune& t, double a, double b) { return t.less_is_better ? a < b : a > b; }

std::vector<double> values_of(const Tune& t, std::size_t p) {
  std::set<double> values;
  for (const auto& c : t.candidates) values.insert(c.values[p]);
  return {values.begin(), values.end()};
}

std::string text_of(const Tune& t, std::size_t p, double value) {
  if (value >= Tune::beyond)
    return t.kernels[p][static_cast<std::size_t>(std::lround(value / Tune::beyond)) - 1];
  if (!t.texts[p].empty()) return t.texts[p][static_cast<std::size_t>(value)];
  return fmt::format("{:.4g}", value);
}

// Numbers that were tried at equal ratios.
bool by_ratio(const std::vector<double>& values) {
  constexpr double wide = 8;
  return values.front() > 0 && values.back() >= wide * values.front();
}

Axis number_axis(const Tune& t, std::size_t p) {
  const auto values = values_of(t, p);
  const std::string& name = t.parameters[p];
  if (by_ratio(values)) {
    Axis a{name, values.front(), values.back(), true};
    const double room = std::pow(a.high / a.low, 0.06);
    a.low /= room;
    a.high *= room;
    return a;
  }
  Axis a = axis_around(name, values.front(), values.back());
  if (!t.texts[p].empty())
    for (const double v : values) a.ticks.push_back({v, text_of(t, p, v)});
  return a;
}

// A tick for each value, all at the same distance.
Axis cell_axis(const Tune& t, std::size_t p, const std::vector<double>& values) {
  Axis a{t.parameters[p], -0.5, static_cast<double>(values.size()) - 0.5};
  a.grid = false;
  for (std::size_t k = 0; k < values.size(); ++k)
    a.ticks.push_back({static_cast<double>(k), text_of(t, p, values[k])});
  return a;
}

struct Scores {
  double low = 0;
  double high = 0;
  const Tune::Candidate* best = nullptr;
};

bool is_number(const Tune::Candidate& c) {
  return std::ranges::all_of(c.values, [](double v) { return v < Tune::beyond; });
}

Scores scores_of(const Tune& t) {
  Scores s{t.candidates[0].score, t.candidates[0].score, t.candidates.data()};
  for (const auto& c : t.candidates) {
    s.low = std::min(s.low, c.score);
    s.high = std::max(s.high, c.score);
    if (better(t, c.score, s.best->score)) s.best = &c;
  }
  if (t.best) s.best = &t.candidates[*t.best];
  return s;
}

void draw_line(Canvas& canvas, const Tune& t, double top, const Scores& s) {
  const Axis x = number_axis(t, 0);
  const Axis y = axis_around(t.metric, s.low, s.high);
  const double height = canvas.height() - top - room_below - 16;
  const double left = room_at_left(y, height) + 6;
  const Box box{left, top, canvas.width() - left - 24, height};
  draw_axes(canvas, box, x, y);
  auto sorted = t.candidates;
  std::ranges::stable_sort(sorted, {}, [](const auto& c) { return c.values[0]; });
  // Of several at one value, the best.
  std::vector<Spot> line;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    double best = sorted[i].score;
    while (i + 1 < sorted.size() && sorted[i + 1].values == sorted[i].values) {
      ++i;
      if (better(t, sorted[i].score, best)) best = sorted[i].score;
    }
    line.push_back(place(box, x, y, sorted[i].values[0], best));
  }
  canvas.begin("candidates");
  if (line.size() > 1 && t.texts[0].empty()) canvas.stroke(line, {class_colour(0), 1.8});
  for (const Spot& at : line) draw_mark(canvas, at, 0, 4, class_colour(0), {white, 0.8});
  canvas.end();
  canvas.circle(place(box, x, y, s.best->values[0], s.best->score), 8, std::nullopt,
                Pen{black, 1.6});
}

bool is_grid(const Tune& t) {
  std::set<std::pair<double, double>> there;
  for (const auto& c : t.candidates) there.emplace(c.values[0], c.values[1]);
  std::set<double> across;
  std::set<double> up;
  for (const auto& [a, b] : there) {
    if (a < Tune::beyond) across.insert(a);
    if (b < Tune::beyond) up.insert(b);
  }
  return 2 * there.size() >= across.size() * up.size();
}

void draw_plane(Canvas& canvas, const Tune& t, double top, const Scores& s) {
  const auto across = values_of(t, 0);
  const auto up = values_of(t, 1);
  std::map<std::pair<double, double>, double> best;
  for (const auto& c : t.candidates) {
    const auto [at, fresh] = best.emplace(std::pair(c.values[0], c.values[1]), c.score);
    if (!fresh && (better(t, c.score, at->second) || &c == s.best)) at->second = c.score;
  }
  // A grid has cells; what was drawn at random stands where it was tried.
  const bool grid = is_grid(t);
  const Axis x = grid ? cell_axis(t, 0, across) : number_axis(t, 0);
  const Axis y = grid ? cell_axis(t, 1, up) : number_axis(t, 1);
  const double height = canvas.height() - top - room_below - 16;
  const double left = room_at_left(y, height) + 6;
  const Box box{left, top, canvas.width() - left - bar_room - 32, height};
  if (box.width < 80 || box.height < 80)
    throw Error("the picture is too small for its texts; give it a larger --size");
  const double high = s.high > s.low ? s.high : s.low + 1;
  const auto colour = [&](double score) { return value_colour((score - s.low) / (high - s.low)); };
  const auto index = [](const std::vector<double>& all, double v) {
    return static_cast<double>(std::ranges::lower_bound(all, v) - all.begin());
  };
  if (grid) canvas.fill(box, {0.93, 0.93, 0.93});
  if (!grid) draw_axes(canvas, box, x, y);
  canvas.begin("candidates");
  for (const auto& [at, score] : best) {
    if (!grid) {
      draw_mark(canvas, place(box, x, y, at.first, at.second), 0, 6, colour(score), {ink, 0.6});
      continue;
    }
    const double width = box.width / static_cast<double>(across.size());
    const double tall = box.height / static_cast<double>(up.size());
    const Spot middle = place(box, x, y, index(across, at.first), index(up, at.second));
    canvas.fill(Box{middle.x - width / 2, middle.y - tall / 2, width, tall}, colour(score));
    constexpr double size = 11;
    const std::string text = fmt::format("{:.4g}", score);
    if (text_width(text, size) + 6 < width && size + 4 < tall)
      canvas.text({middle.x, middle.y + size * 0.36}, text,
                  {size, Anchor::middle, (score - s.low) / (high - s.low) > 0.6 ? black : white});
  }
  canvas.end();
  if (grid) draw_axes(canvas, box, x, y);
  canvas.begin("best");
  if (grid) {
    const double width = box.width / static_cast<double>(across.size());
    const double tall = box.height / static_cast<double>(up.size());
    const Spot m = place(box, x, y, index(across, s.best->values[0]), index(up, s.best->values[1]));
    for (const auto& [pen, in] : {std::pair(Pen{white, 4}, 2.0), std::pair(Pen{black, 2}, 2.0)}) {
      const double w = width / 2 - in;
      const double h = tall / 2 - in;
      canvas.stroke(
          std::array<Spot, 4>{
              {{m.x - w, m.y - h}, {m.x + w, m.y - h}, {m.x + w, m.y + h}, {m.x - w, m.y + h}}},
          pen, true);
    }
  } else {
    canvas.circle(place(box, x, y, s.best->values[0], s.best->values[1]), 10, std::nullopt,
                  Pen{black, 1.8});
  }
  canvas.end();
  draw_bar(canvas, {box.right() + 18, box.y + 18, 16, box.height - 18}, {t.metric, s.low, high},
           value_colour, 0, 1);
}

// Where a kernel without the parameter stands: beyond all numbers, each at a place of its own.
double kernel_place(std::vector<std::string>& kernels, const std::string& kernel) {
  auto at = std::ranges::find(kernels, kernel);
  if (at == kernels.end()) at = kernels.insert(at, kernel);
  return Tune::beyond * static_cast<double>(at - kernels.begin() + 1);
}

const Json* chosen_of(const Json& record, const Json& candidates) {
  if (!record.contains("chosen") || !record["chosen"].is_number_unsigned()) return nullptr;
  const auto number = record["chosen"].get<std::size_t>();
  return number < candidates.size() ? &candidates[number] : nullptr;
}

bool is_chosen(const Json& record, const Json& candidate, const Json& candidates) {
  return chosen_of(record, candidates) == &candidate;
}

// Kernels have rows and columns of their own among cells, and no place among numbers.
void leave_out_kernels(Tune& t) {
  if (t.parameters.size() == 2 && (t.candidates.empty() || is_grid(t))) return;
  std::vector<Tune::Candidate> kept;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < t.candidates.size(); ++i) {
    if (!is_number(t.candidates[i])) {
      ++t.elsewhere;
      continue;
    }
    if (t.best == i) best = kept.size();
    kept.push_back(t.candidates[i]);
  }
  t.candidates = std::move(kept);
  t.best = best;
}

std::string chosen_words(const Json& record, const Json& candidates, const Tune& t) {
  const Json* c = chosen_of(record, candidates);
  if (c == nullptr || t.best || !c->contains("score") || !(*c)["score"].is_number()) return {};
  std::string text;
  if (c->contains("kernel") && (*c)["kernel"].is_string()) text = (*c)["kernel"].get<std::string>();
  if (c->contains("parameters"))
    for (const auto& [name, value] : (*c)["parameters"].items())
      text += (text.empty() ? "" : ", ") + name + " = " +
              (value.is_string() ? value.get<std::string>() : value.dump());
  return fmt::format("{}, {} {:.6g}", text, t.metric, (*c)["score"].get<double>());
}

}  // namespace

Tune read_tune(std::string_view text, const std::string& name,
               const std::vector<std::string>& chosen) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("candidates") || !json["candidates"].is_array())
    throw Error(name + ": not the record of a search: expected a JSON object with \"candidates\"");
  const Json& candidates = json["candidates"];
  auto all = parameters_of(candidates);
  if (all.empty()) throw Error(name + ": no candidate has \"parameters\"");
  Tune t;
  t.metric = json.contains("metric") && json["metric"].is_string()
                 ? json["metric"].get<std::string>()
                 : "score";
  t.less_is_better = json.contains("more_is_better") && json["more_is_better"].is_boolean()
                         ? !json["more_is_better"].get<bool>()
                         : is_error(t.metric);
  if (chosen.empty()) {
    auto order = all;
    std::erase_if(order, [](const auto& p) { return p.second.size() < 2; });
    if (order.empty()) order = all;
    std::ranges::stable_sort(
        order, [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    for (std::size_t k = 0; k < std::min<std::size_t>(2, order.size()); ++k)
      t.parameters.push_back(order[k].first);
  } else {
    for (const auto& c : chosen) {
      if (std::ranges::find(all, c, [](const auto& p) { return p.first; }) == all.end()) {
        std::vector<std::string_view> known;
        std::string list;
        for (const auto& p : all) {
          known.push_back(p.first);
          list += (list.empty() ? "" : ", ") + p.first;
        }
        const std::string guess = nearest(c, known);
        throw Error(fmt::format("{}: there is no parameter {}; there are {}{}", name, c, list,
                                guess.empty() ? "" : "; did you mean '" + guess + "'?"));
      }
      t.parameters.push_back(c);
    }
    if (t.parameters.size() > 2 || (t.parameters.size() == 2 && t.parameters[0] == t.parameters[1]))
      throw Error("a picture shows one parameter, or two different ones");
  }
  for (const auto& p : all)
    if (p.second.size() > 1 && std::ranges::find(t.parameters, p.first) == t.parameters.end())
      t.others.push_back(p.first);
  t.texts.resize(t.parameters.size());
  t.kernels.resize(t.parameters.size());
  for (const auto& c : candidates) {
    if (!c.is_object()) throw Error(name + ": a candidate is not a JSON object");
    const bool scored = c.contains("score") && c["score"].is_number();
    if (!scored || !c.contains("parameters")) {
      ++t.without_score;
      continue;
    }
    Tune::Candidate one;
    one.score = c["score"].get<double>();
    const std::string kernel =
        c.contains("kernel") && c["kernel"].is_string() ? c["kernel"].get<std::string>() : "";
    std::size_t given = 0;
    for (std::size_t p = 0; p < t.parameters.size(); ++p) {
      const bool there = c["parameters"].contains(t.parameters[p]);
      given += there ? 1 : 0;
      one.values.push_back(there ? number_of(c["parameters"][t.parameters[p]], t.texts[p])
                                 : kernel_place(t.kernels[p], kernel));
    }
    if (!std::isfinite(one.score)) {
      ++t.without_score;
    } else if (given == 0 || (given < t.parameters.size() && kernel.empty())) {
      ++t.elsewhere;
    } else {
      if (is_chosen(json, c, candidates)) t.best = t.candidates.size();
      t.candidates.push_back(std::move(one));
    }
  }
  leave_out_kernels(t);
  t.chosen = chosen_words(json, candidates, t);
  // Numbers beside texts would be mistaken for their numbers.
  for (std::size_t p = 0; p < t.parameters.size(); ++p) {
    if (t.texts[p].empty()) continue;
    for (const auto& c : candidates)
      if (c.contains("parameters") && c["parameters"].contains(t.parameters[p]) &&
          c["parameters"][t.parameters[p]].is_number())
        throw Error(fmt::format("{}: the parameter {} is a number here and a text there", name,
                                t.parameters[p]));
  }
  if (t.candidates.empty())
    throw Error(name + ": no candidate has a score, so there is nothing to draw");
  return t;
}

void draw(Canvas& canvas, const Tune& t) {
  const Scores s = scores_of(t);
  std::string note = fmt::format("{} candidates; {}: ", t.candidates.size(),
                                 t.best             ? "chosen"
                                 : t.chosen.empty() ? "best"
                                                    : "best of them");
  for (std::size_t p = 0; p < t.parameters.size(); ++p) {
    const double value = s.best->values[p];
    const std::string text = text_of(t, p, value);
    note += value >= Tune::beyond ? text + ", " : fmt::format("{} = {}, ", t.parameters[p], text);
  }
  note += fmt::format("{} {:.6g}", t.metric, s.best->score);
  if (!t.chosen.empty()) note += "; chosen: " + t.chosen;
  if (!t.others.empty())
    note += fmt::format("; over {} the best is shown", fmt::join(t.others, ", "));
  if (t.elsewhere > 0)
    note += fmt::format("; {} others have no {}", t.elsewhere, fmt::join(t.parameters, " or no "));
  if (t.without_score > 0) note += fmt::format("; {} without a score", t.without_score);
  const double top = draw_title(canvas, t.title, note) + 8;
  if (t.parameters.size() == 1) {
    draw_line(canvas, t, top, s);
  } else {
    draw_plane(canvas, t, top, s);
  }
}

}  // namespace mercer::picture
