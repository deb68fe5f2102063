// mercer plot boundary, mercer plot roc: pictures of what a model says.
#include <fmt/format.h>

#include <filesystem>
#include <mercer/error.hpp>
#include <mercer/table_stream.hpp>

#include "cli/model_options.hpp"
#include "cli/plot.hpp"
#include "picture/boundary.hpp"
#include "picture/colours.hpp"
#include "picture/roc.hpp"

namespace mercer::cli {

namespace {

struct Options {
  ModelOptions model;
  std::vector<std::string> columns;
  PictureOptions picture;
  bool json = false;
};

struct Data {
  Model model;
  Table table;
  std::vector<std::string> notes;
};

Data read_data(const Options& options) {
  Data data{load_model(options.model.model).model, {}, {}};
  ReadOptions read = read_options(options.model);
  read.text_labels = data.model.task == Model::Task::classification && !data.model.numeric_classes;
  EncodingReport report;
  data.table = read_encoded(options.model.data, data.model.encoding, read, &report);
  data.notes = notes_of(report, data.model.encoding);
  return data;
}

std::string stem(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

PictureOptions with_json(const Options& options) {
  PictureOptions p = options.picture;
  p.json = options.json;
  return p;
}

// Values at both ends, in the units of the file, and the pixels they are at.
Json axis_json(const picture::Axis& axis, double from, double to) {
  return {{"name", axis.name},
          {"low", axis.low * axis.scale + axis.center},
          {"high", axis.high * axis.scale + axis.center},
          {"from", from},
          {"to", to}};
}

ExitCode run_boundary(const Options& options) {
  const std::string path = picture_path(options.picture, options.model.model, "boundary",
                                        {options.model.model, options.model.data});
  picture::Drawing drawing = sheet(options.picture);
  const Data data = read_data(options);
  picture::BoundaryOptions how;
  how.width = drawing.width;
  how.height = drawing.height;
  how.name = stem(options.model.model);
  how.columns = options.columns;
  how.predict = predict_options(options.model);
  const picture::Boundary b = picture::boundary(data.model, data.table, how);
  drawing.title = b.title;
  drawing.draw = [&](picture::Canvas& canvas) { draw(canvas, b); };

  std::string about = fmt::format("{} points", data.table.rows());
  if (b.labelled > 0) about += fmt::format(", {} mistaken", b.mistakes);
  if (!b.plane.note.empty()) about += "; " + b.plane.note;
  Json facts{{"points", data.table.rows()},
             {"drawn", b.points.size()},
             {"mistaken", b.labelled > 0 ? Json(b.mistakes) : Json(nullptr)},
             {"x", axis_json(b.plane.x, b.box.x, b.box.right())},
             {"y", axis_json(b.plane.y, b.box.bottom(), b.box.y)},
             {"held", Json::object()},
             {"cells", {b.columns, b.rows}}};
  for (const auto& [name, value] : b.plane.held) facts["held"][name] = value;
  if (!b.plane.note.empty()) facts["plane"] = b.plane.note;
  for (std::size_t c = 0; c < b.names.size(); ++c)
    facts["classes"].push_back(
        {{"name", b.names[c]}, {"colour", picture::hex(picture::class_colour(c))}});
  return finish_picture(with_json(options), path, drawing, about, facts, data.notes);
}

ExitCode run_roc(const Options& options) {
  const std::string path = picture_path(options.picture, options.model.model, "roc",
                                        {options.model.model, options.model.data});
  picture::Drawing drawing = sheet(options.picture);
  const Data data = read_data(options);
  picture::Roc r = picture::roc(data.model, data.table, predict_options(options.model));
  r.title = drawing.title =
      "ROC of " + stem(options.model.model) + " on " + stem(options.model.data);
  drawing.draw = [&](picture::Canvas& canvas) { draw(canvas, r); };
  Json facts{{"rows", data.table.rows()}};
  std::string about;
  for (const auto& c : r.curves) {
    facts["curves"].push_back({{"class", c.name}, {"auc", c.auc}});
    about += fmt::format("{}{} AUC {:.4f}", about.empty() ? "" : ", ", c.name, c.auc);
  }
  return finish_picture(with_json(options), path, drawing, about, facts, data.notes);
}

}  // namespace

void add_plot_boundary(Command& plot, Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  Command* command =
      add_command(plot, chosen, "boundary", "What a model says at every place, with data on top",
                  options, run_boundary);
  add_model_options(*command, options->model);
  command
      ->add_option("--columns", options->columns,
                   "the two columns to show, by name or by number; else, where there are more than "
                   "two, principal components")
      ->delimiter(',')
      ->type_name("A,B");
  add_picture_options(*command, options->picture);
  command->footer(
      "Regions have the colours of the classes; the line is the boundary, dashes are the margins "
      "of\n"
      "support vectors, which have rings; crosses are mistakes. Columns that are not shown are "
      "held\n"
      "at their median, categories at the most frequent one, and the picture says so. A model of\n"
      "numbers is shown by its values. Without labels in DATA the points are grey.\n\n"
      "Examples:\n"
      "  mercer plot boundary moons.mercer moons.csv\n"
      "  mercer plot boundary pima.mercer pima.csv --columns glucose,bmi -o pima.svg");
}

void add_plot_roc(Command& plot, Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  Command* command =
      add_command(plot, chosen, "roc", "How well the scores of a model rank", options, run_roc);
  add_model_options(*command, options->model);
  add_picture_options(*command, options->picture);
  command->footer(
      "For every threshold, how much of a class is above it against how much of the others. Of "
      "two\n"
      "classes the curve is that of the second one, of more there is one for each.\n\n"
      "Examples:\n"
      "  mercer plot roc spam.mercer test.csv");
}

}  // namespace mercer::cli
