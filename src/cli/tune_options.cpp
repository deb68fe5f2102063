#include "cli/tune_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "cli/choosing.hpp"
#include "cli/values.hpp"
#include "data/cell.hpp"

namespace mercer::cli {

namespace {

double number_of(const std::string& text, const std::string& where) {
  const auto v = data::number_in(text);
  if (!v || !std::isfinite(*v)) throw Error(where + ": `" + text + "` is not a number");
  return *v;
}

// "C=1,10,100" or "gamma=0.01:100:5", five powers from one to the other.
void read_grid(const std::string& item, std::map<std::string, std::vector<double>>& grid) {
  const auto at = item.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == item.size())
    throw Error("--grid " + item + ": write NAME=VALUE,VALUE,… or NAME=FROM:TO:COUNT");
  const std::string name = item.substr(0, at);
  const std::string rest = item.substr(at + 1);
  std::vector<double> values;
  const auto part = [&](char separator) {
    std::vector<std::string> parts(1);
    for (const char c : rest) {
      if (c == separator) {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
    return parts;
  };
  if (rest.find(':') != std::string::npos) {
    const auto parts = part(':');
    if (parts.size() != 3) throw Error("--grid " + item + ": write NAME=FROM:TO:COUNT");
    const double from = number_of(parts[0], "--grid " + item);
    const double to = number_of(parts[1], "--grid " + item);
    const double count = number_of(parts[2], "--grid " + item);
    if (!(from > 0) || !(to > from) || count != std::floor(count) || count < 2 || count > 1000)
      throw Error("--grid " + item + ": powers need 0 < FROM < TO and a COUNT of 2 to 1000");
    for (int i = 0; i < static_cast<int>(count); ++i)
      values.push_back(with_digits(from * std::pow(to / from, i / (count - 1)), 6));
  } else {
    for (const auto& p : part(',')) values.push_back(number_of(p, "--grid " + item));
  }
  if (!grid.emplace(name, values).second) throw Error("--grid gives " + name + " twice");
}

// "60s", "5m", "2h": a time; "200": scores.
void read_budget(const std::string& text, TuneOptions& options) {
  if (text.empty()) return;
  const char last = text.back();
  const double unit = last == 's' ? 1 : last == 'm' ? 60 : last == 'h' ? 3600 : 0;
  const auto v = data::number_in(unit == 0 ? text : text.substr(0, text.size() - 1));
  if (!v || !(*v > 0) || !std::isfinite(*v) || (unit == 0 && *v != std::floor(*v)))
    throw Error("--budget " + text + ": write a time as 60s, 5m or 2h, or a number of scores");
  if (unit == 0) {
    options.candidates = static_cast<std::size_t>(*v);
  } else {
    options.seconds = *v * unit;
  }
}

}  // namespace

// Separated by commas that stand in no parentheses.
std::vector<Kernel> kernels_in(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  std::vector<Kernel> kernels;
  for (const auto& p : parts) {
    if (p.find_first_not_of(" \t\n") == std::string::npos)
      throw Error("--kernels " + text + ": a kernel is missing between the commas");
    kernels.push_back(Kernel::parse(p));
  }
  return kernels;
}

void add_search_options(Command& c, SearchOptions& o) {
  add_table_options(c, o.learner.table);
  c.add_option("--kernels", o.kernels,
               "what is tried, with commas between them; ? is a parameter to choose, ?[0.01,10] "
               "within a range; else rbf(gamma=?)")
      ->type_name("EXPR,…");
  c.add_option("--learner", o.learner.learner,
               "svm, support vectors (for classes if absent); ridge (for regression if absent)")
      ->check(one_of({"svm", "ridge"}))
      ->type_name("WHICH");
  c.add_option("--task", o.learner.task,
               "classification or regression; else by the labels, as in `mercer train`")
      ->check(one_of({"classification", "regression"}))
      ->type_name("WHICH");
  c.add_option("--scale", o.learner.scale, "as in `mercer train`")
      ->check(one_of({"standard", "minmax", "none"}))
      ->type_name("HOW");
  c.add_option("--metric", o.metric,
               "what to choose by: accuracy (if absent), balanced_accuracy, f1, auc, log_loss; of "
               "regression rmse (if absent), mae, r2")
      ->check(
          one_of({"accuracy", "balanced_accuracy", "f1", "auc", "log_loss", "rmse", "mae", "r2"}))
      ->type_name("WHICH");
  c.add_option("--budget", o.budget,
               "a time (60s, 5m, 2h), or a number of scores; the best so far is taken then")
      ->type_name("TIME|N");
  c.add_option("--epsilon", o.learner.epsilon, "svm, regression: errors up to this are free")
      ->type_name("E");
  c.add_option("--multiclass", o.learner.multiclass, "svm: pairs (if absent) or rest")
      ->check(one_of({"pairs", "rest"}))
      ->type_name("HOW");
  c.add_option("--class-weight", o.learner.class_weights, "as in `mercer train`")
      ->delimiter(',')
      ->type_name("WEIGHTS");
  add_group_option(c, o.groups);
  c.add_option("--rows", o.rows, "take part in the search, at most")
      ->check(whole_number(10))
      ->type_name("N");
  c.add_option("--seed", o.learner.seed, "of everything random")
      ->check(whole_number(0))
      ->type_name("S")
      ->capture_default_str();
  c.add_option("-o,--out", o.learner.out, "the model; else the name of DATA with .mercer")
      ->type_name("MODEL");
  c.add_flag("--force", o.learner.force, "replace files that are there");
  add_computing_options(c, o.learner.computing);
  c.add_option("--memory", o.learner.memory, "for kernel values, in MiB, or 500M, 4G")
      ->transform(mebibytes())
      ->type_name("SIZE")
      ->capture_default_str();
}

TuneOptions tune_options(const SearchOptions& o) {
  TuneOptions t;
  t.train = train_options(o.learner, learner_of(o.learner));
  // Candidates are told apart long before they are solved to the last digit.
  constexpr double enough = 1e-2;
  if (!o.learner.tolerance) t.train.svm.tolerance = enough;
  if (!o.kernels.empty()) t.kernels = kernels_in(o.kernels);
  for (const auto& item : o.grid) read_grid(item, t.grid);
  read_budget(o.budget, t);
  t.metric = o.metric;
  t.folds = o.folds;
  t.rows = o.rows;
  t.compose = o.compose;
  t.search = o.search == "grid" ? TuneOptions::Search::grid : TuneOptions::Search::halving;
  t.memory = o.learner.memory << 20U;
  return t;
}

std::vector<std::pair<std::string, std::string>> lines_of(const Tuned& tuned) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& line : tuned.story) rows.emplace_back("tried", line);
  const Candidate& best = tuned.best();
  const auto given_up =
      std::ranges::count_if(tuned.candidates, [](const Candidate& c) { return !c.converged; });
  rows.emplace_back(
      "scores", fmt::format("{}, of {:.3g} million kernel values{}", tuned.candidates.size(),
                            tuned.kernel_values / 1e6,
                            given_up == 0 ? ""
                                          : fmt::format("; {} of them rough: solving took too long "
                                                        "(not converged)",
                                                        given_up)));
  rows.emplace_back("chosen",
                    fmt::format("{} with {} = {:g}", best.kernel.text(),
                                tuned.learner == Learner::ridge ? "lambda" : "C", best.price));
  rows.emplace_back(
      tuned.metric,
      fmt::format("{:.4f} ± {:.4f} in cross-validation on {} rows; of the best of many, "
                  "so a little too good",
                  best.score, best.deviation, best.rows));
  return rows;
}

}  // namespace mercer::cli
