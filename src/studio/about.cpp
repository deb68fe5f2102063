#include <algorithm>
#include <mercer/catalogue.hpp>
#include <mercer/error.hpp>
#include <mercer/made_data.hpp>
#include <mercer/version.hpp>

#include "studio/answers.hpp"

namespace mercer::studio {

namespace {

// Classes that have the names of ours keep them; others are numbered.
std::vector<int> labels_for(const std::vector<std::string>& names) {
  std::vector<int> labels;
  for (const int label : class_labels)
    if (std::ranges::find(names, std::to_string(label)) != names.end()) labels.push_back(label);
  if (labels.size() == names.size()) return labels;
  return {class_labels.begin(), class_labels.begin() + static_cast<std::ptrdiff_t>(names.size())};
}

}  // namespace

Json about() {
  Json json{{"version", version_text},
            {"limits", {{"points", most_points}, {"cells", most_cells}}},
            {"labels", class_labels}};
  for (const auto& k : catalogue()) {
    if (k.name == "precomputed") continue;  // there is no matrix to compute it from
    Json parameters = Json::array();
    for (const auto& p : k.parameters)
      parameters.push_back(
          {{"name", p.name}, {"default", p.default_value}, {"range", p.range}, {"help", p.help}});
    json["kernels"].push_back({{"name", k.name},
                               {"parameters", parameters},
                               {"formula", k.formula},
                               {"domain", k.domain},
                               {"summary", k.summary}});
  }
  json["functions"] = language_functions();
  for (const auto& m : made_kinds())
    json["data"].push_back({{"name", m.name},
                            {"summary", m.summary},
                            {"noise", m.noise},
                            {"any_classes", m.any_classes}});
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
  const Classes classes = classes_of(table.labels);
  if (classes.names.size() < 2) throw Error("all labels are the same: there is one class only");
  if (classes.names.size() > class_labels.size())
    throw Error("the labels have " + std::to_string(classes.names.size()) +
                " values; the studio shows at most " + std::to_string(class_labels.size()) +
                " classes");
  const auto labels = labels_for(classes.names);
  Json json{{"names", table.names}, {"classes", Json::array()}, {"points", Json::array()}};
  for (std::size_t c = 0; c < labels.size(); ++c)
    json["classes"].push_back({{"label", labels[c]}, {"name", classes.names[c]}});
  for (std::size_t i = 0; i < table.rows(); ++i)
    json["points"].push_back({coordinate(table.points(i, 0), i), coordinate(table.points(i, 1), i),
                              labels[static_cast<std::size_t>(classes.codes[i])]});
  return json;
}

Json made(const Json& request) {
  MakeOptions how;
  how.rows = count_in(request, "n", 100, 2, most_points);
  how.seed = count_in(request, "seed", 0, 0, 1'000'000'000);
  how.classes = count_in(request, "classes", 2, 2, class_labels.size());
  if (request.contains("noise")) how.noise = number_in(request, "noise", 0, 0, 10);
  return points_of(make_data(text_in(request, "kind", 100), how));
}

Json from_text(const Json& request) {
  return points_of(parse_table(text_in(request, "text", most_bytes), "the file"));
}

}  // namespace mercer::studio
