// mercer predict MODEL DATA: what a model says about data.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <mercer/table_stream.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/writing.hpp"
#include "data/cell.hpp"
#include "data/npy_header.hpp"
#include "data/sink.hpp"

namespace mercer::cli {

namespace {

struct PredictCall {
  ModelOptions model;
  Output out;
  bool scores = false;
  bool probabilities = false;
  bool json = false;
};

// One batch after the other, as text or as an array.
class Predictions {
 public:
  Predictions(const Model& model, const PredictCall& options)
      : model_(model), scores_(options.scores), probabilities_(options.probabilities) {
    const WrittenAs how = format_of(options.out);
    array_ = how.format == FileFormat::npy;
    delimiter_ = how.format == FileFormat::tsv ? '\t' : ',';
    if (!to_stdout(options.out)) sink_.emplace(options.out.path, how.packed);
    if (array_) {
      for (const auto& name : model.classes) numbers_.push_back(*data::number_in(name));
      text() = data::npy_start(false, unknown_rows, columns().size());
    } else if (sink_ || columns().size() > 1) {
      line(columns());
    }
    flush();
  }

  void add(const Prediction& p, std::size_t i) {
    if (array_) {
      put(p.classes.empty() ? p.scores(i, 0) : numbers_[static_cast<std::size_t>(p.classes[i])]);
    } else if (p.classes.empty()) {
      data::append_number(text(), p.scores(i, 0));
    } else {
      data::append_cell(text(), model_.classes[static_cast<std::size_t>(p.classes[i])]);
    }
    if (scores_) others(p.scores.row(i));
    if (probabilities_) others(p.probabilities.row(i));
    end_row();
  }

  // A row of which the model can say nothing keeps its place.
  void add_empty() {
    const std::size_t cells = columns().size();
    if (array_) {
      for (std::size_t j = 0; j < cells; ++j) put(std::numeric_limits<double>::quiet_NaN());
    } else {
      // Readers of tables pass over lines that are blank.
      if (cells == 1 && sink_) text() += "\"\"";
      text().append(cells - 1, delimiter_);
    }
    end_row();
  }

  void flush() {
    if (sink_) {
      sink_->flush();
    } else {
      std::cout << for_stdout_;
      for_stdout_.clear();
    }
  }

  void finish() {
    flush();
    if (!sink_) return;
    if (array_) sink_->rewrite(0, data::npy_start(false, rows_, columns().size()));
    sink_->commit();
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  // A header with room for any number of rows is as long as that with the number.
  static constexpr std::size_t unknown_rows = std::size_t{1} << 62U;

  [[nodiscard]] std::vector<std::string> columns() const {
    std::vector<std::string> names{"prediction"};
    const auto& classes = model_.classes;
    if (scores_ && model_.scheme == Model::Scheme::one) names.emplace_back("score");
    if (scores_ && model_.scheme == Model::Scheme::per_class)
      for (const auto& c : classes) names.push_back("score " + c);
    if (scores_ && model_.scheme == Model::Scheme::pairs)
      for (std::size_t a = 0; a < classes.size(); ++a)
        for (std::size_t b = a + 1; b < classes.size(); ++b)
          names.push_back("score " + classes[a] + "/" + classes[b]);
    if (probabilities_)
      for (const auto& c : classes) names.push_back("probability " + c);
    return names;
  }

  std::string& text() { return sink_ ? sink_->text : for_stdout_; }

  void line(const std::vector<std::string>& cells) {
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (j > 0) text() += delimiter_;
      data::append_cell(text(), cells[j]);
    }
    text() += '\n';
  }
  void others(std::span<const double> values) {
    for (const double v : values) {
      if (array_) {
        put(v);
      } else {
        text() += delimiter_;
        data::append_number(text(), v);
      }
    }
  }
  void end_row() {
    if (!array_) text() += '\n';
    if (sink_) sink_->flush_if_full();
    ++rows_;
  }
  void put(double value) { text().append(reinterpret_cast<const char*>(&value), sizeof value); }
  const Model& model_;
  bool scores_;
  bool probabilities_;
  bool array_ = false;
  char delimiter_ = ',';
  std::vector<double> numbers_;  // of the classes
  std::size_t rows_ = 0;
  std::string for_stdout_;
  std::optional<data::FileSink> sink_;
};

void check(const PredictCall& options, const Model& model) {
  if (options.probabilities && model.calibration.empty())
    throw Error(options.model.model +
                ": the model has no probabilities, as it was not calibrated; --scores are there");
  const WrittenAs how = format_of(options.out);
  if (how.format == FileFormat::libsvm)
    throw Error(options.out.path + ": predictions are written as .csv, .tsv or .npy");
  if (how.format != FileFormat::npy) return;
  if (to_stdout(options.out) || how.packed)
    throw Error("an array of predictions needs a file .npy, not packed (-o)");
  for (const auto& name : model.classes)
    if (!data::number_in(name))
      throw Error(options.out.path + ": the classes have names, as '" + name +
                  "', and .npy holds numbers; write .csv");
}

ExitCode run_predict(const PredictCall& options) {
  check_output(options.out, options.json, {options.model.model, options.model.data});
  const Model model = load_model(options.model.model).model;
  check(options, model);
  TableStream in(options.model.data, model.encoding, read_options(options.model),
                 TableStream::Labels::ignored);
  PredictOptions how = predict_options(options.model);
  // The first batch is predicted before anything is written.
  std::optional<Predictions> out;
  std::vector<std::size_t> counts(model.classes.size());
  std::size_t skipped = 0;  // rows that were left out, of those in the report
  const auto keep_place = [&] {
    for (const auto& rows = in.report().dropped; skipped < rows.size(); ++skipped) {
      if (rows[skipped] != out->rows()) return;
      out->add_empty();
    }
  };
  while (const auto batch = in.next(rows_at_once)) {
    const Prediction p = predict(model, batch->points, how);
    how.rows_before = in.rows_read();
    for (const auto c : p.classes) ++counts[static_cast<std::size_t>(c)];
    if (!out) out.emplace(model, options);
    for (std::size_t i = 0; i < p.scores.rows; ++i) {
      keep_place();
      out->add(p, i);
    }
    out->flush();
  }
  if (!out) out.emplace(model, options);
  keep_place();
  out->finish();
  const auto notes = notes_of(in.report(), model.encoding, "have no prediction");
  if (options.json) {
    Json json{{"model", options.model.model},
              {"data", options.model.data},
              {"rows", out->rows()},
              {"file", options.out.path}};
    for (std::size_t c = 0; c < counts.size(); ++c) json["predicted"][model.classes[c]] = counts[c];
    json["without_prediction"] = skipped;
    json["notes"] = notes;
    print(json);
    return ExitCode::done;
  }
  if (!to_stdout(options.out))
    print(fmt::format("{}: {} prediction{}", options.out.path, out->rows(),
                      out->rows() == 1 ? "" : "s"));
  print_notes(notes);
  return ExitCode::done;
}

}  // namespace

void add_predict(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<PredictCall>();
  Command* command =
      add_command(program, chosen, "predict", "Apply a model to data", options, run_predict);
  add_model_options(*command, options->model);
  command->add_flag("--scores", options->scores, "the scores beside each prediction");
  command->add_flag("--probabilities", options->probabilities,
                    "the probability of each class, where the model is calibrated");
  add_output_options(*command, options->out.path, options->out.to, options->out.force);
  command->footer(
      "One prediction per line; in files, and with scores, below a line of names. Labels are not\n"
      "needed: a column with the name of the label is passed over, as is the label of LIBSVM.\n"
      "Columns without names are taken by their place; one more than the model has is the "
      "label,\n"
      "and --label says where it stands if it was not the last in training.\n"
      "Every row has its line, an empty one (in .npy nan) where the model leaves out rows with\n"
      "missing values.\n\n"
      "Examples:\n"
      "  mercer predict spam.mercer new.csv\n"
      "  mercer predict spam.mercer new.libsvm.gz --scores -o scores.csv\n"
      "  mercer predict a9a.model a9a.t                   # as svm-train wrote it\n"
      "  zcat log.csv.gz | mercer predict spam.mercer /dev/stdin");
}

}  // namespace mercer::cli
