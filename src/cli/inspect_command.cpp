// mercer inspect MODEL: what is in a model's file?
#include <algorithm>
#include <fmt/format.h>
#include <mercer/model.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/theta_words.hpp"
#include "data/place.hpp"

namespace mercer::cli {

namespace {

struct InspectCall {
  std::string model;
  bool json = false;
};

using Lines = std::vector<std::pair<std::string, std::string>>;

// Names come from a file: what would move the cursor is shown as text.
std::string harmless(const std::string& name) {
  const bool plain = std::ranges::all_of(
      name, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7f; });
  return plain ? name : data::shown(name);
}

// "a, b, c, …"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == most) return text + fmt::format(", … ({} in all)", names.size());
    text += (text.empty() ? "" : ", ") + harmless(names[i]);
  }
  return text;
}

std::string scheme_name(Model::Scheme scheme) {
  switch (scheme) {
    case Model::Scheme::one:
      return "one";
    case Model::Scheme::per_class:
      return "per_class";
    default:
      return "pairs";
  }
}

std::string scheme_words(const Model& m) {
  const bool calibrated = !m.calibration.empty();
  const std::string by_probability = "; the most probable class wins";
  switch (m.scheme) {
    case Model::Scheme::one:
      if (m.task == Model::Task::regression) return "one, the prediction";
      return calibrated ? "one" + by_probability
                        : "one: " + harmless(m.classes[1]) + " where it is positive";
    case Model::Scheme::per_class:
      return "one for each class" + (calibrated ? by_probability : "; the largest wins");
    default:
      return fmt::format("one for each of {} pairs of classes", m.scores()) +
             (calibrated ? by_probability : "; the most votes win");
  }
}

std::string probability_words(const Model& m) {
  if (m.calibration.empty()) return "none";
  return m.scheme == Model::Scheme::pairs ? "by a sigmoid of each score, coupled"
                                          : "by a sigmoid of the score";
}

std::string scaling_name(Scaling scaling) {
  if (scaling == Scaling::standard) return "standard";
  return scaling == Scaling::minmax ? "minmax" : "none";
}

std::string missing_name(Missing missing) {
  switch (missing) {
    case Missing::drop:
      return "drop";
    case Missing::mean:
      return "mean";
    case Missing::indicator:
      return "indicator";
    default:
      return "error";
  }
}

const char* scalar_name(Points::Scalar scalar) {
  return scalar == Points::Scalar::float32 ? "float32" : "float64";
}

std::string columns_words(const Encoding& e) {
  if (e.columns.empty())
    return counted(e.dimension, "column") + " of numbers" + (e.open ? ", or more" : "") +
           ", by place";
  std::vector<std::string> names;
  for (std::size_t j = 0; j < e.columns.size(); ++j) {
    const auto& c = e.columns[j];
    std::string name = c.name.empty() ? std::to_string(j + 1) : c.name;
    if (c.categorical)
      name += fmt::format(" ({})", counted(c.levels.size(), "category", "categories"));
    names.push_back(std::move(name));
  }
  return listed(names);
}

Json training_of(const Model& m) {
  return m.training.empty() ? Json::object() : parsed(m.training);
}

std::string sketch_words(const Sketch& s) {
  std::vector<std::string> terms;
  for (const auto& t : s.terms)
    terms.push_back(
        fmt::format("{}{}", counted(t.factors.size(), "factor"), t.variance == 0 ? ", exact" : ""));
  return fmt::format("{}, a sketch of {} in R^{} ({})", s.size(),
                     counted(s.terms.size(), "product"), s.dimension, fmt::join(terms, "; "));
}

std::string file_words(const ModelFile& file) {
  return file.facts ? fmt::format("{} bytes, format {}, checksum {:016x}", file.bytes,
                                  file.facts->format, file.facts->checksum)
                    : fmt::format("{} bytes, of LIBSVM", file.bytes);
}

std::string show(const ModelFile& file) {
  const Model& m = file.model;
  Lines rows;
  const bool regression = m.task == Model::Task::regression;
  rows.emplace_back("task", regression
                                ? "regression"
                                : fmt::format("classification, {} classes", m.classes.size()));
  if (!regression) rows.emplace_back("classes", listed(m.classes));
  if (m.kernel) {
    rows.emplace_back("kernel", m.kernel->text());
    rows.emplace_back(
        "support",
        fmt::format("{} in R^{}, {} {}", counted(m.support.rows(), "point"), m.dimension(),
                    m.support.is_sparse() ? "sparse" : "dense", scalar_name(m.support.scalar())));
  } else if (m.sketch) {
    rows.emplace_back("features", sketch_words(*m.sketch));
  } else {
    std::vector<std::string> features;
    for (std::size_t j = 0; j < m.map->coordinates.size(); ++j) features.push_back(m.map->text(j));
    rows.emplace_back("features", listed(features));
  }
  rows.emplace_back("scores", scheme_words(m));
  const auto theta = theta_words(m).rows;
  rows.insert(rows.end(), theta.begin(), theta.end());
  if (!regression) rows.emplace_back("probabilities", probability_words(m));
  rows.emplace_back("columns", columns_words(m.encoding));
  if (!m.encoding.label.empty() || !m.label.empty())
    rows.emplace_back("label", harmless(m.label.empty() ? m.encoding.label : m.label));
  rows.emplace_back("scaling", scaling_name(m.encoding.options.scaling));
  rows.emplace_back("missing values", missing_name(m.encoding.options.missing));
  const Json training = training_of(m);
  for (const auto& [key, value] : training.items())
    rows.emplace_back(
        key == training.begin().key() ? "trained" : "",
        harmless(key + " " + (value.is_string() ? value.get<std::string>() : value.dump())));
  rows.emplace_back("file", file_words(file));
  return aligned(rows);
}

Json to_json(const ModelFile& file, const InspectCall& options) {
  const Model& m = file.model;
  Json json{{"model", options.model},
            {"task", m.task == Model::Task::regression ? "regression" : "classification"},
            {"classes", m.classes},
            {"scheme", scheme_name(m.scheme)},
            {"scores", m.scores()},
            {"calibrated", !m.calibration.empty()},
            {"dimension", m.dimension()},
            {"open", m.encoding.open}};
  if (m.kernel) {
    json["kernel"] = m.kernel->text();
    json["support"] = {{"points", m.support.rows()},
                       {"layout", m.support.is_sparse() ? "sparse" : "dense"},
                       {"scalar", scalar_name(m.support.scalar())},
                       {"entries", m.support.entries()}};
    if (!m.support_counts.empty()) json["support"]["per_class"] = m.support_counts;
  } else if (m.sketch) {
    json["sketch"] = Json::array();
    for (const auto& t : m.sketch->terms)
      json["sketch"].push_back(
          {{"features", t.size}, {"factors", t.factors.size()}, {"exact", t.variance == 0}});
    json["features"] = m.sketch->size();
  } else {
    json["map"] = m.map->text();
    json["features"] = m.map->coordinates.size();
  }
  json["offsets"] = m.offsets;
  json["theta"] = theta_words(m).json;
  json["label"] = m.label.empty() ? m.encoding.label : m.label;
  json["scaling"] = scaling_name(m.encoding.options.scaling);
  json["missing"] = missing_name(m.encoding.options.missing);
  json["columns"] = Json::array();
  for (const auto& c : m.encoding.columns) {
    Json column{{"name", c.name}, {"kind", c.categorical ? "categories" : "numbers"}};
    if (c.categorical) column["levels"] = c.levels;
    json["columns"].push_back(std::move(column));
  }
  json["training"] = training_of(m);
  json["file"] = {{"bytes", file.bytes}};
  if (file.facts) {
    json["file"]["format"] = file.facts->format;
    json["file"]["checksum"] = fmt::format("{:016x}", file.facts->checksum);
  } else {
    json["file"]["of"] = "LIBSVM";
  }
  return json;
}

ExitCode run_inspect(const InspectCall& options) {
  const ModelFile file = load_model(options.model);
  if (options.json) {
    print(to_json(file, options));
  } else {
    print(show(file));
  }
  return done;
}

}  // namespace

void add_inspect(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<InspectCall>();
  Command* command = add_command(program, chosen, "inspect", "Say what is in a model's file",
                                 options, run_inspect);
  command->add_option("MODEL", options->model, "the model, as mercer or LIBSVM wrote it")
      ->required();
  command->footer(
      "The rule, the data it is for, how it was trained, and the file, whose checksum is "
      "checked.\n\n"
      "Example:\n"
      "  mercer inspect spam.mercer");
}

}  // namespace mercer::cli
