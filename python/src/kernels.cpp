// Kernels as values, the catalogue, and kernel values in bulk.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mercer/catalogue.hpp>
#include <mercer/equal.hpp>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mercer/kernel.hpp>
#include <mercer/properties.hpp>
#include <utility>

#include "arrays.hpp"
#include "module.hpp"
#include "running.hpp"

namespace mercer::python {

namespace {

// A Python function k(x, z) of two arrays. The library calls it from its own threads, and may let
// go of it where nobody holds the GIL, or when Python is gone already.
std::vector<std::weak_ptr<nb::object>>& user_functions() {  // with the GIL
  static std::vector<std::weak_ptr<nb::object>> all;
  return all;
}

void let_go_of_user_functions() {
  for (const auto& one : std::exchange(user_functions(), {}))
    if (const auto function = one.lock()) function->reset();
}

UserFunction user_function(nb::object function) {
  const std::shared_ptr<nb::object> kept(new nb::object(std::move(function)), [](nb::object* f) {
    if (Py_IsInitialized() == 0) return;  // NOLINT: its memory went with the interpreter
    const nb::gil_scoped_acquire held;
    delete f;
  });
  std::erase_if(user_functions(), [](const auto& one) { return one.expired(); });
  user_functions().push_back(kept);
  return [kept](std::span<const double> x, std::span<const double> z) {
    const nb::gil_scoped_acquire held;
    if (!kept->is_valid()) throw Error("Python is ending, and has no functions any more");
    const nb::object value = (*kept)(array_of(std::vector<double>(x.begin(), x.end())),
                                     array_of(std::vector<double>(z.begin(), z.end())));
    return nb::cast<double>(value);
  };
}

Kernel parse(const std::string& text, std::optional<std::uint32_t> dimension) {
  return Kernel::parse(text, {.dimension = dimension});
}

// All values, some rows at a time, so that Ctrl-C is heard.
template <class T>
Numbers<T> values_of(const Kernel& k, const Points& x, const Points& z, const GramOptions& how) {
  auto out = [&] {  // filling so much memory takes as long as small kernels do
    const nb::gil_scoped_release released;
    return std::vector<T>(x.rows() * z.rows());
  }();
  if (!out.empty()) {
    const auto gram = [&] {
      const nb::gil_scoped_release released;
      const Inside inside;
      return Gram(k, x, z, how);
    }();
    constexpr std::size_t together = std::size_t{1} << 24U;  // values
    const std::size_t step = std::max<std::size_t>(64, together / z.rows());
    for (std::size_t begin = 0; begin < x.rows(); begin += step) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      const nb::gil_scoped_release released;
      const Inside inside;
      gram.block(Rows(begin, std::min(x.rows(), begin + step)), Rows::all(),
                 out.data() + begin * z.rows(), z.rows());
    }
  }
  return array_of(std::move(out), {x.rows(), z.rows()});
}

nb::object gram(const Kernel& k, const Points& x, const Points& z, bool single, unsigned threads) {
  GramOptions how;
  how.threads = threads;
  how.storage = GramOptions::Storage::recomputed;
  how.precision = single ? GramOptions::Precision::float32 : GramOptions::Precision::float64;
  if (single) return nb::cast(values_of<float>(k, x, z, how));
  return nb::cast(values_of<double>(k, x, z, how));
}

nb::list named_kernels() {
  nb::list all;
  for (const KernelInfo& info : catalogue()) {
    nb::list parameters;
    for (const ParameterInfo& p : info.parameters)
      parameters.append(nb::make_tuple(p.name, p.default_value, p.range, p.help, p.definition));
    all.append(nb::make_tuple(info.name, parameters, info.formula, info.domain, info.summary));
  }
  return all;
}

nb::dict properties_of(const Kernel& k, std::optional<std::uint32_t> dimension) {
  const Properties p = properties(k, dimension);
  nb::dict d;
  d["symmetric"] = p.symmetric;
  d["dot_product"] = p.dot_product;
  d["stationary"] = p.stationary;
  d["isotropic"] = p.isotropic;
  d["degree"] = p.degree;
  d["defined_on"] = p.defined_on ? nb::object(nb::cast(p.defined_on->text())) : nb::none();
  return d;
}

}  // namespace

void add_kernels(nb::module_& m) {
  nb::class_<Kernel>(m, "Kernel")
      .def(nb::init<double>())
      .def_static("parse", &parse, nb::arg("text"), nb::arg("dimension") = nb::none())
      .def("text", &Kernel::text)
      .def("formula", &Kernel::formula)
      .def("latex", &Kernel::latex)
      .def("least_dimension", &Kernel::least_dimension)
      .def("only_dimension_one", &Kernel::only_dimension_one)
      .def("on",
           [](const Kernel& k, const std::vector<std::uint32_t>& columns) { return k.on(columns); })
      .def("on", [](const Kernel& k, const std::string& column) { return k.on(column); })
      .def("has_named_columns", &Kernel::has_named_columns)
      .def("with_columns",
           [](const Kernel& k, const std::vector<std::string>& names) {
             return k.with_columns(names);
           })
      .def("open_parameters",
           [](const Kernel& k) {
             std::vector<std::tuple<std::string, std::string>> all;
             for (const auto& p : k.open_parameters()) all.emplace_back(p.kernel, p.parameter);
             return all;
           })
      .def("with_parameters",
           [](const Kernel& k, const std::vector<double>& values) {
             return k.with_parameters(values);
           })
      .def("user_functions", &Kernel::user_functions)
      .def("add", [](const Kernel& a, const Kernel& b) { return a + b; })
      .def("subtract", [](const Kernel& a, const Kernel& b) { return a - b; })
      .def("multiply", [](const Kernel& a, const Kernel& b) { return a * b; })
      .def("divide", [](const Kernel& a, const Kernel& b) { return a / b; })
      .def("negative", [](const Kernel& a) { return -a; })
      .def("power", [](const Kernel& a, double exponent) { return pow(a, exponent); })
      .def("same", [](const Kernel& a, const Kernel& b) { return a == b; })
      .def("hash", &Kernel::hash);
  m.def(
      "user",
      [](const std::string& name, nb::object function) {
        return user(name, user_function(std::move(function)));
      },
      nb::arg("name"), nb::arg("function"));
  m.def(
      "forget_user", [](const std::string& name) { forget_user(name); }, nb::arg("name"));
  m.def("let_go_of_user_functions", &let_go_of_user_functions);
  m.def("gram", &gram, nb::arg("kernel"), nb::arg("x"), nb::arg("z"), nb::arg("single"),
        nb::arg("threads"));
  m.def("catalogue", &named_kernels);
  m.def("properties", &properties_of, nb::arg("kernel"), nb::arg("dimension") = nb::none());
  m.def("language_functions", [] {
    const auto all = language_functions();
    return std::vector<std::string>(all.begin(), all.end());
  });
}

}  // namespace mercer::python
