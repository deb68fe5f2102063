#include "proof/exponential_polynomial.hpp"

#include <mercer/error.hpp>

namespace mercer::proof {

namespace {

using algebra::Function;
using algebra::is_number;
using algebra::Op;
using Terms = ExponentialPolynomial::Terms;

// The one part that depends on both points and is not itself built by arithmetic, exp, cosh or
// sinh.
bool find_variable(const Expr& e, std::optional<Expr>& variable) {
  if (!e->uses_x && !e->uses_z) return is_number(e);
  const bool built = e->op == Op::sum || (e->op == Op::product && !e->as_number) ||
                     (e->op == Op::power && is_number(e->args[1]) &&
                      e->args[1]->number.is_integer() && e->args[1]->number.sign() > 0) ||
                     (e->op == Op::function && (e->fn == Function::exp || e->fn == Function::cosh ||
                                                e->fn == Function::sinh));
  if (built) {
    for (const auto& arg : e->args)
      if (!find_variable(arg, variable)) return false;
    return true;
  }
  if (!(e->uses_x && e->uses_z)) return false;
  if (variable && !algebra::equal(*variable, e)) return false;
  variable = e;
  return true;
}

class Reader {
 public:
  explicit Reader(Expr variable) : variable_(std::move(variable)) {}

  std::optional<Terms> run(const Expr& e) const {
    if (algebra::equal(e, variable_)) return Terms{{Rational(0), {Rational(0), Rational(1)}}};
    if (is_number(e)) return constant(e->number);
    switch (e->op) {
      case Op::sum: {
        Terms total = constant(e->number);
        for (std::size_t i = 0; i < e->args.size(); ++i) {
          const auto t = run(e->args[i]);
          if (!t) return std::nullopt;
          add(total, *t, e->coefficients[i]);
        }
        return total;
      }
      case Op::product: {
        Terms total = constant(1);
        for (const auto& arg : e->args) {
          const auto t = run(arg);
          if (!t) return std::nullopt;
          total = times(total, *t);
        }
        return total;
      }
      case Op::power: {
        const auto n = e->args[1]->number.to_int();
        const auto base = run(e->args[0]);
        constexpr std::int64_t largest = 20;
        if (!n || *n > largest || !base) return std::nullopt;
        Terms total = constant(1);
        for (std::int64_t i = 0; i < *n; ++i) total = times(total, *base);
        return total;
      }
      case Op::function: {
        // exp(a t) only: a constant beside it would leave the rationals.
        const auto [a, rest] = algebra::split_coefficient(e->args[0]);
        if (!algebra::equal(rest, variable_)) return std::nullopt;
        const Rational half = Rational(1) / Rational(2);
        if (e->fn == Function::exp) return Terms{{a, {Rational(1)}}};
        return Terms{{a, {half}}, {-a, {e->fn == Function::cosh ? half : -half}}};
      }
      default:
        return std::nullopt;
    }
  }

 private:
  static Terms constant(const Rational& c) {
    if (c.is_zero()) return {};
    return {{Rational(0), {c}}};
  }

  static void add(Terms& total, const Terms& more, const Rational& c) {
    for (const auto& [a, q] : more) {
      auto& to = total[a];
      if (to.size() < q.size()) to.resize(q.size());
      for (std::size_t i = 0; i < q.size(); ++i) to[i] += c * q[i];
      while (!to.empty() && to.back().is_zero()) to.pop_back();
      if (to.empty()) total.erase(a);
    }
  }

  static Terms times(const Terms& s, const Terms& t) {
    Terms product;
    for (const auto& [a, p] : s)
      for (const auto& [b, q] : t) {
        std::vector<Rational> r(p.size() + q.size() - 1);
        for (std::size_t i = 0; i < p.size(); ++i)
          for (std::size_t j = 0; j < q.size(); ++j) r[i + j] += p[i] * q[j];
        add(product, {{a + b, r}}, 1);
      }
    return product;
  }

  Expr variable_;
};

// k (k-1) … (k-i+1)
Rational falling(std::int64_t k, std::int64_t i) {
  Rational r = 1;
  for (std::int64_t j = 0; j < i; ++j) r *= Rational(k - j);
  return r;
}

}  // namespace

// The coefficient of t^k in t^i exp(a t) is a^(k-i)/(k-i)!.
Rational ExponentialPolynomial::coefficient(std::int64_t k) const {
  Rational total;
  for (const auto& [a, q] : terms_)
    for (std::size_t i = 0; i < q.size(); ++i) {
      const auto n = static_cast<std::int64_t>(i);
      if (q[i].is_zero() || n > k) continue;
      if (a.is_zero() && k != n) continue;
      total += q[i] * falling(k, n) * (a.is_zero() ? Rational(1) : *power(a, k - n));
    }
  return total;
}

// For all k' >= k of one parity. There, with b = |a|, the k!-fold coefficient is a sum of terms
// c · k^(i) · b^(k-i), k^(i) the falling factorial. The one with the largest b, and of those with
// the largest i, has to be positive; every other one falls against it from k on, so that it is
// enough to compare their sums at k.
bool ExponentialPolynomial::nonnegative_from(std::int64_t k, bool odd) const {
  std::map<Rational, std::map<std::int64_t, Rational>> by_size;
  for (const auto& [a, q] : terms_) {
    if (a.is_zero()) continue;  // a polynomial: nothing beyond its degree
    for (std::size_t i = 0; i < q.size(); ++i) {
      const auto n = static_cast<std::int64_t>(i);
      const bool flips = a.sign() < 0 && (odd != (n % 2 == 1));
      by_size[abs(a)][n] += flips ? -q[i] : q[i];
    }
  }
  struct Piece {
    Rational b;
    std::int64_t i;
    Rational c;
  };
  std::vector<Piece> pieces;
  for (const auto& [b, q] : by_size)
    for (const auto& [i, c] : q)
      if (!c.is_zero()) pieces.push_back({b, i, c});
  if (pieces.empty()) return true;
  const Piece lead = pieces.back();
  if (lead.c.sign() < 0) return false;
  const auto size = [&](const Piece& p) {
    return abs(p.c) * falling(k, p.i) * *power(p.b, k - p.i);
  };
  Rational others;
  for (std::size_t j = 0; j + 1 < pieces.size(); ++j) {
    const Piece& p = pieces[j];
    // From k to k+1 it grows by b (k+1)/(k+1-i), the leading one likewise: at most as fast?
    const Rational growth = p.b * Rational(k + 1 - lead.i);
    const Rational lead_growth = lead.b * Rational(k + 1 - p.i);
    if (growth > lead_growth) return false;
    if (p.c.sign() < 0) others += size(p);
  }
  return others <= size(lead);
}

bool ExponentialPolynomial::all_coefficients_nonnegative() const {
  std::int64_t degree = 0;
  for (const auto& [a, q] : terms_) degree = std::max(degree, static_cast<std::int64_t>(q.size()));
  constexpr std::int64_t furthest = 200;
  try {
    for (std::int64_t k = 0; k <= furthest; ++k) {
      if (k > degree) {
        // Each parity starts at k or k + 1; both have been looked at before that.
        const bool odd = k % 2 == 1;
        if (nonnegative_from(k, odd) && nonnegative_from(k + 1, !odd)) return true;
      }
      if (coefficient(k).sign() < 0) return false;
    }
  } catch (const Error&) {
    return false;
  }
  return false;
}

std::optional<ExponentialPolynomial> exponential_polynomial(const Expr& e) {
  std::optional<Expr> variable;
  if (!find_variable(e, variable) || !variable || algebra::equal(e, *variable)) return std::nullopt;
  auto terms = Reader(*variable).run(e);
  if (!terms) return std::nullopt;
  for (const auto& [a, q] : *terms)
    if (!a.is_zero()) return ExponentialPolynomial(*variable, std::move(*terms));
  return std::nullopt;
}

}  // namespace mercer::proof
