// mercer plot trace, mercer plot tune: pictures of what was written down.
#include <fmt/format.h>

#include <filesystem>
#include <mercer/error.hpp>

#include "cli/plot.hpp"
#include "data/source.hpp"
#include "picture/trace.hpp"
#include "picture/tune.hpp"

namespace mercer::cli {

namespace {

struct Options {
  std::string file;
  std::vector<std::string> parameters;
  PictureOptions picture;
  bool json = false;
};

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

PictureOptions with_json(const Options& options) {
  PictureOptions p = options.picture;
  p.json = options.json;
  return p;
}

ExitCode run_trace(const Options& options) {
  const std::string path = picture_path(options.picture, options.file, "trace", {options.file});
  picture::Drawing drawing = sheet(options.picture);
  const data::Source source = data::open_source(options.file);
  picture::Trace t = picture::read_trace(source.content, options.file);
  t.title = drawing.title = "Training, as " + name_of(options.file) + " tells";
  drawing.draw = [&](picture::Canvas& canvas) { draw(canvas, t); };
  Json facts;
  std::string about;
  for (const auto& s : t.series) {
    facts["series"].push_back({{"name", s.name},
                               {"unit", s.unit},
                               {"steps", s.values.size()},
                               {"last", s.values.back().second}});
    about += fmt::format("{}{} {:.4g} after {} {:.6g}", about.empty() ? "" : ", ", s.name,
                         s.values.back().second, s.unit, s.values.back().first);
  }
  return finish_picture(with_json(options), path, drawing, about, facts);
}

ExitCode run_tune(const Options& options) {
  const std::string path = picture_path(options.picture, options.file, "tune", {options.file});
  picture::Drawing drawing = sheet(options.picture);
  const data::Source source = data::open_source(options.file);
  picture::Tune t = picture::read_tune(source.content, options.file, options.parameters);
  t.title = drawing.title = "Search, as " + name_of(options.file) + " tells";
  drawing.draw = [&](picture::Canvas& canvas) { draw(canvas, t); };
  const Json facts{{"metric", t.metric},
                   {"parameters", t.parameters},
                   {"candidates", t.candidates.size()},
                   {"without_score", t.without_score},
                   {"elsewhere", t.elsewhere}};
  std::string about = fmt::format("{} of {} candidates", t.metric, t.candidates.size());
  if (t.elsewhere > 0) about += fmt::format("; {} others are not shown", t.elsewhere);
  if (!t.chosen.empty()) about += "; chosen: " + t.chosen;
  return finish_picture(with_json(options), path, drawing, about, facts);
}

}  // namespace

void add_plot_trace(Command& plot, Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  Command* command = add_command(plot, chosen, "trace", "How a training went: mistakes, loss, gap",
                                 options, run_trace);
  command->add_option("FILE", options->file, "what `mercer train --trace` wrote")->required();
  add_picture_options(*command, options->picture);
  command->footer(
      "A panel for each quantity, the four most telling ones; those that shrink by far have a\n"
      "logarithmic scale.\n\n"
      "Examples:\n"
      "  mercer train moons.csv --learner perceptron --trace t.jsonl && mercer plot trace t.jsonl");
}

void add_plot_tune(Command& plot, Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  Command* command =
      add_command(plot, chosen, "tune", "The scores that a search found", options, run_tune);
  command->add_option("FILE", options->file, "the JSON record of a search")->required();
  command
      ->add_option("--parameters", options->parameters,
                   "the one or two to show; else the two with the most values")
      ->delimiter(',')
      ->type_name("A,B");
  add_picture_options(*command, options->picture);
  command->footer(
      "The record is a JSON object: {\"metric\": \"accuracy\", \"candidates\": [{\"parameters\":\n"
      "{\"C\": 1, \"gamma\": 0.5}, \"score\": 0.97}, …]}. Over parameters that are not shown, the "
      "best\n"
      "score counts.\n\n"
      "Examples:\n"
      "  mercer plot tune search.json --parameters C,gamma");
}

}  // namespace mercer::cli
