#include <functional>
#include <mercer/error.hpp>
#include <mercer/properties.hpp>

#include "kernel/arguments.hpp"
#include "kernel/defined.hpp"
#include "kernel/degree.hpp"
#include "kernel/feature_space.hpp"
#include "kernel/form.hpp"
#include "kernel/transform.hpp"

namespace mercer {

namespace {

using algebra::Expr;
using algebra::Op;

// Open parameters at one of two values in their range. A property that holds at both is taken to
// hold between them: they only scale, shift or raise.
Expr closed(const Expr& e, bool upper) {
  if (!e->has_open) return e;
  return algebra::rewrite(
      e, {.leaf =
              [&](const Expr& leaf, std::uint32_t) {
                if (leaf->op != Op::open_call) return leaf;
                const auto& info = algebra::find_definition(leaf->open->name)->info;
                std::vector<Rational> values;
                for (const auto& a : leaf->open->arguments) {
                  if (a.value) continue;
                  if (a.range) {
                    values.push_back(upper ? a.range->high : a.range->low);
                    continue;
                  }
                  Rational value = 1;
                  for (const auto& p : info.parameters)
                    if (p.name == a.name && !p.default_value.empty())
                      value = algebra::constant_from(p.default_value);
                  values.push_back(upper ? value + Rational(1) : value);
                }
                return algebra::restrict_to(algebra::expand(*leaf->open, values), leaf->columns);
              },
          .columns = {}});
}

// A question that goes beyond the bounds on numbers and sizes is one that the form does not answer.
template <class Answer>
void ask(Answer& answer, const std::function<Answer()>& question) {
  try {
    answer = question();
  } catch (const Error&) {
    answer = Answer();
  }
}

Properties of_closed(const Expr& e, std::optional<std::uint32_t> dimension) {
  Properties p;
  const auto d = e->as_number ? std::uint32_t{1} : dimension;
  ask<bool>(p.symmetric, [&] { return algebra::is_symmetric(e); });
  ask<bool>(p.dot_product, [&] { return algebra::is_function_of_dot(e); });
  ask<bool>(p.stationary, [&] { return algebra::is_stationary(e); });
  ask<bool>(p.isotropic, [&] { return algebra::is_isotropic(e); });
  ask<std::optional<std::string>>(p.degree, [&] { return algebra::degree_of(e, d); });
  ask<Properties::FeatureSpace>(p.features,
                                [&] { return algebra::feature_space_of(e, dimension); });
  p.conditions = algebra::conditions_on(e, Domain());
  for (const char* name : {"R", "R+", "R++", "(-1,1)", "ball(1)"}) {
    const Domain domain = Domain::parse(name);
    if (!algebra::conditions_on(e, domain).empty()) continue;
    p.defined_on = domain;
    break;
  }
  return p;
}

}  // namespace

Properties properties(const Kernel& k, std::optional<std::uint32_t> dimension) {
  const Expr e = algebra::in_dimension(k.expression(), dimension);
  Properties p = of_closed(closed(e, false), dimension);
  if (!e->has_open) return p;
  const Properties q = of_closed(closed(e, true), dimension);
  p.symmetric = p.symmetric && q.symmetric;
  p.dot_product = p.dot_product && q.dot_product;
  p.stationary = p.stationary && q.stationary;
  p.isotropic = p.isotropic && q.isotropic;
  if (p.degree != q.degree) p.degree.reset();
  if (p.features.kind != q.features.kind || p.features.count != q.features.count) p.features = {};
  if (!(p.defined_on == q.defined_on)) p.defined_on.reset();
  return p;
}

}  // namespace mercer
