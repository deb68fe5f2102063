// The parts of the module, each in a file of its own.
#pragma once

#include <nanobind/nanobind.h>

namespace mercer::python {

void add_errors(nanobind::module_& m);
void add_points(nanobind::module_& m);
void add_kernels(nanobind::module_& m);
void add_proofs(nanobind::module_& m);
void add_options(nanobind::module_& m);
void add_learners(nanobind::module_& m);
void add_scores(nanobind::module_& m);
void add_large(nanobind::module_& m);
void add_tuning(nanobind::module_& m);
void add_models(nanobind::module_& m);

}  // namespace mercer::python
