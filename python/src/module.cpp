// The module mercer._core: the public headers, as thin as can be. What Python's users see is in
// python/mercer.
#include "module.hpp"

#include <nanobind/stl/string_view.h>

#include <mercer/error.hpp>
#include <mercer/version.hpp>

#include "running.hpp"

namespace mercer::python {

namespace nb = nanobind;

// The library's mistakes of the caller are ValueErrors, with its words.
void add_errors(nb::module_& m) {
  static nb::exception<Error> error(m, "Error", PyExc_ValueError);
  static nb::exception<ParseError> parse_error(m, "ParseError", error.ptr());
  static nb::exception<EvaluationError> evaluation_error(m, "EvaluationError", error.ptr());
  error.doc() =
      "A mistake of the caller, told in one sentence that names the place and the remedy.";
  parse_error.doc() = "A text that could not be read, with a caret under the place.";
  evaluation_error.doc() = "A kernel has no value between two points.";
}

}  // namespace mercer::python

NB_MODULE(_core, m) {
  using namespace mercer::python;
  m.doc() = "The engine behind mercer.";
  m.attr("version") = mercer::version_text;
  m.def("seconds_inside", &Inside::seconds);
  add_errors(m);
  add_points(m);
  add_kernels(m);
  add_proofs(m);
  add_options(m);
  add_learners(m);
  add_scores(m);
  add_large(m);
  add_tuning(m);
  add_models(m);
}
