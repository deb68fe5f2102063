// mercer evaluate MODEL DATA: how good is a model on data with labels?
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mercer/error.hpp>
#include <mercer/metrics.hpp>
#include <mercer/model.hpp>
#include <mercer/table_stream.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "data/place.hpp"
#include "select/truth.hpp"

namespace mercer::cli {

namespace {

struct EvaluateCall {
  ModelOptions model;
  std::string weight;
  bool json = false;
};

struct Result {
  std::optional<ClassificationScore> classes;
  RegressionScore numbers;
  std::map<std::string, std::size_t> unknown;  // labels and their rows, the first ones
  std::vector<std::string> notes;
};

// The number of a label; others than the model's are told to the score.
std::int32_t class_of(const select::ClassFinder& known, const std::string& text, Result& result) {
  if (const auto number = known(text)) return *number;
  constexpr std::size_t most = 20;
  if (result.unknown.size() < most || result.unknown.contains(text)) ++result.unknown[text];
  return result.classes->other(text);
}

[[noreturn]] void no_labels(const EvaluateCall& options, const Model& model) {
  const std::string& name =
      options.model.label.empty() ? model.encoding.label : options.model.label;
  throw Error(options.model.data + ": there are no labels" +
              (name.empty() ? "" : " in a column " + data::shown(name)) +
              "; --label names the column, and `mercer predict` needs none");
}

std::vector<double> numbers_of(const Labels& labels, const EvaluateCall& options) {
  if (labels.numbers.empty())
    throw Error(options.model.data + ": the label " + data::shown(labels.text(0)) +
                " is text, and the model predicts numbers");
  return labels.numbers;
}

Result evaluate(const Model& model, const EvaluateCall& options) {
  ReadOptions read = read_options(options.model);
  read.weight = options.weight;
  read.text_labels = model.task == Model::Task::classification && !model.numeric_classes;
  TableStream in(options.model.data, model.encoding, read);
  PredictOptions how = predict_options(options.model);
  Result result;
  if (model.task == Model::Task::classification) result.classes.emplace(model.classes);
  const select::ClassFinder known(model.classes);
  double weight = 0;
  while (const auto batch = in.next(rows_at_once)) {
    if (batch->labels.empty()) no_labels(options, model);
    for (const double w : batch->weights) weight += w;
    const Prediction p = predict(model, batch->points, how);
    how.rows_before = in.rows_read();
    if (!result.classes) {
      result.numbers.add(numbers_of(batch->labels, options), p.scores.values, batch->weights);
      continue;
    }
    std::vector<std::int32_t> truth;
    for (std::size_t i = 0; i < batch->rows(); ++i)
      truth.push_back(class_of(known, batch->labels.text(i), result));
    result.classes->add(truth, p.classes, merits(model, p), p.probabilities, batch->weights);
  }
  if (!options.weight.empty() && weight == 0)
    throw Error(options.model.data + ": all weights in " + data::shown(options.weight) +
                " are 0: no row counts");
  result.notes = notes_of(in.report(), model.encoding);
  if (result.classes && result.classes->other_rows() > 0) {
    std::string names;
    for (const auto& [name, rows] : result.unknown)
      names += (names.empty() ? "" : ", ") + data::shown(name);
    if (result.unknown.size() < result.classes->others().size()) names += ", …";
    const std::size_t rows = result.classes->other_rows();
    result.notes.push_back(
        fmt::format("{} row{} with labels that the model does not know count as "
                    "mistakes: {}",
                    rows, rows == 1 ? "" : "s", names));
  }
  return result;
}

std::string shown_number(const std::optional<double>& v) {
  return v ? fmt::format("{:.4f}", *v) : "none";
}

// Of what F1 is the mean.
std::string taken_over(const ClassificationScore& score) {
  const std::size_t classes = score.classes().size();
  const std::size_t others = score.others().size();
  const auto all = score.per_class();
  const auto occur = static_cast<std::size_t>(
      std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(classes),
                    [](const auto& of) { return of.rows + of.predicted > 0; }));
  std::string text = occur == classes
                         ? fmt::format("the {} classes", classes)
                         : fmt::format("the {} of {} classes that occur", occur, classes);
  if (others > 0)
    text += fmt::format(" and {} label{} unknown to the model", others, others == 1 ? "" : "s");
  return "the mean over " + text;
}

std::string show(const ClassificationScore& score) {
  std::vector<std::pair<std::string, std::string>> rows{
      {"rows", std::to_string(score.rows())},
      {"accuracy", fmt::format("{:.4f}", score.accuracy())},
      {"balanced",
       fmt::format("{:.4f}, the mean recall of the classes", score.balanced_accuracy())},
      {"F1", fmt::format("{:.4f}, {}", score.macro_f1(), taken_over(score))},
      {"AUC", shown_number(score.auc()) +
                  (score.classes().size() > 2 ? ", the mean of each class against the rest" : "")}};
  if (const auto loss = score.log_loss()) rows.emplace_back("log-loss", shown_number(loss));
  std::string text = aligned(rows) + "\n";
  constexpr std::size_t most = 12;
  std::vector<std::string> names = score.classes();
  names.insert(names.end(), score.others().begin(), score.others().end());
  std::vector<std::vector<std::string>> lines{{"class", "precision", "recall", "F1", "rows"}};
  const auto all = score.per_class();
  for (std::size_t c = 0; c < std::min(most, names.size()); ++c)
    lines.push_back({names[c], fmt::format("{:.4f}", all[c].precision),
                     fmt::format("{:.4f}", all[c].recall), fmt::format("{:.4f}", all[c].f1),
                     fmt::format("{:.6g}", all[c].rows)});
  text += grid(lines);
  if (names.size() > most)
    return text + fmt::format("\n… and {} more classes; --json has them, and the confusion matrix",
                              names.size() - most);
  lines.assign(1, {"true \\ predicted"});
  for (const auto& name : score.classes()) lines[0].push_back(name);
  const Matrix confusion = score.confusion();
  for (std::size_t a = 0; a < names.size(); ++a) {
    lines.push_back({names[a]});
    for (const double n : confusion.row(a)) lines.back().push_back(fmt::format("{:.6g}", n));
  }
  return text + "\n" + grid(lines);
}

std::string show(const RegressionScore& score) {
  return aligned(
      {{"rows", std::to_string(score.rows())},
       {"RMSE", fmt::format("{:.6g}", score.rmse())},
       {"MAE", fmt::format("{:.6g}", score.mae())},
       {"R²", score.r2() ? fmt::format("{:.6g}", *score.r2()) : "none: all labels are the same"}});
}

Json number_or_null(const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); }

Json to_json(const Result& result, const EvaluateCall& options) {
  Json json{{"model", options.model.model}, {"data", options.model.data}};
  if (!result.classes) {
    const auto& s = result.numbers;
    json["task"] = "regression";
    json["rows"] = s.rows();
    json["rmse"] = s.rmse();
    json["mae"] = s.mae();
    json["r2"] = number_or_null(s.r2());
    json["notes"] = result.notes;
    return json;
  }
  const auto& s = *result.classes;
  json["task"] = "classification";
  json["rows"] = s.rows();
  json["accuracy"] = s.accuracy();
  json["balanced_accuracy"] = s.balanced_accuracy();
  json["f1"] = s.macro_f1();
  json["auc"] = number_or_null(s.auc());
  json["log_loss"] = number_or_null(s.log_loss());
  const auto all = s.per_class();
  const std::size_t known = s.classes().size();
  for (std::size_t c = 0; c < all.size(); ++c)
    json["classes"].push_back({{"name", c < known ? s.classes()[c] : s.others()[c - known]},
                               {"known", c < known},
                               {"precision", all[c].precision},
                               {"recall", all[c].recall},
                               {"f1", all[c].f1},
                               {"rows", all[c].rows},
                               {"predicted", all[c].predicted}});
  constexpr std::size_t most = 1000;  // a larger matrix is nothing to look at
  if (all.size() <= most) {
    const Matrix confusion = s.confusion();
    for (std::size_t a = 0; a < all.size(); ++a) {
      const auto row = confusion.row(a);
      json["confusion"].push_back(std::vector<double>(row.begin(), row.end()));
    }
  }
  json["unknown_labels"] = {{"rows", s.other_rows()}, {"labels", Json::object()}};
  for (const auto& [name, rows] : result.unknown) json["unknown_labels"]["labels"][name] = rows;
  json["notes"] = result.notes;
  return json;
}

ExitCode run_evaluate(const EvaluateCall& options) {
  const Model model = load_model(options.model.model).model;
  const Result result = evaluate(model, options);
  if (options.json) {
    print(to_json(result, options));
    return done;
  }
  print(result.classes ? show(*result.classes) : show(result.numbers));
  print_notes(result.notes);
  return done;
}

}  // namespace

void add_evaluate(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<EvaluateCall>();
  Command* command = add_command(program, chosen, "evaluate", "Measure a model on data with labels",
                                 options, run_evaluate);
  add_model_options(*command, options->model);
  command->add_option("--weight", options->weight, "the column of the weights of the rows")
      ->type_name("COLUMN");
  command->footer(
      "Of classes: accuracy, F1, AUC, precision and recall of each, who is taken for whom. Of\n"
      "numbers: root of the mean squared error, mean absolute error, R². Labels that the model "
      "does\n"
      "not know are classes of their own that are never predicted: mistakes, with F1 = 0. F1 is\n"
      "the mean over the classes and labels that occur, as truth or as prediction.\n\n"
      "Examples:\n"
      "  mercer evaluate spam.mercer test.csv\n"
      "  mercer evaluate spam.mercer test.libsvm.gz --json");
}

}  // namespace mercer::cli
