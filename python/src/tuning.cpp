// Searches: a kernel, its parameters and the price by cross-validation.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mercer/tune.hpp>

#include "arrays.hpp"
#include "module.hpp"
#include "running.hpp"
#include "words.hpp"

namespace mercer::python {

namespace {

using Search = TuneOptions::Search;
constexpr Words<Search, 2> searches{{{"halving", Search::halving}, {"grid", Search::grid}}};
constexpr Words<Learner, 2> learners{{{"svm", Learner::svm}, {"ridge", Learner::ridge}}};

nb::dict dict_of(const Candidate& c) {
  nb::dict d;
  d["kernel"] = c.kernel;
  d["parameters"] = c.parameters;
  d["price"] = c.price;
  d["rows"] = c.rows;
  d["score"] = c.score;
  d["deviation"] = c.deviation;
  d["by_fold"] = c.by_fold;
  d["support"] = c.support;
  d["converged"] = c.converged;
  return d;
}

nb::dict search(const Points& x, const Vector& y, const std::optional<Vector>& weights,
                const std::vector<double>& class_weights, TuneOptions options,
                nb::object callback) {
  Table table;
  table.points = x;
  table.labels.numbers.assign(span_of(y).begin(), span_of(y).end());
  table.weights = vector_of(weights);
  if (!class_weights.empty()) {
    const auto names = classes_of(table.labels).names;
    if (names.size() != class_weights.size()) throw Error("there must be a weight for each class");
    for (std::size_t c = 0; c < names.size(); ++c)
      options.train.class_weights.emplace_back(names[c], class_weights[c]);
  }
  Running running(std::move(callback));
  options.observe = [&](const std::vector<Candidate>& so_far) {
    return running.tell([&]() -> nb::object {
      nb::dict step;
      step["unit"] = "score";
      step["number"] = so_far.size();
      if (so_far.empty()) return step;
      step["kernel"] = so_far.back().kernel.text();
      step["price"] = so_far.back().price;
      step["rows"] = so_far.back().rows;
      step["score"] = so_far.back().score;
      return step;
    });
  };
  const Tuned t = running.run([&] { return tune(table, options); });
  nb::dict d;
  nb::list candidates;
  for (const Candidate& c : t.candidates) candidates.append(dict_of(c));
  d["candidates"] = candidates;
  d["chosen"] = t.chosen;
  d["metric"] = t.metric;
  d["more_is_better"] = t.more_is_better;
  d["task"] = word_of(tasks, t.task);
  d["learner"] = word_of(learners, t.learner);
  d["rows"] = t.rows;
  d["kernel_values"] = t.kernel_values;
  d["interrupted"] = t.interrupted;
  d["story"] = t.story;
  d["notes"] = t.notes;
  return d;
}

}  // namespace

void add_tuning(nb::module_& m) {
  nb::class_<TuneOptions>(m, "TuneOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "search", [](const TuneOptions& o) { return word_of(searches, o.search); },
          [](TuneOptions& o, const std::string& word) {
            o.search = meaning_of(searches, word, "search");
          })
      .def_prop_rw(
          "learner",
          [](const TuneOptions& o) -> std::optional<std::string> {
            if (!o.train.learner) return std::nullopt;
            return word_of(learners, *o.train.learner);
          },
          [](TuneOptions& o, const std::optional<std::string>& word) {
            o.train.learner.reset();
            if (word) o.train.learner = meaning_of(learners, *word, "learner");
          },
          nb::arg().none())
      .def_prop_rw(
          "task",
          [](const TuneOptions& o) -> std::optional<std::string> {
            if (!o.train.task) return std::nullopt;
            return word_of(tasks, *o.train.task);
          },
          [](TuneOptions& o, const std::optional<std::string>& word) {
            o.train.task.reset();
            if (word) o.train.task = meaning_of(tasks, *word, "task");
          },
          nb::arg().none())
      .def_rw("kernels", &TuneOptions::kernels)
      .def_rw("grid", &TuneOptions::grid)
      .def_rw("metric", &TuneOptions::metric)
      .def_rw("folds", &TuneOptions::folds)
      .def_rw("groups", &TuneOptions::groups)
      .def_rw("candidates", &TuneOptions::candidates)
      .def_rw("seconds", &TuneOptions::seconds)
      .def_rw("memory", &TuneOptions::memory)
      .def_rw("rows", &TuneOptions::rows)
      .def_rw("compose", &TuneOptions::compose)
      .def_prop_rw(
          "seed", [](const TuneOptions& o) { return o.train.seed; },
          [](TuneOptions& o, std::uint64_t seed) { o.train.seed = seed; })
      .def_prop_rw(
          "epsilon", [](const TuneOptions& o) { return o.train.svm.epsilon; },
          [](TuneOptions& o, double epsilon) { o.train.svm.epsilon = epsilon; })
      .def_prop_rw(
          "tolerance", [](const TuneOptions& o) { return o.train.svm.tolerance; },
          [](TuneOptions& o, double tolerance) { o.train.svm.tolerance = tolerance; })
      .def_prop_rw(
          "gram", [](const TuneOptions& o) { return o.train.gram; },
          [](TuneOptions& o, const GramOptions& gram) { o.train.gram = gram; });
  m.def("tune", &search, nb::arg("x"), nb::arg("y"), nb::arg("weights").none(),
        nb::arg("class_weights"), nb::arg("options"), nb::arg("callback").none());
}

}  // namespace mercer::python
