#include "proof/series.hpp"

#include <algorithm>
#include <array>
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
          if (is_half_of_arc(*e, i)) continue;
          const auto n = e->coefficients[i].sign() >= 0 ? nonnegative_from(e->args[i])
                                                        : negative_multiple_from(e->args[i]);
          if (!n) return std::nullopt;
          from = std::max(from, *n);
        }
        return from;
      }
      case Op::product:
        return all(tangents_taken(factors_in(e, t_))) ? std::optional<std::size_t>(0)
                                                      : std::nullopt;
      case Op::power: {
        if (!is_number(e->args[1])) return of_exponential(e);
        const Rational& r = e->args[1]->number;
        if (r.sign() < 0)
          return falls(e->args[0]) || positive_roots(e->args[0]) || is_secant(e)
                     ? std::optional<std::size_t>(0)
                     : std::nullopt;
        if (r.is_integer() && all({e->args[0]})) return 0;
        return std::nullopt;
      }
      case Op::function:
        return of_function(e);
      default:
        return std::nullopt;
    }
  }

  // √(1 - t²) beside at least as much of t asin(t): together 1 + ∫ asin, whose coefficients are
  // >= 0.
  [[nodiscard]] bool is_half_of_arc(const algebra::Node& sum, std::size_t i) const {
    const Expr square = algebra::sum({{-1, algebra::power(t_, Rational(2))}}, 1);
    if (sum.coefficients[i].sign() <= 0 || !algebra::equal(sum.args[i], algebra::sqrt(square)))
      return false;
    const Expr angle = algebra::apply_function(Function::asin, t_);
    for (std::size_t j = 0; j < sum.args.size(); ++j) {
      const auto factors = factors_in(sum.args[j], t_);
      if (factors.size() != 2 || !algebra::equal(factors[0], t_) == !algebra::equal(factors[1], t_))
        continue;
      const Expr& other = factors[algebra::equal(factors[0], t_) ? 1 : 0];
      Rational amount = algebra::equal(other, angle) ? 1 : 0;
      for (std::size_t k = 0; other->op == Op::sum && k < other->args.size(); ++k)
        if (algebra::equal(other->args[k], angle)) amount = other->coefficients[k];
      if (sum.coefficients[j] * amount >= sum.coefficients[i]) return true;
    }
    return false;
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

  // 1/cos(F)^r: log(1/cos) has coefficients >= 0, the integral of tan. It converges up to a quarter
  // turn; beyond a further one the cosine is positive again.
  [[nodiscard]] bool is_secant(const Expr& e) const {
    if (e->op != Op::power || !is_number(e->args[1]) || e->args[1]->number.sign() >= 0 ||
        !is_function(e->args[0], Function::cos))
      return false;
    const Expr& angle = e->args[0]->args[0];
    const Expr quarter = algebra::scale(Rational(1, 2), algebra::pi());
    return vanishes_at_0(angle) && all({angle}) && positive_(algebra::subtract(quarter, angle));
  }

  [[nodiscard]] bool vanishes_at_0(const Expr& e) const {
    const auto first = taylor(e, t_, 1);
    return first && is_number((*first)[0], 0);
  }

  // Without sin(F)/cos(F), whose coefficients are >= 0.
  [[nodiscard]] std::vector<Expr> tangents_taken(std::vector<Expr> factors) const {
    for (auto& secant : factors) {
      if (!is_secant(secant) || secant->args[1]->number > Rational(-1)) continue;
      const Expr sine = algebra::apply_function(Function::sin, secant->args[0]->args[0]);
      const auto at =
          std::ranges::find_if(factors, [&](const Expr& f) { return algebra::equal(f, sine); });
      if (at == factors.end()) continue;
      *at = algebra::number(1);
      secant = algebra::power(secant->args[0], secant->args[1]->number + Rational(1));
    }
    return factors;
  }

  // q0 + q1 t + q2 t² with two positive roots, and t below both of them: 1/(b1 - t) 1/(b2 - t). It
  // is positive above them, too, where the series has no sum.
  [[nodiscard]] bool positive_roots(const Expr& e) const {
    if (e->op != Op::sum || !positive_(e)) return false;
    const auto q = taylor(e, t_, 4);
    if (!q || !is_number((*q)[3], 0)) return false;
    for (const auto& arg : e->args)
      if (!exponent_of(arg, t_) || *exponent_of(arg, t_) > 2) return false;
    const Expr room = algebra::subtract(algebra::power((*q)[1], Rational(2)),
                                        algebra::scale(4, algebra::multiply((*q)[0], (*q)[2])));
    const Expr slope = algebra::add((*q)[1], algebra::scale(2, algebra::multiply((*q)[2], t_)));
    return constant_sign((*q)[0]) == 1 && constant_sign((*q)[1]) == -1 &&
           constant_sign((*q)[2]) == 1 && constant_is_nonnegative(room) == true &&
           positive_(algebra::scale(-1, slope));
  }

  // -log(c - F) and -(c - F)^r for 0 < r < 1: all but the first.
  [[nodiscard]] std::optional<std::size_t> negative_multiple_from(const Expr& e) const {
    if (is_constant(e)) return 1;
    if (is_function(e, Function::log) && falls(e->args[0])) return 1;
    if (e->op == Op::power && is_number(e->args[1]) && e->args[1]->number.sign() > 0 &&
        e->args[1]->number < Rational(1) && falls(e->args[0], true))
      return 1;
    return std::nullopt;
  }

  // c - F with F of coefficients >= 0, and positive wherever it is asked for. Then |F| < c there,
  // since F(|t|) <= F(√(t(x,x) t(z,z))) and the diagonal is asked for too.
  [[nodiscard]] bool falls(const Expr& e, bool to_0 = false) const {
    const auto from = nonnegative_from(algebra::scale(-1, e));
    if (!from || *from > 1) return false;
    // A root converges where it is 0, too; it is defined only where the base is >= 0.
    if (!to_0) return positive_(e);
    const auto first = taylor(e, t_, 1);
    return first && constant_sign((*first)[0]) == 1;
  }

  Expr t_;
  const Positive& positive_;
};

// ---- parts whose coefficients follow a rule: c t^s F(b t)

// The size of the coefficients of t^s F(b t), b > 0, for F: exp, cos and sin (of which every other
// is 0), (1 - u)^(-r) and log(1 - u). The ratio of one to the one before is b times a rational
// function of their number, which tells which grows faster, for all orders at once.
struct Growth {
  enum class Kind { exp, power, log } kind = Kind::exp;
  Expr b = algebra::number(0);
  std::int64_t s = 0;
  Rational r;

  bool operator==(const Growth& o) const {
    return kind == o.kind && s == o.s && r == o.r && algebra::equal(b, o.b);
  }

  // From here on all have one sign.
  [[nodiscard]] std::int64_t first() const {
    if (kind == Kind::power) {
      std::int64_t j = 0;
      while (r + Rational(j) <= Rational(0)) ++j;
      return s + j;
    }
    return kind == Kind::log ? s + 1 : s;
  }

  // The coefficient of t^k, without the power of b.
  [[nodiscard]] Rational weight(std::int64_t k) const {
    const std::int64_t j = k - s;
    if (j < 0) return 0;
    Rational w = 1;
    switch (kind) {
      case Kind::exp:
        for (std::int64_t i = 2; i <= j; ++i) w = w / Rational(i);
        return w;
      case Kind::power:
        for (std::int64_t i = 0; i < j; ++i) w = w * (r + Rational(i)) / Rational(i + 1);
        return w;
      case Kind::log:
        break;
    }
    return j == 0 ? Rational() : Rational(1, j);
  }

  // From t^k to t^(k+1): b (p0 + p1 k)/(q0 + q1 k).
  using Linear = std::pair<Rational, Rational>;
  [[nodiscard]] std::pair<Linear, Linear> ratio() const {
    const Rational shift(s);
    const Linear down{Rational(1) - shift, 1};
    switch (kind) {
      case Kind::exp:
        return {{1, 0}, down};
      case Kind::power:
        return {{r - shift, 1}, down};
      case Kind::log:
        break;
    }
    return {{-shift, 1}, down};
  }
};

// One part: its growth, and a constant for each residue of k modulo 4.
struct Part {
  Growth growth;
  std::array<Expr, 4> constants;
};

struct Affine {
  Expr a;  // constants
  Expr b;
};

std::optional<Affine> affine(const Expr& e, const Expr& t) {
  std::vector<algebra::Term> a;
  std::vector<algebra::Term> b;
  const auto add = [&](const Rational& c, const Expr& term) {
    if (is_constant(term)) {
      a.push_back({c, term});
      return true;
    }
    std::vector<Expr> constants;
    std::vector<Expr> others;
    for (const auto& f : term->op == Op::product ? term->args : std::vector<Expr>{term})
      (is_constant(f) ? constants : others).push_back(f);
    if (!algebra::equal(algebra::multiply(others), t)) return false;
    b.push_back({c, algebra::multiply(constants)});
    return true;
  };
  if (e->op == Op::sum) {
    for (std::size_t i = 0; i < e->args.size(); ++i)
      if (!add(e->coefficients[i], e->args[i])) return std::nullopt;
    a.push_back({e->number, algebra::number(1)});
  } else if (!add(1, e)) {
    return std::nullopt;
  }
  return Affine{algebra::sum(a), algebra::sum(b)};
}

class PartReader {
 public:
  PartReader(Expr t, const Positive& positive) : t_(std::move(t)), positive_(positive) {}

  // log(a + b t) is read as -Σ (-b/a)^k t^k/k: its constant counts for t^0 only.
  [[nodiscard]] std::optional<Part> read(const Rational& coefficient, const Expr& e) const {
    Growth growth;
    Expr c = algebra::number(coefficient);
    bool taken = false;
    bool negative_b = false;
    Wave wave = Wave::none;
    for (const auto& f : factors_in(e, t_)) {
      if (is_constant(f)) {
        c = algebra::multiply(c, f);
        continue;
      }
      if (const auto n = exponent_of(f, t_)) {
        growth.s += static_cast<std::int64_t>(*n);
        continue;
      }
      const auto exponent = exponent_part(f);
      if (exponent) {
        if (taken && (growth.kind != Growth::Kind::exp || wave != Wave::none)) return std::nullopt;
        c = algebra::multiply(c, algebra::apply_function(Function::exp, exponent->a));
        growth.b = algebra::add(growth.b, exponent->b);
        taken = true;
        continue;
      }
      if (taken || !take(f, growth, c, wave)) return std::nullopt;
      taken = true;
    }
    if (!taken) return std::nullopt;
    const auto sign = constant_sign(growth.b);
    if (!sign || *sign == 0) return std::nullopt;
    if (*sign < 0) {
      growth.b = algebra::scale(-1, growth.b);
      negative_b = true;
    }
    Part part{growth, {}};
    for (std::int64_t k = 0; k < 4; ++k) {
      const std::int64_t j = ((k - growth.s) % 4 + 4) % 4;
      std::int64_t factor = negative_b && j % 2 == 1 ? -1 : 1;
      if (wave == Wave::cos) factor *= j == 0 ? 1 : j == 2 ? -1 : 0;
      if (wave == Wave::sin) factor *= j == 1 ? 1 : j == 3 ? -1 : 0;
      part.constants[static_cast<std::size_t>(k)] = algebra::scale(factor, c);
    }
    return part;
  }

 private:
  enum class Wave { none, cos, sin };

  // exp(a + b t), and c^(a + b t)
  [[nodiscard]] std::optional<Affine> exponent_part(const Expr& f) const {
    if (is_function(f, Function::exp)) return affine(f->args[0], t_);
    if (f->op != Op::power || is_number(f->args[1]) || !is_constant(f->args[0]) ||
        constant_sign(f->args[0]) != 1)
      return std::nullopt;
    auto arg = affine(f->args[1], t_);
    if (!arg) return std::nullopt;
    const Expr log = algebra::apply_function(Function::log, f->args[0]);
    return Affine{algebra::multiply(arg->a, log), algebra::multiply(arg->b, log)};
  }

  // |b t| < a at all values, for which that on the diagonal is enough (|b t| <= a for powers that
  // are defined only there, and have a sum at the ends).
  [[nodiscard]] bool converges(const Affine& base, bool at_ends) const {
    const auto sign = constant_sign(base.b);
    if (!sign) return false;
    if (*sign < 0 && at_ends) return true;
    const Expr size = *sign < 0 ? base.b : algebra::scale(-1, base.b);
    return positive_(algebra::add(base.a, algebra::multiply(size, t_)));
  }

  [[nodiscard]] bool take(const Expr& f, Growth& growth, Expr& c, Wave& wave) const {
    if (f->op == Op::power && is_number(f->args[1])) {
      const auto base = affine(f->args[0], t_);
      if (!base || constant_sign(base->a) != 1) return false;
      if (!converges(*base, f->args[1]->number.sign() > 0)) return false;
      growth.kind = Growth::Kind::power;
      growth.r = -f->args[1]->number;
      growth.b = algebra::scale(-1, algebra::divide(base->b, base->a));
      c = algebra::multiply(c, algebra::power(base->a, f->args[1]->number));
      return true;
    }
    if (f->op != Op::function) return false;
    const auto arg = affine(f->args[0], t_);
    if (!arg) return false;
    switch (f->fn) {
      case Function::log:
        if (constant_sign(arg->a) != 1 || !converges(*arg, false)) return false;
        growth.kind = Growth::Kind::log;
        growth.b = algebra::scale(-1, algebra::divide(arg->b, arg->a));
        c = algebra::scale(-1, c);
        return true;
      case Function::cos:
      case Function::sin:
        if (!is_number(arg->a, 0)) return false;
        wave = f->fn == Function::cos ? Wave::cos : Wave::sin;
        growth.b = arg->b;
        return true;
      default:
        return false;
    }
  }

  Expr t_;
  const Positive& positive_;
};

// The ratios of a are at least those of b, for all k >= from.
bool grows_faster(const Growth& a, const Growth& b, std::int64_t from) {
  const auto [p, q] = a.ratio();
  const auto [u, v] = b.ratio();
  const auto at = [&](const Growth::Linear& l) {
    return Growth::Linear{l.first + l.second * Rational(from), l.second};
  };
  const auto p1 = at(p);
  const auto q1 = at(q);
  const auto u1 = at(u);
  const auto v1 = at(v);
  if (q1.first.sign() <= 0 || v1.first.sign() <= 0) return false;
  // b_a (p0 + p1 m)(v0 + v1 m) - b_b (u0 + u1 m)(q0 + q1 m) >= 0 for m >= 0
  const std::array<std::pair<Rational, Rational>, 3> coefficients{{
      {p1.first * v1.first, u1.first * q1.first},
      {p1.first * v1.second + p1.second * v1.first, u1.first * q1.second + u1.second * q1.first},
      {p1.second * v1.second, u1.second * q1.second},
  }};
  return std::ranges::all_of(coefficients, [&](const auto& c) {
    return constant_is_nonnegative(algebra::sum({{c.first, a.b}, {-c.second, b.b}}))
        .value_or(false);
  });
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

// Σ of such parts and a polynomial: for each residue of k modulo 4, one part with a positive factor
// outgrows those with negative ones from some order on.
class Race {
 public:
  static std::optional<Race> read(const Expr& given, const Expr& t, const Positive& positive) {
    const Expr e = multiplied_out(without_hyperbolic(given));
    Race race;
    const PartReader reader(t, positive);
    const auto add = [&](const Rational& c, const Expr& term) {
      if (is_constant(term)) return true;
      if (const auto n = exponent_of(term, t)) {
        race.degree_ = std::max(race.degree_, static_cast<std::int64_t>(*n));
        return true;
      }
      auto part = reader.read(c, term);
      if (!part) return false;
      for (auto& known : race.parts_)
        if (known.growth == part->growth) {
          for (std::size_t i = 0; i < 4; ++i)
            known.constants[i] = algebra::add(known.constants[i], part->constants[i]);
          return true;
        }
      race.parts_.push_back(std::move(*part));
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

  // The order from which on nothing is negative; none where it is not found.
  [[nodiscard]] std::optional<std::int64_t> won_from() const {
    std::int64_t from = degree_ + 1;
    for (std::size_t residue = 0; residue < 4; ++residue) {
      const auto here = won_from(residue);
      if (!here) return std::nullopt;
      from = std::max(from, *here);
    }
    return from;
  }

 private:
  struct Runner {
    Growth growth;
    Expr c;
    bool in_favour;
  };

  [[nodiscard]] std::optional<std::int64_t> won_from(std::size_t residue) const {
    std::vector<Runner> runners;
    std::int64_t from = degree_ + 1;
    for (const auto& part : parts_) {
      const Expr& c = part.constants[residue];
      const auto sign = constant_sign(c);
      if (!sign) return std::nullopt;
      if (*sign == 0) continue;
      const std::int64_t first = part.growth.first();
      from = std::max(from, first);
      const bool up = *sign * part.growth.weight(first).sign() > 0;
      runners.push_back({part.growth, c, up});
    }
    if (std::ranges::all_of(runners, &Runner::in_favour)) return from;
    constexpr std::int64_t furthest = 120;
    for (const auto& lead : runners) {
      if (!lead.in_favour) continue;
      for (std::int64_t k = from; k <= furthest; k += 1 + k / 8) {
        const bool fastest = std::ranges::all_of(runners, [&](const Runner& r) {
          return r.in_favour || grows_faster(lead.growth, r.growth, k);
        });
        if (!fastest) continue;
        std::vector<algebra::Term> balance;
        for (const auto& r : runners)
          if (!r.in_favour || &r == &lead)
            balance.push_back(
                {r.growth.weight(k),
                 algebra::multiply(r.c, algebra::power(r.growth.b, Rational(k - r.growth.s)))});
        if (constant_is_nonnegative(algebra::sum(balance)) == true) return k;
      }
    }
    return std::nullopt;
  }

  std::int64_t degree_ = 0;
  std::vector<Part> parts_;
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
      by_form = form.is_half_of_arc(*flat, i) || add(flat->coefficients[i], flat->args[i]);
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
