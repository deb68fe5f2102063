// The options of the learners, as they stand in the public headers: their defaults are the core's.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <mercer/gradient_descent.hpp>
#include <mercer/perceptron.hpp>
#include <mercer/ridge.hpp>
#include <mercer/svm.hpp>

#include "module.hpp"
#include "words.hpp"

namespace mercer::python {

namespace nb = nanobind;

namespace {

using Problem = SvmOptions::Problem;
constexpr Words<Problem, 6> problems{{
    {"classification", Problem::classification},
    {"hard_margin", Problem::hard_margin},
    {"nu_classification", Problem::nu_classification},
    {"regression", Problem::regression},
    {"nu_regression", Problem::nu_regression},
    {"one_class", Problem::one_class},
}};

}  // namespace

void add_options(nb::module_& m) {
  nb::class_<GramOptions>(m, "GramOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "single",
          [](const GramOptions& o) { return o.precision == GramOptions::Precision::float32; },
          [](GramOptions& o, bool single) {
            o.precision =
                single ? GramOptions::Precision::float32 : GramOptions::Precision::float64;
          })
      .def_rw("memory", &GramOptions::memory)
      .def_rw("threads", &GramOptions::threads)
      .def_rw("instructions", &GramOptions::instructions);
  nb::class_<SvmOptions>(m, "SvmOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "problem", [](const SvmOptions& o) { return word_of(problems, o.problem); },
          [](SvmOptions& o, const std::string& word) {
            o.problem = meaning_of(problems, word, "problem");
          })
      .def_rw("C", &SvmOptions::C)
      .def_rw("nu", &SvmOptions::nu)
      .def_rw("epsilon", &SvmOptions::epsilon)
      .def_rw("offset", &SvmOptions::offset)
      .def_rw("tolerance", &SvmOptions::tolerance)
      .def_rw("moves", &SvmOptions::moves)
      .def_rw("shrinking", &SvmOptions::shrinking)
      .def_rw("memory", &SvmOptions::memory);
  nb::class_<RidgeOptions>(m, "RidgeOptions")
      .def(nb::init<>())
      .def_rw("price", &RidgeOptions::lambda)
      .def_rw("tolerance", &RidgeOptions::tolerance)
      .def_rw("iterations", &RidgeOptions::iterations)
      .def_rw("landmarks", &RidgeOptions::landmarks)
      .def_rw("leave_one_out", &RidgeOptions::leave_one_out)
      .def_rw("seed", &RidgeOptions::seed)
      .def_rw("memory", &RidgeOptions::memory);
  nb::class_<PerceptronOptions>(m, "PerceptronOptions")
      .def(nb::init<>())
      .def_rw("passes", &PerceptronOptions::passes)
      .def_prop_rw(
          "shuffle",
          [](const PerceptronOptions& o) { return o.order == PerceptronOptions::Order::shuffled; },
          [](PerceptronOptions& o, bool shuffle) {
            o.order =
                shuffle ? PerceptronOptions::Order::shuffled : PerceptronOptions::Order::cyclic;
          })
      .def_rw("seed", &PerceptronOptions::seed)
      .def_rw("margin", &PerceptronOptions::margin)
      .def_rw("averaged", &PerceptronOptions::averaged)
      .def_rw("budget", &PerceptronOptions::budget);
  nb::class_<GradientDescentOptions>(m, "GradientDescentOptions")
      .def(nb::init<>())
      .def_rw("passes", &GradientDescentOptions::passes)
      .def_rw("step", &GradientDescentOptions::step, nb::arg().none())
      .def_rw("momentum", &GradientDescentOptions::momentum)
      .def_rw("batch", &GradientDescentOptions::batch)
      .def_rw("tolerance", &GradientDescentOptions::tolerance)
      .def_rw("held_out", &GradientDescentOptions::held_out)
      .def_rw("patience", &GradientDescentOptions::patience)
      .def_rw("eigenvectors", &GradientDescentOptions::eigenvectors)
      .def_rw("sample", &GradientDescentOptions::sample)
      .def_rw("seed", &GradientDescentOptions::seed);
}

}  // namespace mercer::python
