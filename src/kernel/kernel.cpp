#include <algorithm>
#include <map>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <ostream>

#include "kernel/elaborate.hpp"
#include "kernel/evaluate.hpp"
#include "kernel/expr.hpp"
#include "kernel/latex.hpp"
#include "kernel/open_call.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "kernel/user_functions.hpp"

namespace mercer {

namespace {

using algebra::Expr;
using algebra::Op;

template <class Visit>
void visit_open(const Expr& e, const Visit& visit) {
  if (!e->has_open) return;
  if (e->op == Op::open_call) visit(e);
  for (const auto& arg : e->args) visit_open(arg, visit);
}

Expr renumber(const Expr& e, const std::function<std::uint32_t(std::uint32_t)>& serial) {
  if (!e->has_open) return e;
  return algebra::rewrite(e, {.leaf =
                                  [&](const Expr& leaf, std::uint32_t) {
                                    if (leaf->op != Op::open_call) return leaf;
                                    return algebra::open_call(leaf->open, leaf->columns,
                                                              serial(leaf->serial));
                                  },
                              .columns = {}});
}

// Open parameters numbered in the order in which they are met.
Expr numbered(const Expr& e) {
  std::vector<std::uint32_t> order;
  visit_open(e, [&](const Expr& leaf) {
    if (std::find(order.begin(), order.end(), leaf->serial) == order.end())
      order.push_back(leaf->serial);
  });
  return renumber(e, [&](std::uint32_t serial) {
    return static_cast<std::uint32_t>(std::find(order.begin(), order.end(), serial) -
                                      order.begin()) +
           1;
  });
}

Expr canonical(const Expr& e) {
  if (!e->as_number) return numbered(e);
  const Expr of_numbers = algebra::in_dimension_one(e);
  // Where nothing but Matérn functions of the distance is left of the numbers, the expression says
  // nothing about the dimension any more.
  const Expr of_vectors = algebra::matern_of_vectors(of_numbers);
  return numbered(of_vectors->as_number ? of_numbers : of_vectors);
}

// The second operand's open parameters after those of the first: every `?` is one of its own.
std::pair<Expr, Expr> apart(const Kernel& a, const Kernel& b) {
  std::uint32_t last = 0;
  visit_open(a.expression(), [&](const Expr& leaf) { last = std::max(last, leaf->serial); });
  return {a.expression(), renumber(b.expression(), [&](std::uint32_t s) { return s + last; })};
}

Kernel function(algebra::Function fn, const Kernel& k) {
  return Kernel(algebra::apply_function(fn, k.expression()));
}

}  // namespace

Kernel::Kernel(const Expression& expression) : expression_(canonical(expression)) {}

Kernel::Kernel(double constant) : expression_(algebra::number(Rational::from_double(constant))) {}

Kernel Kernel::parse(std::string_view text) { return parse(text, {}); }

Kernel Kernel::parse(std::string_view text, const ParseOptions& options) {
  const Expr e = algebra::elaborate(text, options.dimension);
  try {
    return Kernel(e);
  } catch (const ParseError&) {
    throw;
  } catch (const Error& error) {
    algebra::fail(text, {0, text.size()}, error.what());
  }
}

double Kernel::operator()(std::span<const double> x, std::span<const double> z) const {
  return algebra::evaluate(expression_, x, z);
}

std::string Kernel::text() const { return algebra::print(expression_); }

std::string Kernel::formula() const {
  return algebra::print(expression_, algebra::Naming::formulas);
}

std::string Kernel::latex() const { return algebra::latex(expression_); }

KernelTree Kernel::tree() const { return algebra::tree_of(expression_); }

std::uint32_t Kernel::least_dimension() const { return expression_->least_dimension; }

bool Kernel::only_dimension_one() const { return expression_->as_number; }

Kernel Kernel::on(std::span<const std::uint32_t> columns) const {
  std::vector<algebra::Range> ranges;
  for (const auto c : columns) {
    if (c > algebra::Columns::max_index) throw Error("a column beyond 2147483647");
    ranges.push_back({c, c});
  }
  if (ranges.empty()) throw Error("a selection of no columns");
  return Kernel(algebra::restrict_to(expression_, algebra::Columns::at(ranges)));
}

Kernel Kernel::on(std::initializer_list<std::uint32_t> columns) const {
  return on(std::span(columns.begin(), columns.size()));
}

Kernel Kernel::on(std::string_view column) const {
  return Kernel(algebra::restrict_to(expression_, algebra::Columns::named({std::string(column)})));
}

bool Kernel::has_named_columns() const { return expression_->has_names; }

Kernel Kernel::with_columns(std::span<const std::string> names) const {
  return Kernel(algebra::resolve_columns(expression_, names));
}

namespace {

// The expression with its open calls numbered in the order of the text, and those calls in that
// order. (Canonical numbers follow the tree, and what stands below a bar prints last.)
struct InTextOrder {
  Expr expression;
  std::vector<Expr> calls;
};

InTextOrder in_text_order(const Expr& e) {
  InTextOrder result{e, {}};
  if (!e->has_open) return result;
  result.expression = algebra::elaborate(algebra::print(e));
  visit_open(result.expression, [&](const Expr& leaf) {
    const auto same = [&](const Expr& other) { return other->serial == leaf->serial; };
    if (std::none_of(result.calls.begin(), result.calls.end(), same)) result.calls.push_back(leaf);
  });
  std::sort(result.calls.begin(), result.calls.end(),
            [](const Expr& a, const Expr& b) { return a->serial < b->serial; });
  return result;
}

}  // namespace

std::vector<OpenParameter> Kernel::open_parameters() const {
  std::vector<OpenParameter> result;
  for (const auto& call : in_text_order(expression_).calls) {
    for (const auto& argument : call->open->arguments) {
      if (argument.value) continue;
      OpenParameter parameter{call->open->name, argument.name, std::nullopt};
      if (argument.range)
        parameter.range = {argument.range->low.to_double(), argument.range->high.to_double()};
      result.push_back(std::move(parameter));
    }
  }
  return result;
}

Kernel Kernel::with_parameters(std::span<const double> values) const {
  const std::size_t wanted = open_parameters().size();
  if (values.size() != wanted)
    throw Error("the kernel has " + std::to_string(wanted) + " open parameters, but " +
                std::to_string(values.size()) + " values were given");
  std::vector<Rational> exact;
  for (const double v : values) exact.push_back(Rational::from_double(v));
  const InTextOrder ordered = in_text_order(expression_);
  std::map<std::uint32_t, std::size_t> first;  // serial of a call: where its values start
  std::size_t next = 0;
  for (const auto& call : ordered.calls) {
    first[call->serial] = next;
    next += count_open(*call->open);
  }
  return Kernel(algebra::rewrite(
      ordered.expression, {.leaf =
                               [&](const Expr& leaf, std::uint32_t) {
                                 if (leaf->op != Op::open_call) return leaf;
                                 const Expr k = algebra::expand(
                                     *leaf->open, std::span(exact).subspan(first[leaf->serial]));
                                 return algebra::restrict_to(k, leaf->columns);
                               },
                           .columns = {}}));
}

std::vector<std::string> Kernel::user_functions() const {
  std::vector<std::string> names;
  const std::function<void(const Expr&)> visit = [&](const Expr& e) {
    if (e->op == Op::user && std::find(names.begin(), names.end(), e->user->name) == names.end())
      names.push_back(e->user->name);
    for (const auto& arg : e->args) visit(arg);
  };
  visit(expression_);
  return names;
}

Kernel operator+(const Kernel& a, const Kernel& b) {
  const auto [left, right] = apart(a, b);
  return Kernel(algebra::add(left, right));
}

Kernel operator-(const Kernel& a, const Kernel& b) {
  const auto [left, right] = apart(a, b);
  return Kernel(algebra::subtract(left, right));
}

Kernel operator*(const Kernel& a, const Kernel& b) {
  const auto [left, right] = apart(a, b);
  return Kernel(algebra::multiply(left, right));
}

Kernel operator/(const Kernel& a, const Kernel& b) {
  const auto [left, right] = apart(a, b);
  return Kernel(algebra::divide(left, right));
}

Kernel operator-(const Kernel& a) { return Kernel(algebra::scale(-1, a.expression())); }

bool operator==(const Kernel& a, const Kernel& b) {
  return algebra::equal(a.expression(), b.expression());
}

std::size_t Kernel::hash() const { return expression_->hash; }

std::ostream& operator<<(std::ostream& out, const Kernel& k) { return out << k.text(); }

Kernel normalize(const Kernel& k) { return Kernel(algebra::normalize(k.expression())); }

Kernel pow(const Kernel& k, double exponent) {
  return Kernel(algebra::power(k.expression(), Rational::from_double(exponent)));
}

Kernel exp(const Kernel& k) { return function(algebra::Function::exp, k); }
Kernel log(const Kernel& k) { return function(algebra::Function::log, k); }
Kernel cos(const Kernel& k) { return function(algebra::Function::cos, k); }
Kernel sin(const Kernel& k) { return function(algebra::Function::sin, k); }
Kernel cosh(const Kernel& k) { return function(algebra::Function::cosh, k); }
Kernel sinh(const Kernel& k) { return function(algebra::Function::sinh, k); }
Kernel tanh(const Kernel& k) { return function(algebra::Function::tanh, k); }
Kernel asin(const Kernel& k) { return function(algebra::Function::asin, k); }
Kernel abs(const Kernel& k) { return function(algebra::Function::abs, k); }
Kernel sqrt(const Kernel& k) { return Kernel(algebra::sqrt(k.expression())); }

Kernel min(const Kernel& a, const Kernel& b) {
  const auto [left, right] = apart(a, b);
  return Kernel(algebra::minimum({left, right}));
}

Kernel max(const Kernel& a, const Kernel& b) {
  const auto [left, right] = apart(a, b);
  return Kernel(algebra::maximum({left, right}));
}

Kernel user(std::string_view name, UserFunction function) {
  return Kernel(algebra::user(algebra::register_user(name, std::move(function)), {}, false));
}

}  // namespace mercer
