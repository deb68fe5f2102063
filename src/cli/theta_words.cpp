#include "cli/theta_words.hpp"

#include <fmt/format.h>

#include <mercer/error.hpp>
#include <mercer/theta.hpp>

namespace mercer::cli {

namespace {

ThetaWords left_out(const std::string& why) {
  return {{{"theta", "not written out: " + why}}, {{"left_out", why}}};
}

}  // namespace

ThetaWords theta_words(const Model& model) {
  Theta t;
  try {
    t = theta(model);
  } catch (const Error& error) {
    return left_out(error.what());
  }
  if (!t.why.empty()) return left_out(t.why);
  ThetaWords words;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < t.map.coordinates.size(); ++j) names.push_back(t.map.text(j));
  Json weights = Json::array();
  for (std::size_t c = 0; c < t.weights.columns; ++c) {
    Json column = Json::array();
    for (std::size_t j = 0; j < t.weights.rows; ++j) column.push_back(t.weights(j, c));
    weights.push_back(column);
  }
  words.json = {{"features", names}, {"weights", weights}, {"offsets", model.offsets}};
  constexpr std::size_t most_scores = 6;
  if (t.weights.columns > most_scores) {
    words.rows.emplace_back(
        "theta", fmt::format("{} weights for each of {} scores: --json has them", t.weights.rows,
                             t.weights.columns));
    return words;
  }
  const auto add = [&](const std::string& name, const auto& values, const std::string& of) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const double v : values) texts.push_back(fmt::format("{:.6g}", v));
    words.rows.emplace_back(words.rows.empty() ? "theta" : "",
                            fmt::format("{} = {}{}", name, fmt::join(texts, ", "), of));
  };
  for (std::size_t j = 0; j < names.size(); ++j)
    add(fmt::format("θ{}", j + 1), t.weights.row(j), fmt::format(" for φ{} = {}", j + 1, names[j]));
  add("b", model.offsets, "");
  return words;
}

}  // namespace mercer::cli
