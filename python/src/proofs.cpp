// Verdicts and features, as Python's own dictionaries and lists.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mercer/features.hpp>
#include <mercer/mapped.hpp>
#include <mercer/proof.hpp>

#include "arrays.hpp"
#include "module.hpp"
#include "running.hpp"

namespace mercer::python {

namespace {

nb::dict dict_of(const Derivation& step) {
  nb::dict d;
  d["rule"] = step.rule;
  d["subject"] = step.subject.text;
  d["latex"] = step.subject.latex;
  d["claim"] = step.claim;
  d["note"] = step.note;
  nb::list with;
  for (const Given& g : step.with) with.append(nb::make_tuple(g.name, g.value.text, g.value.latex));
  d["with"] = with;
  nb::list premises;
  for (const Derivation& p : step.premises) premises.append(dict_of(p));
  d["premises"] = premises;
  return d;
}

nb::dict dict_of(const Witness& w) {
  nb::dict d;
  d["dimension"] = w.dimension;
  d["points"] = w.points;
  d["coefficients"] = w.coefficients;
  d["value"] = w.value;
  d["bound"] = w.bound;
  d["value_xz"] = w.value_xz;
  d["value_zx"] = w.value_zx;
  d["exact"] = w.exact;
  return d;
}

const char* name_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kernel:
      return "kernel";
    case Verdict::Kind::not_a_kernel:
      return "not a kernel";
    case Verdict::Kind::unknown:
      break;
  }
  return "unknown";
}

nb::dict prove_it(const Kernel& k, const std::string& domain,
                  std::optional<std::uint32_t> dimension, double timeout) {
  ProofOptions options;
  options.domain = Domain::parse(domain);
  options.dimension = dimension;
  options.timeout = timeout;
  Running running{nb::none()};
  const Verdict v = running.run([&] { return prove(k, options); });
  nb::dict d;
  d["verdict"] = name_of(v.kind);
  d["domain"] = options.domain.text();
  d["derivation"] = v.derivation ? nb::object(dict_of(*v.derivation)) : nb::none();
  d["witness"] = v.witness ? nb::object(dict_of(*v.witness)) : nb::none();
  d["tried"] = v.tried;
  d["smallest_eigenvalue"] = v.smallest_eigenvalue;
  return d;
}

nb::dict features_of(const Kernel& k, std::uint32_t dimension, std::uint64_t terms,
                     std::size_t coordinates) {
  const Features f = [&] {
    const nb::gil_scoped_release released;
    return features(k, dimension, {.terms = terms, .coordinates = coordinates});
  }();
  nb::dict d;
  d["kind"] = name_of(f.kind);
  d["count"] = f.count;
  d["minimal"] = f.minimal;
  d["complete"] = f.complete;
  d["map"] = f.map.text();
  std::vector<std::string> texts;
  std::vector<std::string> latex;
  for (std::size_t i = 0; i < f.map.coordinates.size(); ++i) {
    texts.push_back(f.map.text(i));
    latex.push_back(f.map.coordinates[i].latex());
  }
  d["coordinates"] = texts;
  d["latex"] = latex;
  d["tail"] = f.tail ? nb::object(nb::cast(f.tail->text())) : nb::none();
  d["where"] = f.where;
  d["tail_on_unit_ball"] = f.tail_on_unit_ball;
  d["notes"] = f.notes;
  d["reason"] = f.reason;
  d["exact"] = f.check.kind == Features::Check::Kind::exact;
  return d;
}

nb::list all_rules() {
  nb::list all;
  for (const Rule& r : rules()) all.append(nb::make_tuple(r.name, r.statement, r.source));
  return all;
}

Numbers<double> mapped_by(const std::string& map, std::uint32_t dimension, const Points& x,
                          unsigned threads) {
  const FeatureMap parsed = FeatureMap::parse(map, dimension);
  const Matrix image = [&] {
    const nb::gil_scoped_release released;
    return dense(mapped(parsed, x, threads));
  }();
  return array_of(image);
}

}  // namespace

void add_proofs(nb::module_& m) {
  m.def("prove", &prove_it, nb::arg("kernel"), nb::arg("domain"), nb::arg("dimension").none(),
        nb::arg("timeout"));
  m.def("rules", &all_rules);
  m.def("features", &features_of, nb::arg("kernel"), nb::arg("dimension"), nb::arg("terms"),
        nb::arg("coordinates"));
  m.def("mapped", &mapped_by, nb::arg("map"), nb::arg("dimension"), nb::arg("x"),
        nb::arg("threads"));
  m.def(
      "kernel_of",
      [](const std::string& map, std::optional<std::uint32_t> dimension) {
        return kernel_of(FeatureMap::parse(map, dimension)).kernel;
      },
      nb::arg("map"), nb::arg("dimension") = nb::none());
}

}  // namespace mercer::python
