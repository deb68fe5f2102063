#include "kernel/recognise.hpp"

#include <mercer/error.hpp>

#include "kernel/catalogue/definition.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"

namespace mercer::algebra {

namespace {

// What the leaves and reductions of an expression say about columns.
struct Survey {
  std::optional<Columns> reduced;  // the columns of every reduction
  bool reductions_agree = true;
  std::optional<Expr> coordinate;  // one of the coordinates outside of reductions
  bool coordinates_agree = true;   // all such coordinates are the same one, of x or z
  bool opaque = false;
};

void survey(const Expr& e, Survey& s) {
  switch (e->op) {
    case Op::coordinate:
      if (e->place == Place::bound) return;
      if (!s.coordinate) s.coordinate = e;
      s.coordinates_agree = s.coordinates_agree && (*s.coordinate)->place == e->place &&
                            (*s.coordinate)->index == e->index &&
                            (*s.coordinate)->columns == e->columns;
      return;
    case Op::user:
    case Op::precomputed:
    case Op::open_call:
      s.opaque = true;
      return;
    case Op::sum_over:
    case Op::product_over:
    case Op::symmetric_over:
      s.reductions_agree = s.reductions_agree && (!s.reduced || *s.reduced == e->columns);
      s.reduced = e->columns;
      break;
    default:
      break;
  }
  for (const auto& arg : e->args) survey(arg, s);
}

Expr with_all_columns(const Expr& e) {
  return rewrite(e, {.leaf = [](const Expr& leaf, std::uint32_t) { return leaf; },
                     .columns = [](const Columns&) { return Columns(); }});
}

std::string call_text(const Definition& definition, const std::vector<Expr>& values) {
  std::string text;
  std::size_t i = 0;
  for (const auto& p : definition.info.parameters) {
    if (!p.definition.empty()) continue;
    const Expr& value = values[i++];
    if (i == 1) {
      text = print(value);
    } else if (!is_number(value, constant_from(p.default_value))) {
      text += ", " + std::string(p.name) + "=" + print(value);
    }
  }
  const std::string name(definition.info.name);
  return text.empty() ? name : name + "(" + text + ")";
}

std::vector<Argument> arguments_of(const Definition& definition, const std::vector<Expr>& values) {
  std::vector<Argument> arguments;
  std::size_t i = 0;
  for (const auto& p : definition.info.parameters)
    if (p.definition.empty()) arguments.push_back({p.name, values[i++]});
  return arguments;
}

// The call that expands to `wanted`; `place` puts an expansion where the wanted expression is.
template <class Put>
std::optional<std::string> find_call(const Expr& wanted, bool needed_only, const Put& place) {
  const auto [c, rest] = split_coefficient(wanted);
  const Multiple shown = readable(c, rest);
  const Expr& shape = shown.coefficient.is_one() ? shown.rest : wanted;
  for (const auto& definition : definitions()) {
    if (!definition.guess || (needed_only && !definition.build)) continue;
    for (const auto& values : definition.guess(shape)) {
      if (needed_only && definition.formula_for &&
          !definition.formula_for(arguments_of(definition, values)).empty())
        continue;
      try {
        if (equal(place(expand(definition.info.name, arguments_of(definition, values))), wanted))
          return call_text(definition, values);
      } catch (const Error&) {
        // A guess outside of the parameter's range is no match.
      }
    }
  }
  return std::nullopt;
}

}  // namespace

namespace {

Expr raw(Op op, std::vector<Expr> args) {
  Node n;
  n.op = op;
  n.args = std::move(args);
  return finish(std::move(n));
}

}  // namespace

namespace {

// Whether factor*(a*u + … + c) reads better multiplied out: where a fraction or a sign goes away.
bool reads_better(const Rational& factor, const Node& sum) {
  if (factor == -1) return !sum.coefficients[0].is_one();
  if (factor.is_integer()) return false;
  return !sum.coefficients[0].is_one() || abs(factor * sum.number).is_one();
}

}  // namespace

Multiple readable(const Rational& c, const Expr& e) {
  std::vector<Expr> factors = e->op == Op::product ? e->args : std::vector<Expr>{e};
  for (auto& f : factors) {
    const bool is_power = f->op == Op::power && is_number(f->args[1]);
    const Expr base = is_power ? f->args[0] : f;
    if (base->op != Op::sum || base->number.is_zero()) continue;
    const auto n = is_power ? f->args[1]->number.to_int() : std::optional<std::int64_t>(1);
    const auto factor = n ? exact_root(c, *n) : std::nullopt;
    if (!factor || !reads_better(*factor, *base)) continue;
    const Expr scaled = scale(*factor, base);
    f = is_power ? raw(Op::power, {scaled, f->args[1]}) : scaled;
    return {1, factors.size() == 1 ? factors[0] : raw(Op::product, std::move(factors))};
  }
  return {c, e};
}

std::optional<Restricted> restriction_of(const Expr& e) {
  Survey s;
  survey(e, s);
  if (s.opaque || s.coordinate || !s.reduced || !s.reductions_agree || s.reduced->all())
    return std::nullopt;
  Expr whole = with_all_columns(e);
  if (!equal(restrict_to(whole, *s.reduced), e)) return std::nullopt;
  return Restricted{std::move(whole), *s.reduced};
}

std::optional<std::string> recognise(const Expr& e, bool needed_only) {
  if (e->free_levels != 0) return std::nullopt;
  Survey s;
  survey(e, s);
  if (s.opaque) return std::nullopt;
  if (s.reduced && !s.coordinate && s.reductions_agree) {
    if (s.reduced->all()) return find_call(e, needed_only, [](const Expr& k) { return k; });
    if (const auto part = restriction_of(e))
      if (const auto call = find_call(part->whole, needed_only, [](const Expr& k) { return k; }))
        return *call + part->columns.kernel_suffix();
    return std::nullopt;
  }
  if (!s.coordinate || s.reduced || !s.coordinates_agree) return std::nullopt;
  const Node& c = **s.coordinate;
  if (c.place == Place::fixed) {  // one column: rbf(1)[3]
    const Columns column = Columns::at({{c.index, c.index}}).within(c.columns);
    const auto call =
        find_call(e, needed_only, [&](const Expr& k) { return restrict_to(k, column); });
    if (call) return *call + column.kernel_suffix();
  } else if (c.columns.all() && needed_only) {  // x and z are numbers
    return find_call(e, needed_only, [](const Expr& k) { return in_dimension_one(k); });
  }
  return std::nullopt;
}

}  // namespace mercer::algebra
