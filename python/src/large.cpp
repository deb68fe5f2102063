// Where a Gram matrix is too large: centres (Nyström) and random features.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mercer/error.hpp>
#include <mercer/nystrom.hpp>
#include <mercer/random_features.hpp>

#include "arrays.hpp"
#include "module.hpp"
#include "running.hpp"
#include "words.hpp"

namespace mercer::python {

namespace {

using Choice = NystromOptions::Choice;
constexpr Words<Choice, 3> choices{{
    {"uniform", Choice::uniform},
    {"leverage", Choice::leverage},
    {"kmeans", Choice::kmeans},
}};
using Loss = NystromOptions::Loss;
constexpr Words<Loss, 2> loss_names{{
    {"squared", Loss::squared},
    {"logistic", Loss::logistic},
}};

nb::dict nystrom_machine(const Kernel& k, const Points& x, const Square& y,
                         const std::optional<Vector>& weights, NystromOptions options,
                         const GramOptions& gram, nb::object callback) {
  options.gram = gram;
  options.weights = vector_of(weights);
  Running running(std::move(callback));
  options.observe = [&](std::size_t passes, double residual) {
    return running.tell([&]() -> nb::object {
      nb::dict step;
      step["unit"] = "pass";
      step["number"] = passes;
      step["residual"] = residual;
      return step;
    });
  };
  const Matrix targets = matrix_of(y);
  Nystrom r = running.run([&] { return nystrom(k, x, targets, options); });
  nb::dict d;
  d["converged"] = r.converged;
  d["centres"] = arrays_of(r.centres);
  d["alpha"] = array_of(std::move(r.alpha));
  d["price"] = r.lambda;
  std::vector<double> path;
  for (const auto& tried : r.path) path.insert(path.end(), {tried.lambda, tried.held_out});
  const std::size_t tried = r.path.size();
  d["path"] = array_of(std::move(path), {tried, 2});
  d["held_out"] = r.held_out;
  d["residual"] = r.residual;
  d["iterations"] = r.iterations;
  d["passes"] = r.passes;
  d["left_out"] = r.left_out;
  d["loss"] = r.loss;
  d["message"] = r.message;
  return d;
}

nb::dict features_of_centres(const Kernel& k, const Points& x, NystromOptions options,
                             const GramOptions& gram) {
  options.gram = gram;
  Running running{nb::none()};
  NystromFeatures f = running.run([&] { return nystrom_features(k, x, options); });
  nb::dict d;
  d["centres"] = arrays_of(f.centres);
  d["rows"] = array_of(std::vector<std::int64_t>(f.rows.begin(), f.rows.end()));
  d["factor"] = array_of(std::move(f.L));
  d["left_out"] = f.left_out;
  return d;
}

// Features as they are, or as floats; the others stay empty.
struct Mapped {
  Points phi;
  std::vector<float> floats;
};

// In the type of the points that they are the features of.
template <class Map>
nb::object features_like(const Points& x, const Map& map) {
  Running running{nb::none()};
  Mapped image = running.run([&] {
    Mapped m{map(), {}};
    if (x.scalar() == Points::Scalar::float32) {
      const double* values = m.phi.template values<double>();
      m.floats.assign(values, values + m.phi.rows() * m.phi.columns());
    }
    return m;
  });
  if (x.scalar() == Points::Scalar::float64) return nb::cast(array_in(image.phi));
  return nb::cast(array_of(std::move(image.floats), {image.phi.rows(), image.phi.columns()}));
}

nb::object mapped_by_centres(const Kernel& k, const Points& centres, const Square& factor,
                             const Points& x, const GramOptions& gram) {
  if (factor.shape(0) != centres.rows() || factor.shape(1) != centres.rows())
    throw Error("the factor does not fit the centres");
  NystromFeatures f;
  f.kernel = k;
  f.centres = centres;
  f.L = matrix_of(factor);
  return features_like(x, [&] { return f.map(x, gram); });
}

nb::dict draw_features(const Kernel& k, std::size_t dimension,
                       const RandomFeatureOptions& options) {
  const RandomFeatures f = [&] {
    const nb::gil_scoped_release released;
    return random_features(k, dimension, options);
  }();
  nb::dict d;
  d["cas"] = f.cas;
  d["frequencies"] = arrays_of(f.frequencies);
  d["amplitudes"] = array_of(f.amplitudes);
  d["spread"] = f.spread;
  return d;
}

nb::object mapped_by_frequencies(const Kernel& cas, const Points& frequencies,
                                 const Vector& amplitudes, const Points& x,
                                 const GramOptions& gram) {
  if (frequencies.rows() != amplitudes.size())
    throw Error("there must be an amplitude for each frequency");
  RandomFeatures f;
  f.cas = cas;
  f.frequencies = frequencies;
  f.amplitudes.assign(span_of(amplitudes).begin(), span_of(amplitudes).end());
  return features_like(x, [&] { return f.map(x, gram); });
}

}  // namespace

void add_large(nb::module_& m) {
  nb::class_<NystromOptions>(m, "NystromOptions")
      .def(nb::init<>())
      .def_rw("centres", &NystromOptions::centres)
      .def_prop_rw(
          "choice", [](const NystromOptions& o) { return word_of(choices, o.choice); },
          [](NystromOptions& o, const std::string& name) {
            o.choice = meaning_of(choices, name, "centres");
          })
      .def_prop_rw(
          "loss", [](const NystromOptions& o) { return word_of(loss_names, o.loss); },
          [](NystromOptions& o, const std::string& name) {
            o.loss = meaning_of(loss_names, name, "loss");
          })
      .def_rw("price", &NystromOptions::lambda, nb::arg().none())
      .def_rw("tolerance", &NystromOptions::tolerance)
      .def_rw("iterations", &NystromOptions::iterations)
      .def_rw("newton_steps", &NystromOptions::newton_steps)
      .def_rw("seed", &NystromOptions::seed);
  nb::class_<RandomFeatureOptions>(m, "RandomFeatureOptions")
      .def(nb::init<>())
      .def_rw("count", &RandomFeatureOptions::count)
      .def_rw("orthogonal", &RandomFeatureOptions::orthogonal)
      .def_rw("seed", &RandomFeatureOptions::seed);
  m.def("nystrom", &nystrom_machine, nb::arg("kernel"), nb::arg("x"), nb::arg("y"),
        nb::arg("weights").none(), nb::arg("options"), nb::arg("gram"), nb::arg("callback").none());
  m.def("nystrom_features", &features_of_centres, nb::arg("kernel"), nb::arg("x"),
        nb::arg("options"), nb::arg("gram"));
  m.def("mapped_by_centres", &mapped_by_centres, nb::arg("kernel"), nb::arg("centres"),
        nb::arg("factor"), nb::arg("x"), nb::arg("gram"));
  m.def("random_features", &draw_features, nb::arg("kernel"), nb::arg("dimension"),
        nb::arg("options"));
  m.def("mapped_by_frequencies", &mapped_by_frequencies, nb::arg("cas"), nb::arg("frequencies"),
        nb::arg("amplitudes"), nb::arg("x"), nb::arg("gram"));
}

}  // namespace mercer::python
