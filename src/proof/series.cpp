#include "proof/series.hpp"

#include <algorithm>
#include <mercer/error.hpp>
#include <vector>

#include "kernel/transform.hpp"
#include "proof/constant_sign.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/taylor.hpp"

namespace mercer::proof {

namespace {

using algebra::Function;
using algebra::is_constant;
using algebra::is_function;
using algebra::is_number;
using algebra::Op;
using Positive = std::function<bool(const Expr&)>;

// ---- parts whose coefficients are >= 0 by their form

class Form {
 public:
  Form(Expr t, const Positive& positive) : t_(std::move(t)), positive_(positive) {}

  // n where the coefficients from t^n on are >= 0.
  [[nodiscard]] std::optional<std::size_t> nonnegative_from(const Expr& e) const {
    if (is_constant(e)) return constant_is_nonnegative(e) == true ? 0 : 1;
    if (exponent_of(e, t_)) return 0;
    switch (e->op) {
      case Op::sum: {
        std::size_t from = e->number.sign() < 0 ? 1 : 0;
        for (std::size_t i = 0; i < e->args.size(); ++i) {
          const auto n = e->coefficients[i].sign() >= 0 ? nonnegative_from(e->args[i])
                                                        : negative_multiple_from(e->args[i]);
          if (!n) return std::nullopt;
          from = std::max(from, *n);
        }
        return from;
      }
      case Op::product:
        return all(e->args) ? std::optional<std::size_t>(0) : std::nullopt;
      case Op::power: {
        if (!is_number(e->args[1])) return of_exponential(e);
        const Rational& r = e->args[1]->number;
        if (r.sign() < 0) return falls(e->args[0]) ? std::optional<std::size_t>(0) : std::nullopt;
        if (r.is_integer() && all({e->args[0]})) return 0;
        return std::nullopt;
      }
      case Op::function:
        return of_function(e);
      default:
        return std::nullopt;
    }
  }

 private:
  [[nodiscard]] bool all(const std::vector<Expr>& parts) const {
    return std::ranges::all_of(
        parts, [&](const Expr& p) { return nonnegative_from(p) == std::size_t{0}; });
  }

  // b^F for b >= 1 is exp(F log b)
  [[nodiscard]] std::optional<std::size_t> of_exponential(const Expr& e) const {
    if (!is_number(e->args[0]) || e->args[0]->number < Rational(1)) return std::nullopt;
    const auto from = nonnegative_from(e->args[1]);
    return from && *from <= 1 ? std::optional<std::size_t>(0) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> of_function(const Expr& e) const {
    const Expr& arg = e->args[0];
    switch (e->fn) {
      case Function::exp: {
        const auto from = nonnegative_from(arg);
        return from && *from <= 1 ? std::optional<std::size_t>(0) : std::nullopt;
      }
      case Function::cosh:
      case Function::sinh:
        return all({arg}) ? std::optional<std::size_t>(0) : std::nullopt;
      case Function::asin:
        // converges on [-1,1], where it is defined at all
        return all({arg}) ? std::optional<std::size_t>(0) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // -log(c - F) and -(c - F)^r for 0 < r < 1: all but the first.
  [[nodiscard]] std::optional<std::size_t> negative_multiple_from(const Expr& e) const {
    if (is_constant(e)) return 1;
    if (is_function(e, Function::log) && falls(e->args[0])) return 1;
    if (e->op == Op::power && is_number(e->args[1]) && e->args[1]->number.sign() > 0 &&
        e->args[1]->number < Rational(1) && falls(e->args[0]))
      return 1;
    return std::nullopt;
  }

  // c - F with F of coefficients >= 0, and positive wherever it is asked for. Then |F| < c there,
  // since F(|t|) <= F(√(t(x,x) t(z,z))) and the diagonal is asked for too.
  [[nodiscard]] bool falls(const Expr& e) const {
    const auto from = nonnegative_from(algebra::scale(-1, e));
    return from && *from <= 1 && positive_(e);
  }

  Expr t_;
  const Positive& positive_;
};

// ---- parts whose coefficients follow a rule: c t^s F(b t)

// F: exp, (1 - u)^(-r), -log(1 - u). The ratio of one coefficient to the one before is rational in
// their number, which tells which part grows faster, for all orders at once.
struct Part {
  enum class Kind { exp, power, log } kind = Kind::exp;
  Expr c = algebra::number(1);  // constant
  std::int64_t s = 0;
  Rational b;
  Rational r;  // power

  [[nodiscard]] std::int64_t first() const { return kind == Kind::log ? s + 1 : s; }

  [[nodiscard]] Rational coefficient(std::int64_t k) const {  // without c
    if (k < first()) return 0;
    Rational value = kind == Kind::log ? b : Rational(1);
    for (std::int64_t j = first(); j < k; ++j) {
      const auto [up, down] = ratio();
      value =
          value * (up.first + up.second * Rational(j)) / (down.first + down.second * Rational(j));
    }
    return value;
  }

  // From t^k to t^(k+1), as (p0 + p1 k)/(q0 + q1 k).
  using Linear = std::pair<Rational, Rational>;
  [[nodiscard]] std::pair<Linear, Linear> ratio() const {
    const Rational shift(s);
    const Linear down{Rational(1) - shift, 1};
    switch (kind) {
      case Kind::exp:
        return {{b, 0}, down};
      case Kind::power:
        return {{b * (r - shift), b}, down};
      case Kind::log:
        break;
    }
    return {{-b * shift, b}, down};
  }
};

struct Affine {
  Expr a;      // constant
  Rational b;  // of t
};

std::optional<Affine> affine(const Expr& e, const Expr& t) {
  if (algebra::equal(e, t)) return Affine{algebra::number(0), 1};
  if (e->op != Op::sum) return std::nullopt;
  std::vector<algebra::Term> constant;
  Rational b;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    if (algebra::equal(e->args[i], t)) {
      b = e->coefficients[i];
    } else if (is_constant(e->args[i])) {
      constant.push_back({e->coefficients[i], e->args[i]});
    } else {
      return std::nullopt;
    }
  }
  return Affine{algebra::sum(constant, e->number), b};
}

std::optional<Part> part_of(const Expr& e, const Expr& t, const Positive& positive) {
  Part part;
  bool taken = false;
  for (const auto& f : e->op == Op::product ? e->args : std::vector<Expr>{e}) {
    if (is_constant(f)) {
      part.c = algebra::multiply(part.c, f);
      continue;
    }
    if (const auto n = exponent_of(f, t)) {
      part.s += static_cast<std::int64_t>(*n);
      continue;
    }
    if (is_function(f, Function::exp)) {
      const auto arg = affine(f->args[0], t);
      if (!arg || (taken && part.kind != Part::Kind::exp)) return std::nullopt;
      part.c = algebra::multiply(part.c, algebra::apply_function(Function::exp, arg->a));
      part.b += arg->b;
      taken = true;
      continue;
    }
    if (taken) return std::nullopt;
    taken = true;
    if (f->op == Op::power && is_number(f->args[1]) && f->args[1]->number.sign() < 0) {
      const auto base = affine(f->args[0], t);
      if (!base || !is_number(base->a) || base->a->number.sign() <= 0 || !positive(f->args[0]))
        return std::nullopt;
      part.kind = Part::Kind::power;
      part.r = -f->args[1]->number;
      part.b = -base->b / base->a->number;
      part.c = algebra::multiply(part.c, algebra::power(base->a, f->args[1]->number));
    } else {
      return std::nullopt;
    }
  }
  if (!taken) return std::nullopt;
  return part;
}

// p >= q for all k >= from, where both are ratios of consecutive coefficients with positive
// denominators from there on.
bool grows_faster(const Part& a, const Part& b, std::int64_t from) {
  const auto [p, q] = a.ratio();
  const auto [u, v] = b.ratio();
  // (p0 + p1 k)(v0 + v1 k) - (u0 + u1 k)(q0 + q1 k), at k = from + m
  const auto at = [&](const Part::Linear& l) {
    return Part::Linear{l.first + l.second * Rational(from), l.second};
  };
  const auto p1 = at(p);
  const auto q1 = at(q);
  const auto u1 = at(u);
  const auto v1 = at(v);
  const Rational c0 = p1.first * v1.first - u1.first * q1.first;
  const Rational c1 =
      p1.first * v1.second + p1.second * v1.first - u1.first * q1.second - u1.second * q1.first;
  const Rational c2 = p1.second * v1.second - u1.second * q1.second;
  return c0.sign() >= 0 && c1.sign() >= 0 && c2.sign() >= 0 && q1.first.sign() > 0 &&
         v1.first.sign() > 0;
}

Expr without_hyperbolic(const Expr& e) {
  if (e->args.empty()) return e;
  std::vector<Expr> args;
  for (const auto& arg : e->args) args.push_back(without_hyperbolic(arg));
  if (is_function(e, Function::cosh) || is_function(e, Function::sinh)) {
    const Rational half(1, 2);
    return algebra::sum({{half, algebra::apply_function(Function::exp, args[0])},
                         {e->fn == Function::cosh ? half : -half,
                          algebra::apply_function(Function::exp, algebra::scale(-1, args[0]))}});
  }
  return algebra::with_args(*e, std::move(args));
}

// Σ of such parts and a polynomial: one part with a positive factor outgrows those with negative
// ones from some order on.
class Race {
 public:
  static std::optional<Race> read(const Expr& given, const Expr& t, const Positive& positive) {
    const Expr e = multiplied_out(without_hyperbolic(given));
    Race race;
    const auto add = [&](const Rational& c, const Expr& term) {
      if (is_constant(term)) return true;
      if (const auto n = exponent_of(term, t)) {
        race.degree_ = std::max(race.degree_, static_cast<std::int64_t>(*n));
        return true;
      }
      auto part = part_of(term, t, positive);
      if (!part && is_function(term, Function::log)) {
        // log(a + b t) = log(a) - Σ (-b/a)^k t^k / k
        const auto arg = affine(term->args[0], t);
        if (!arg || !is_number(arg->a) || arg->a->number.sign() <= 0 || !positive(term->args[0]))
          return false;
        part = Part{Part::Kind::log, algebra::number(-1), 0, -arg->b / arg->a->number, 0};
      }
      if (!part) return false;
      part->c = algebra::scale(c, part->c);
      // Coefficients that alternate in sign may all be negative.
      const auto sign = constant_sign(part->c);
      if (!sign) return false;
      const bool alternates = part->b.sign() < 0;
      if (alternates) part->b = -part->b;
      if (alternates && *sign > 0) part->c = algebra::scale(-1, part->c);
      (alternates || *sign < 0 ? race.against_ : race.in_favour_).push_back(*part);
      return true;
    };
    if (e->op == Op::sum) {
      for (std::size_t i = 0; i < e->args.size(); ++i)
        if (!add(e->coefficients[i], e->args[i])) return std::nullopt;
    } else if (!add(1, e)) {
      return std::nullopt;
    }
    return race;
  }

  // The order from which on one part in favour outweighs all against; none where it is not found.
  [[nodiscard]] std::optional<std::int64_t> won_from() const {
    if (against_.empty()) return degree_ + 1;
    constexpr std::int64_t furthest = 150;
    for (const auto& lead : in_favour_) {
      for (std::int64_t k = std::max<std::int64_t>(degree_ + 1, 2); k <= furthest; k += 1 + k / 8) {
        if (!faster_than_all(lead, k)) continue;
        std::vector<algebra::Term> balance{{lead.coefficient(k), lead.c}};
        for (const auto& p : against_) balance.push_back({p.coefficient(k), p.c});
        if (constant_is_nonnegative(algebra::sum(balance)) == true) return k;
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool faster_than_all(const Part& lead, std::int64_t from) const {
    if (from < lead.first()) return false;
    return std::ranges::all_of(
        against_, [&](const Part& p) { return from >= p.first() && grows_faster(lead, p, from); });
  }

  std::int64_t degree_ = 0;
  std::vector<Part> in_favour_;
  std::vector<Part> against_;
};

// The order beyond which there is nothing negative.
std::optional<std::size_t> nonnegative_beyond(const Expr& e, const Expr& t,
                                              const Positive& positive) {
  // A polynomial part may be negative; all else by form.
  const Form form(t, positive);
  std::size_t from = 1;
  const auto add = [&](const Rational& c, const Expr& term) {
    if (const auto n = exponent_of(term, t)) {
      from = std::max<std::size_t>(from, *n + 1);
      return true;
    }
    const auto n = form.nonnegative_from(algebra::scale(c, term));
    if (n) from = std::max(from, *n);
    return n.has_value();
  };
  bool by_form = true;
  const Expr flat = e->op == Op::sum ? e : multiplied_out(e);
  if (flat->op == Op::sum) {
    for (std::size_t i = 0; by_form && i < flat->args.size(); ++i)
      by_form = add(flat->coefficients[i], flat->args[i]);
  } else {
    by_form = add(1, flat);
  }
  if (by_form) return from;
  const auto race = Race::read(e, t, positive);
  const auto won = race ? race->won_from() : std::nullopt;
  return won ? std::optional(static_cast<std::size_t>(*won)) : std::nullopt;
}

}  // namespace

SeriesSigns series_signs(const Expr& e, const Expr& t, const Positive& positive) {
  SeriesSigns signs;
  try {
    const auto beyond = nonnegative_beyond(e, t, positive);
    constexpr std::size_t look = 12;
    constexpr std::size_t furthest = 150;
    if (beyond && *beyond > furthest) return signs;
    const auto coefficients = taylor(e, t, beyond ? *beyond : look);
    if (!coefficients) return signs;
    bool all = true;
    for (std::size_t k = 0; k < coefficients->size(); ++k) {
      const auto good = constant_is_nonnegative((*coefficients)[k]);
      if (good == true) continue;
      all = false;
      if (good == false) {
        signs.negative = k;
        return signs;
      }
    }
    signs.all_nonnegative = beyond && all;
  } catch (const Error&) {
    // numbers beyond the bounds: nothing is known
  }
  return signs;
}

}  // namespace mercer::proof
