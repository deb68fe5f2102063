#include "gram/body.hpp"

#include "kernel/evaluate.hpp"
#include "kernel/form.hpp"
#include "kernel/multiply_out.hpp"
#include "kernel/transform.hpp"

namespace mercer::gram {

namespace {

using algebra::Function;
using algebra::is_bound;
using algebra::is_function;
using algebra::is_number;
using algebra::Op;
using algebra::Side;

constexpr std::uint64_t own_level = 1;  // bit 0 of free_levels

// f(x[i]) or f(z[i]) as a function of the number x; null for the identity.
Expr map_of(const Expr& e) {
  if (is_bound(e, Side::x) || is_bound(e, Side::z)) return nullptr;
  return algebra::substitute_bound(e, [](Side) { return algebra::only_coordinate(Side::x, {}); });
}

// c (x[i] - z[i]): c.
std::optional<Rational> difference(const Expr& e) {
  const auto v = algebra::linear_vector(e);
  if (!v || v->size() != 2 || (*v)[0].first != -(*v)[1].first) return std::nullopt;
  return (*v)[0].first;
}

bool is_pair(const Expr& e) {
  return e->args.size() == 2 && ((is_bound(e->args[0], Side::x) && is_bound(e->args[1], Side::z)) ||
                                 (is_bound(e->args[0], Side::z) && is_bound(e->args[1], Side::x)));
}

class Splitter {
 public:
  explicit Splitter(bool cancelling) : cancelling_(cancelling) {}

  bool add(double c, const Rational& exact, const Expr& e) {
    if (algebra::is_constant(e)) {
      sum_.constant += c * algebra::constant_value(e);
      return true;
    }
    if (e->free_levels != own_level || e->has_opaque) return false;
    if (!e->uses_x || !e->uses_z) {
      if (algebra::has_reduction(e)) return false;
      sum_.alone.push_back({exact, e});
      return true;
    }
    switch (e->op) {
      case Op::sum:
        return add_sum(exact, e);
      case Op::product:
        return add_product(c, exact, e);
      case Op::power:
        return add_power(c, exact, e);
      case Op::function:
        return add_function(c, e);
      case Op::minimum:
        return is_pair(e) && add_term(c, Reduce::minimum);
      case Op::maximum:
        return is_pair(e) && add_term(c, Reduce::maximum);
      case Op::chi:
        return is_pair(e) && add_term(c, Reduce::chi);
      default:
        return false;
    }
  }

  FastSum take() { return std::move(sum_); }

 private:
  bool add_term(double c, Reduce kind, Expr x = nullptr, Expr z = nullptr) {
    constexpr std::size_t most = 8;
    sum_.both.push_back({c, kind, std::move(x), std::move(z)});
    return sum_.both.size() <= most;
  }

  bool add_sum(const Rational& exact, const Expr& e) {
    sum_.constant += exact.to_double() * e->value;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const Rational c = exact * e->coefficients[i];
      if (!add(c.to_double(), c, e->args[i])) return false;
    }
    return true;
  }

  // f(x[i]) g(z[i]), or what multiplying out makes of it.
  bool add_product(double c, const Rational& exact, const Expr& e) {
    std::vector<Expr> of_x;
    std::vector<Expr> of_z;
    for (const auto& f : e->args) {
      if (f->uses_x && f->uses_z) return add_multiplied_out(exact, e);
      if (algebra::has_reduction(f)) return false;
      (f->uses_z ? of_z : of_x).push_back(f);
    }
    return add_term(c, Reduce::dot, map_of(algebra::multiply(of_x)),
                    map_of(algebra::multiply(of_z)));
  }

  bool add_power(double c, const Rational& exact, const Expr& e) {
    const Expr& base = e->args[0];
    if (is_number(e->args[1], 2)) {
      if (const auto d = difference(base))
        return add_term(c * (*d * *d).to_double(), Reduce::squared_difference);
      if (cancelling_ && is_function(base, Function::sin)) {
        sum_.constant += c / 2;
        return add_cosine(-c / 2, algebra::scale(2, base->args[0]));
      }
    }
    return add_multiplied_out(exact, e);
  }

  bool add_function(double c, const Expr& e) {
    if (e->fn == Function::abs)
      if (const auto d = difference(e->args[0]))
        return add_term(c * abs(*d).to_double(), Reduce::absolute_difference);
    return cancelling_ && e->fn == Function::cos && add_cosine(c, e->args[0]);
  }

  // cos(f(x) - f(z)) = cos f(x) cos f(z) + sin f(x) sin f(z), for f a multiple of x[i].
  bool add_cosine(double c, const Expr& written) {
    const Expr angle = algebra::multiplied_out(written);
    if (angle->op != Op::sum || !angle->number.is_zero() || angle->args.size() != 2) return false;
    std::vector<algebra::Term> of_x;
    std::vector<algebra::Term> of_z;
    for (std::size_t i = 0; i < 2; ++i) {
      const Expr& t = angle->args[i];
      if (t->uses_x && t->uses_z) return false;
      (t->uses_z ? of_z : of_x).push_back({angle->coefficients[i], t});
    }
    if (of_x.size() != 1 || of_z.size() != 1) return false;
    const Expr x = map_of(algebra::sum(of_x));
    of_z[0].coefficient = -of_z[0].coefficient;
    const Expr z = map_of(algebra::sum(of_z));
    const Expr fx = x == nullptr ? algebra::only_coordinate(Side::x, {}) : x;
    const Expr fz = z == nullptr ? algebra::only_coordinate(Side::x, {}) : z;
    return add_term(c, Reduce::dot, algebra::apply_function(Function::cos, fx),
                    algebra::apply_function(Function::cos, fz)) &&
           add_term(c, Reduce::dot, algebra::apply_function(Function::sin, fx),
                    algebra::apply_function(Function::sin, fz));
  }

  bool add_multiplied_out(const Rational& exact, const Expr& e) {
    const Expr flat = algebra::multiplied_out(e);
    return !algebra::equal(flat, e) && add(exact.to_double(), exact, flat);
  }

  bool cancelling_;
  FastSum sum_;
};

}  // namespace

std::optional<FastSum> fast_sum(const Expr& body, bool cancelling) {
  Splitter splitter(cancelling);
  if (!splitter.add(1, 1, body)) return std::nullopt;
  FastSum sum = splitter.take();
  if (sum.both.empty()) return std::nullopt;
  return sum;
}

std::optional<LinearInProduct> linear_in_product(const Expr& body) {
  if (body->free_levels != own_level || body->has_opaque) return std::nullopt;
  const auto is_product = [](const Expr& e) { return e->op == Op::product && is_pair(e); };
  if (is_product(body)) return LinearInProduct{0, 1};
  if (body->op == Op::sum && body->args.size() == 1 && is_product(body->args[0]))
    return LinearInProduct{body->value, body->weights[0]};
  return std::nullopt;
}

}  // namespace mercer::gram
