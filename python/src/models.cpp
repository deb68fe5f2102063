// Models in the program's own files: what estimators leave behind, and what the program has
// trained.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>
#include <mercer/frame.hpp>
#include <mercer/labels.hpp>
#include <mercer/model.hpp>

#include "arrays.hpp"
#include "module.hpp"
#include "running.hpp"
#include "words.hpp"

namespace mercer::python {

namespace {

constexpr Words<Model::Scheme, 3> schemes{{{"one", Model::Scheme::one},
                                           {"per_class", Model::Scheme::per_class},
                                           {"pairs", Model::Scheme::pairs}}};

// Numbers as the program writes them.
std::vector<std::string> names_of_numbers(const Vector& numbers) {
  Labels labels;
  labels.numbers.assign(span_of(numbers).begin(), span_of(numbers).end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < labels.numbers.size(); ++i) names.push_back(labels.text(i));
  return names;
}

// A rule in kernel form. `columns`: the names of the columns; empty: they are known by place.
Model model_of(const Kernel& k, const Points& support, const Square& coefficients,
               const Vector& offsets, const std::string& scheme,
               const std::vector<std::string>& classes, bool numeric_classes,
               const std::vector<std::size_t>& counts, const Square& calibration,
               const std::vector<std::string>& columns, const std::string& training) {
  Model m;
  m.kernel = k;
  m.support = support;
  m.coefficients = matrix_of(coefficients);
  m.offsets.assign(span_of(offsets).begin(), span_of(offsets).end());
  m.task = classes.empty() ? Model::Task::regression : Model::Task::classification;
  m.scheme = meaning_of(schemes, scheme, "scheme");
  m.classes = classes;
  m.numeric_classes = numeric_classes;
  m.support_counts = counts;
  for (std::size_t i = 0; i < calibration.shape(0); ++i)
    m.calibration.push_back({calibration(i, 0), calibration(i, 1)});
  m.encoding.dimension = support.columns();
  m.encoding.sparse = support.is_sparse();
  m.encoding.options.scalar = support.scalar();
  m.encoding.named = !columns.empty();
  for (const std::string& name : columns) {
    Encoding::Column column;
    column.name = name;
    m.encoding.columns.push_back(column);
  }
  m.training = training;
  m.check();
  return m;
}

// A column of a frame: its name, and numbers (NaN where there are none), or codes of levels.
using FrameColumn = std::tuple<std::string, std::optional<Vector>, std::vector<std::int32_t>,
                               std::vector<std::string>>;

Points encoded_frame(const Model& m, const std::vector<FrameColumn>& columns, std::size_t rows) {
  Frame frame;
  frame.file = "X";
  frame.rows = rows;
  frame.named = true;
  for (const auto& [name, numbers, codes, levels] : columns) {
    Frame::Column c;
    c.name = name;
    c.categorical = !numbers;
    c.numbers = vector_of(numbers);
    c.codes = codes;
    c.levels = levels;
    const std::size_t cells = numbers ? c.numbers.size() : c.codes.size();
    if (cells != rows) throw Error("the columns of a frame must be of the same length");
    // Text that is no value in a file is none here.
    std::vector<bool> missing;
    for (const std::string& level : levels) missing.push_back(means_missing(level));
    for (std::size_t i = 0; i < rows; ++i) {
      if (!numbers && c.codes[i] >= static_cast<std::int32_t>(levels.size()))
        throw Error("a code of a category is beyond its levels");
      if (!numbers && c.codes[i] >= 0 && missing[static_cast<std::size_t>(c.codes[i])])
        c.codes[i] = -1;
      const bool hole = numbers ? std::isnan(c.numbers[i]) : c.codes[i] < 0;
      if (!hole) continue;
      if (c.missing++ == 0) c.first_missing = {i + 1, 0};
    }
    frame.columns.push_back(std::move(c));
  }
  const nb::gil_scoped_release released;
  EncodingReport report;
  Table table = m.encoding.apply(frame, &report);
  if (!report.dropped.empty())
    throw Error("row " + std::to_string(report.dropped[0] + 1) +
                " has missing values, and the model was trained without such rows: fill them, or "
                "leave the row out");
  return table.points;
}

Points encoded_points(const Model& m, const Points& x) {
  Table table;
  table.points = x;
  const nb::gil_scoped_release released;
  return m.encoding.apply(table).points;
}

nb::dict predicted(const Model& m, const Points& x, bool single, unsigned threads) {
  PredictOptions options;
  options.threads = threads;
  options.float64 = !single;
  Running running{nb::none()};
  Prediction p = running.run([&] { return predict(m, x, options); });
  nb::dict d;
  d["scores"] = array_of(std::move(p.scores));
  d["classes"] = array_of(std::move(p.classes));
  d["probabilities"] = array_of(std::move(p.probabilities));
  return d;
}

nb::list columns_of(const Model& m) {
  nb::list all;
  for (const auto& c : m.encoding.columns)
    all.append(nb::make_tuple(c.name, c.categorical, c.levels));
  return all;
}

}  // namespace

void add_models(nb::module_& m) {
  nb::class_<Model>(m, "Model")
      .def_static(
          "load", [](const std::string& path) { return Model::load(path); }, nb::arg("path"))
      .def_static(
          "parse",
          [](const nb::bytes& bytes) {
            return Model::parse({static_cast<const char*>(bytes.data()), bytes.size()},
                                "the model");
          },
          nb::arg("bytes"))
      .def(
          "save", [](const Model& model, const std::string& path) { model.save(path); },
          nb::arg("path"))
      .def("bytes",
           [](const Model& model) {
             const std::string bytes = model.bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_prop_ro("task", [](const Model& model) { return word_of(tasks, model.task); })
      .def_prop_ro("scheme", [](const Model& model) { return word_of(schemes, model.scheme); })
      .def_ro("classes", &Model::classes)
      .def_ro("numeric_classes", &Model::numeric_classes)
      .def_prop_ro("kernel", [](const Model& model) { return model.kernel; })
      .def_prop_ro("map",
                   [](const Model& model) -> std::optional<std::string> {
                     if (!model.map) return std::nullopt;
                     return model.map->text();
                   })
      .def_prop_ro("support", [](const Model& model) { return arrays_of(model.support); })
      .def_prop_ro(
          "coefficients", [](const Model& model) { return array_of(model.coefficients); },
          nb::rv_policy::move)
      .def_prop_ro(
          "offsets", [](const Model& model) { return array_of(model.offsets); },
          nb::rv_policy::move)
      .def_ro("support_counts", &Model::support_counts)
      .def_prop_ro("calibrated", [](const Model& model) { return !model.calibration.empty(); })
      .def_prop_ro("columns", &columns_of)
      .def_prop_ro("named", [](const Model& model) { return model.encoding.named; })
      .def_prop_ro("dimension", &Model::dimension)
      .def_ro("label", &Model::label)
      .def_ro("training", &Model::training)
      .def("encoded_points", &encoded_points, nb::arg("x"))
      .def("encoded_frame", &encoded_frame, nb::arg("columns"), nb::arg("rows"))
      .def("predict", &predicted, nb::arg("x"), nb::arg("single"), nb::arg("threads"));
  m.def("names_of_numbers", &names_of_numbers, nb::arg("numbers"));
  m.def("model", &model_of, nb::arg("kernel"), nb::arg("support"), nb::arg("coefficients"),
        nb::arg("offsets"), nb::arg("scheme"), nb::arg("classes"), nb::arg("numeric_classes"),
        nb::arg("counts"), nb::arg("calibration"), nb::arg("columns"), nb::arg("training"));
}

}  // namespace mercer::python
