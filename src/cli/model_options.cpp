#include "cli/model_options.hpp"

#include <fmt/format.h>
#include <iostream>

#include "cli/table_options.hpp"
#include "data/place.hpp"
#include "data/source.hpp"
#include "model/file.hpp"
#include "model/libsvm_reader.hpp"

namespace mercer::cli {

namespace {

std::string rows(std::size_t count) {
  return fmt::format("{} row{}", count, count == 1 ? "" : "s");
}

}  // namespace

ModelFile load_model(const std::string& path) {
  const data::Source source = data::open_source(path);
  if (model::is_libsvm(source.content))
    return {model::read_libsvm(source, 0), source.content.size(), std::nullopt};
  Model::FileFacts facts;
  Model model = model::read_file(source, &facts);
  return {std::move(model), facts.size, facts};
}

void add_model_options(Command& command, ModelOptions& options) {
  command.add_option("MODEL", options.model, "the model, as mercer or LIBSVM wrote it")->required();
  command
      .add_option(
          "DATA", options.data,
          "the data: LIBSVM, text in columns or .npy, each also in .gz; read some rows at a "
          "time")
      ->required();
  command
      .add_option("--label", options.label,
                  "the column of the labels, by name or by number; else as in training")
      ->type_name("COLUMN");
  auto* header =
      command.add_flag("--header", options.header, "the first line holds names of columns");
  command
      .add_flag("--no-header", options.no_header,
                "the first line is data; columns are taken by place")
      ->excludes(header);
  add_format_options(command, options.format, options.zero_based);
  add_computing_options(command, options.computing);
}

ReadOptions read_options(const ModelOptions& options) {
  TableOptions table;
  table.format = options.format;
  table.zero_based = options.zero_based;
  table.header = options.header;
  table.no_header = options.no_header;
  ReadOptions how = read_options(table);
  how.threads = options.computing.threads;
  if (!options.label.empty()) {
    how.labels = ReadOptions::Labels::column;
    how.label = options.label;
  }
  return how;
}

PredictOptions predict_options(const ModelOptions& options) {
  const auto& how = options.computing;
  return {how.threads, how.precision == "double", how.instructions, 0};
}

std::vector<std::string> notes_of(const EncodingReport& report, const Encoding& encoding,
                                  const std::string& fate) {
  std::vector<std::string> notes;
  if (report.by_place)
    notes.emplace_back(
        "the file has no names of columns; they are taken by place, in the order of the training "
        "data, and one more as the label");
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < report.unseen.size(); ++i) {
    if (i == most) {
      notes.push_back(fmt::format("{} more such categories", report.unseen.size() - most));
      break;
    }
    const auto& u = report.unseen[i];
    notes.push_back(
        fmt::format("{}{} was not there in training; it counts as none of the "
                    "categories ({})",
                    data::shown(u.level),
                    u.column.empty() ? "" : " in column " + data::shown(u.column), rows(u.rows)));
  }
  if (report.ignored > 0)
    notes.push_back(fmt::format("{} entries beyond the {} columns of training are ignored",
                                report.ignored, encoding.dimension));
  if (report.filled > 0)
    notes.push_back(fmt::format("{} missing values are filled in", report.filled));
  if (!report.dropped.empty()) {
    std::string which;
    for (std::size_t i = 0; i < report.dropped.size() && i < most; ++i)
      which += (which.empty() ? "" : ", ") + std::to_string(report.dropped[i] + 1);
    if (report.dropped.size() > most) which += ", …";
    notes.push_back(
        fmt::format("{} with missing values {}: {}", rows(report.dropped.size()), fate, which));
  }
  return notes;
}

void print_notes(const std::vector<std::string>& notes) {
  std::cout.flush();
  for (const auto& note : notes) std::cerr << "note: " << note << '\n';
}

}  // namespace mercer::cli
