// Scores of points by a rule, and what they say.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <mercer/model.hpp>

#include "arrays.hpp"
#include "module.hpp"
#include "running.hpp"

namespace mercer::python {

namespace {

std::vector<std::string> some_classes(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < n; ++c) names.push_back(std::to_string(c));
  return names;
}

// Σ_i α_ic k(s_i, x) + b_c. With `counts` the support points stand by classes, and the scores are
// those of pairs of classes: see <mercer/model.hpp>.
Numbers<double> scores(const Kernel& k, const Points& support, const Square& coefficients,
                       const Vector& offsets, const std::vector<std::size_t>& counts,
                       const Points& x, bool single, unsigned threads) {
  Model m;
  m.kernel = k;
  m.support = support;
  m.coefficients = matrix_of(coefficients);
  m.offsets = vector_of(offsets);
  if (!counts.empty()) {
    m.scheme = Model::Scheme::pairs;
    m.classes = some_classes(counts.size());
    m.support_counts = counts;
  } else if (m.offsets.size() == 1) {
    m.task = Model::Task::regression;
  } else {
    m.scheme = Model::Scheme::per_class;
    m.classes = some_classes(m.offsets.size());
  }
  PredictOptions options;
  options.threads = threads;
  options.float64 = !single;
  Running running{nb::none()};
  return array_of(running.run([&] { return predict(m, x, options).scores; }));
}

// Of scores of one machine, or of pairs of classes.
Numbers<double> probabilities(const Square& scores, const Square& calibration,
                              std::size_t classes) {
  Model m;
  m.scheme = classes == 2 ? Model::Scheme::one : Model::Scheme::pairs;
  m.classes = some_classes(classes);
  for (std::size_t i = 0; i < calibration.shape(0); ++i)
    m.calibration.push_back({calibration(i, 0), calibration(i, 1)});
  return array_of(probabilities_by_score(m, matrix_of(scores)));
}

}  // namespace

void add_scores(nb::module_& m) {
  m.def("scores", &scores, nb::arg("kernel"), nb::arg("support"), nb::arg("coefficients"),
        nb::arg("offsets"), nb::arg("counts"), nb::arg("x"), nb::arg("single"), nb::arg("threads"));
  m.def("probabilities", &probabilities, nb::arg("scores"), nb::arg("calibration"),
        nb::arg("classes"));
}

}  // namespace mercer::python
