// The lift and the Gram matrix: the same as in the pictures of `mercer plot`, drawn by the page.
#include <algorithm>
#include <fmt/format.h>
#include <mercer/error.hpp>

#include "picture/gram.hpp"
#include "picture/lift.hpp"
#include "studio/answers.hpp"

namespace mercer::studio {

Json lifted(const Json& request) {
  const Problem p = problem_of(request);
  p.need_classes();
  constexpr std::size_t most = 600;  // more would keep the page waiting
  std::vector<std::size_t> rows;
  std::vector<int> labels;
  for (std::size_t k = 0; k < std::min(most, p.rows()); ++k) {
    rows.push_back(k * p.rows() / std::min(most, p.rows()));
    labels.push_back(p.labels[rows.back()]);
  }
  picture::LiftOptions how;
  how.threads = 1;
  std::size_t all = 3;
  if (request.contains("map")) {
    how.map = FeatureMap::parse(text_in(request, "map", longest_kernel), 2);
    all = how.map->coordinates.size();
    // Of less than three the picture is flat, and of more the first three are seen.
    how.map->coordinates.resize(3, FeatureMap::parse("[0]", 2).coordinates[0]);
  } else {
    how.kernel = p.kernel;
  }
  picture::Lift l = picture::lift(p.table().select(rows), how);
  if (all > 3) l.note = fmt::format("the first three of {} coordinates; {}", all, l.note);
  for (std::size_t k = all; k < 3; ++k) l.names[k] = "";
  if (rows.size() < p.rows()) l.note += fmt::format("; {} of {} points", rows.size(), p.rows());
  Json json{{"names", l.names},
            {"note", l.note},
            {"points", l.points},
            {"labels", labels},
            {"wrong", l.wrong}};
  if (l.plane) json["plane"] = {{"w", l.plane->w}, {"b", l.plane->b}};
  return json;
}

Json gram(const Json& request) {
  const Problem p = problem_of(request);
  constexpr std::size_t most = 300;
  const picture::GramPicture g = picture::gram_picture(*p.kernel, p.table(), most, 1);
  Json json{{"n", g.n},
            {"note", g.note},
            {"eigenvalues", g.eigenvalues},
            {"rounding", g.rounding},
            {"groups", Json::array()}};
  for (const auto& [name, count] : g.groups) json["groups"].push_back({name, count});
  const auto [least, largest] = std::ranges::minmax(g.values);
  json["least"] = least;
  json["largest"] = largest;
  // Four digits are more than a colour shows.
  json["values"] = Json::array();
  for (const double v : g.values) json["values"].push_back(static_cast<float>(v));
  return json;
}

}  // namespace mercer::studio
