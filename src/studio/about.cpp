#include <algorithm>
#include <mercer/catalogue.hpp>
#include <mercer/error.hpp>
#include <mercer/made_data.hpp>
#include <mercer/version.hpp>

#include "studio/answers.hpp"

namespace mercer::studio {

Json about() {
  Json json{{"version", version_text},
            {"limits", {{"points", most_points}, {"cells", most_cells}}}};
  for (const auto& k : catalogue()) {
    if (k.name == "precomputed") continue;  // there is no matrix to compute it from
    Json parameters = Json::array();
    for (const auto& p : k.parameters)
      parameters.push_back({{"name", p.name}, {"default", p.default_value}});
    json["kernels"].push_back({{"name", k.name},
                               {"parameters", parameters},
                               {"formula", k.formula},
                               {"summary", k.summary}});
  }
  for (const auto& m : made_kinds())
    json["data"].push_back({{"name", m.name}, {"summary", m.summary}, {"noise", m.noise}});
  return json;
}

Json points_of(const Table& table) {
  if (table.columns() != 2)
    throw Error("the studio shows two columns of numbers and a class, and there are " +
                std::to_string(table.columns()) + " columns beside the label");
  if (table.labels.empty()) throw Error("there is no column of labels");
  if (table.rows() > most_points)
    throw Error("there are " + std::to_string(table.rows()) + " rows; the studio takes at most " +
                std::to_string(most_points));
  const Signs signs = signs_of(table.labels);
  Json json{{"names", table.names},
            {"classes", {signs.negative, signs.positive}},
            {"points", Json::array()}};
  for (std::size_t i = 0; i < table.rows(); ++i)
    json["points"].push_back({table.points(i, 0), table.points(i, 1), signs.y[i]});
  return json;
}

Json made(const Json& request) {
  MakeOptions how;
  how.rows = count_in(request, "n", 100, 2, most_points);
  how.seed = count_in(request, "seed", 0, 0, 1'000'000'000);
  if (request.contains("noise")) how.noise = number_in(request, "noise", 0, 0, 10);
  return points_of(make_data(text_in(request, "kind", 100), how));
}

Json from_text(const Json& request) {
  return points_of(parse_table(text_in(request, "text", most_bytes), "the file"));
}

}  // namespace mercer::studio
