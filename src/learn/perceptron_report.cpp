#include "learn/perceptron_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::learn {

using Json = nlohmann::ordered_json;

void report_perceptron(const Perceptron& p, const PerceptronOptions& o, Trained& trained,
                       Json& summary) {
  const auto say = [&](const std::string& name, const std::string& text) {
    trained.report.emplace_back(name, text);
  };
  trained.converged = p.end == Perceptron::End::converged;
  trained.interrupted = p.end == Perceptron::End::interrupted;
  trained.message = p.message;
  std::vector<std::size_t> mistakes;
  for (const auto& pass : p.passes) mistakes.push_back(pass.mistakes);
  say("passes", std::to_string(p.passes.size()));
  say("mistakes",
      fmt::format("{} in all; by pass {}{}", p.updates,
                  fmt::join(mistakes.begin(),
                            mistakes.begin() + static_cast<std::ptrdiff_t>(
                                                   std::min<std::size_t>(12, mistakes.size())),
                            ", "),
                  mistakes.size() > 12 ? ", …" : ""));
  say("radius", fmt::format("R = {:.4g}", p.radius));
  std::vector<std::string> margins;
  for (std::size_t c = 0; c < p.margins.size(); ++c)
    margins.push_back(p.bounds[c] ? fmt::format("{:.4g} (at most (R/γ)² = {:.4g} mistakes)",
                                                p.margins[c], *p.bounds[c])
                                  : fmt::format("{:.4g}", p.margins[c]));
  say("margin", fmt::format("{}", fmt::join(margins, ", ")));
  summary["learner"] = "perceptron";
  summary["options"] = {
      {"passes", o.passes},
      {"order", o.order == PerceptronOptions::Order::cyclic ? "cyclic" : "shuffled"},
      {"margin", o.margin},
      {"averaged", o.averaged},
      {"budget", o.budget},
      {"seed", o.seed}};
  summary["mistakes"] = mistakes;
  summary["updates"] = p.updates;
  summary["radius"] = p.radius;
  summary["margins"] = p.margins;
  Json bounds = Json::array();
  for (const auto& b : p.bounds) bounds.push_back(b ? Json(*b) : Json());
  summary["bounds"] = bounds;
  summary["converged"] = trained.converged;
}

}  // namespace mercer::learn
