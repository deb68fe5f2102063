#include "proof/point_value.hpp"

#include <arb_hypgeom.h>

#include <mercer/error.hpp>

namespace mercer::proof {

namespace {

using algebra::Function;
using algebra::Node;
using algebra::Op;
using algebra::Place;
using algebra::Side;

// Rational arithmetic; what leaves it is nullopt.
struct Exact {
  using Number = Rational;
  using Maybe = std::optional<Rational>;

  [[nodiscard]] static Number constant(const Rational& value) { return value; }
  [[nodiscard]] static Maybe pi() { return std::nullopt; }
  [[nodiscard]] static Number add(const Number& a, const Number& b) { return a + b; }
  [[nodiscard]] static Number multiply(const Number& a, const Number& b) { return a * b; }
  [[nodiscard]] static Maybe divide(const Number& a, const Number& b) {
    return b.is_zero() ? Maybe() : Maybe(a / b);
  }
  [[nodiscard]] static bool is_zero(const Number& a) { return a.is_zero(); }
  [[nodiscard]] static Maybe smaller(const Number& a, const Number& b) { return std::min(a, b); }
  [[nodiscard]] static Maybe larger(const Number& a, const Number& b) { return std::max(a, b); }

  [[nodiscard]] static Maybe raise(const Number& base, const Rational& r) {
    const auto n = r.to_int();
    if (n) {
      if (base.is_zero() && *n < 0) return std::nullopt;
      return power(base, *n);
    }
    if (base.sign() < 0 || (base.is_zero() && r.sign() < 0)) return std::nullopt;
    const auto up = r.numerator().to_int();
    const auto down = r.denominator().to_int();
    if (!up || !down) return std::nullopt;
    const auto root = exact_root(base, *down);
    return root ? power(*root, *up) : std::nullopt;
  }
  [[nodiscard]] static Maybe raise(const Number&, const Number&, int) { return std::nullopt; }

  [[nodiscard]] static Maybe apply(Function fn, const Number& a) {
    if (fn == Function::abs) return abs(a);
    if (a.is_zero()) {
      switch (fn) {
        case Function::exp:
        case Function::cos:
        case Function::cosh:
          return Rational(1);
        case Function::sin:
        case Function::sinh:
        case Function::tanh:
        case Function::asin:
          return Rational(0);
        default:
          return std::nullopt;
      }
    }
    if (fn == Function::log && a.is_one()) return Rational(0);
    return std::nullopt;
  }
  [[nodiscard]] static Maybe matern(const Rational&, const Number& squared) {
    return squared.is_zero() ? Maybe(Rational(1)) : std::nullopt;
  }
};

struct Balls {
  using Number = Ball;
  using Maybe = std::optional<Ball>;
  long precision;

  [[nodiscard]] Number constant(const Rational& value) const { return {value, precision}; }
  [[nodiscard]] Maybe pi() const { return Ball::pi(precision); }
  [[nodiscard]] static Number add(const Number& a, const Number& b) { return a + b; }
  [[nodiscard]] static Number multiply(const Number& a, const Number& b) { return a * b; }
  [[nodiscard]] static Maybe divide(const Number& a, const Number& b) {
    return b.is_nonzero() ? Maybe(a / b) : std::nullopt;
  }
  [[nodiscard]] static bool is_zero(const Number& a) { return a.is_zero(); }
  [[nodiscard]] static Maybe smaller(const Number& a, const Number& b) { return minimum(a, b); }
  [[nodiscard]] static Maybe larger(const Number& a, const Number& b) { return maximum(a, b); }

  [[nodiscard]] Maybe raise(const Number& base, const Rational& r) const {
    if (r.sign() < 0 && !base.is_nonzero()) return std::nullopt;
    if (const auto n = r.to_int()) {
      Ball result(precision);
      if (*n >= 0) {
        arb_pow_ui(result.get(), base.get(), static_cast<ulong>(*n), precision);
      } else {
        arb_pow_ui(result.get(), base.get(), static_cast<ulong>(-*n), precision);
        arb_inv(result.get(), result.get(), precision);
      }
      return finite(result);
    }
    if (r.is_integer()) return std::nullopt;
    if (base.is_zero()) return r.sign() > 0 ? Maybe(base) : std::nullopt;
    if (!base.is_nonnegative()) return std::nullopt;
    const Rational half = Rational(1) / Rational(2);
    if (r == half) return finite(base.map(arb_sqrt));
    if (!base.is_positive()) return std::nullopt;
    return finite(power(base, constant(r)));
  }
  [[nodiscard]] static Maybe raise(const Number& base, const Number& exponent, int) {
    return base.is_positive() ? finite(power(base, exponent)) : std::nullopt;
  }

  [[nodiscard]] static Maybe finite(const Ball& b) {
    return b.is_finite() ? Maybe(b) : std::nullopt;
  }

  [[nodiscard]] static Maybe apply(Function fn, const Number& a) {
    switch (fn) {
      case Function::exp:
        return finite(a.map(arb_exp));
      case Function::log:
        return a.is_positive() ? finite(a.map(arb_log)) : std::nullopt;
      case Function::cos:
        return finite(a.map(arb_cos));
      case Function::sin:
        return finite(a.map(arb_sin));
      case Function::cosh:
        return finite(a.map(arb_cosh));
      case Function::sinh:
        return finite(a.map(arb_sinh));
      case Function::tanh:
        return finite(a.map(arb_tanh));
      case Function::asin:
        return finite(a.map(arb_asin));  // not finite where |a| > 1 is possible
      case Function::abs: {
        Ball result(a);
        arb_abs(result.get(), a.get());
        return result;
      }
    }
    return std::nullopt;
  }

  // 2^(1-nu)/Γ(nu) t^nu K_nu(t) with t = sqrt(squared)
  [[nodiscard]] Maybe matern(const Rational& nu, const Number& squared) const {
    if (squared.is_zero()) return constant(1);
    if (!squared.is_positive()) return std::nullopt;
    const Ball order = constant(nu);
    const Ball t = squared.map(arb_sqrt);
    Ball k(precision);
    arb_hypgeom_bessel_k(k.get(), order.get(), t.get(), precision);
    const Ball scale = power(constant(2), constant(Rational(1) - nu)) * order.map(arb_rgamma);
    return finite(scale * power(t, order) * k);
  }
};

// Rational as long as each step is, so that the distance of a point to itself is 0 and not a ball
// around it; balls from there on.
struct Mixed {
  struct Number {
    std::optional<Rational> exact;
    std::optional<Ball> ball;  // where there is no exact value
  };
  using Maybe = std::optional<Number>;
  Balls balls;

  [[nodiscard]] Ball ball(const Number& a) const {
    return a.exact ? balls.constant(*a.exact) : *a.ball;
  }
  [[nodiscard]] static Maybe maybe(const std::optional<Ball>& b) {
    return b ? Maybe(Number{std::nullopt, *b}) : std::nullopt;
  }

  [[nodiscard]] static Number constant(const Rational& value) { return {value, std::nullopt}; }
  [[nodiscard]] Maybe pi() const { return maybe(balls.pi()); }
  [[nodiscard]] Number add(const Number& a, const Number& b) const {
    if (a.exact && b.exact) return {*a.exact + *b.exact, std::nullopt};
    return {std::nullopt, ball(a) + ball(b)};
  }
  [[nodiscard]] Number multiply(const Number& a, const Number& b) const {
    if (a.exact && b.exact) return {*a.exact * *b.exact, std::nullopt};
    if (is_zero(a)) return a;
    if (is_zero(b)) return b;
    return {std::nullopt, ball(a) * ball(b)};
  }
  [[nodiscard]] Maybe divide(const Number& a, const Number& b) const {
    if (a.exact && b.exact) {
      const auto exact = Exact::divide(*a.exact, *b.exact);
      return exact ? Maybe(Number{*exact, std::nullopt}) : std::nullopt;
    }
    return maybe(Balls::divide(ball(a), ball(b)));
  }
  [[nodiscard]] static bool is_zero(const Number& a) {
    return a.exact ? a.exact->is_zero() : a.ball->is_zero();
  }
  [[nodiscard]] Maybe smaller(const Number& a, const Number& b) const {
    if (a.exact && b.exact) return *a.exact <= *b.exact ? a : b;
    return maybe(Balls::smaller(ball(a), ball(b)));
  }
  [[nodiscard]] Maybe larger(const Number& a, const Number& b) const {
    if (a.exact && b.exact) return *a.exact >= *b.exact ? a : b;
    return maybe(Balls::larger(ball(a), ball(b)));
  }
  [[nodiscard]] Maybe raise(const Number& base, const Rational& r) const {
    if (base.exact)
      if (auto exact = Exact::raise(*base.exact, r)) return Number{std::move(exact), std::nullopt};
    return maybe(balls.raise(ball(base), r));
  }
  [[nodiscard]] Maybe raise(const Number& base, const Number& exponent, int) const {
    return maybe(Balls::raise(ball(base), ball(exponent), 0));
  }
  [[nodiscard]] Maybe apply(Function fn, const Number& a) const {
    if (a.exact)
      if (auto exact = Exact::apply(fn, *a.exact)) return Number{std::move(exact), std::nullopt};
    return maybe(Balls::apply(fn, ball(a)));
  }
  [[nodiscard]] Maybe matern(const Rational& nu, const Number& squared) const {
    if (is_zero(squared)) return constant(1);
    return maybe(balls.matern(nu, ball(squared)));
  }
};

template <class Arithmetic>
class Evaluator {
 public:
  using Number = typename Arithmetic::Number;
  using Maybe = std::optional<Number>;

  Evaluator(Arithmetic arithmetic, const Point& x, const Point& z)
      : with_(arithmetic), x_(&x), z_(&z) {}

  Maybe run(const Expr& e) {
    switch (e->op) {
      case Op::number:
        return with_.constant(e->number);
      case Op::pi:
        return with_.pi();
      case Op::coordinate:
        return coordinate(*e);
      case Op::sum: {
        Number total = with_.constant(e->number);
        for (std::size_t i = 0; i < e->args.size(); ++i) {
          const Maybe term = run(e->args[i]);
          if (!term) return std::nullopt;
          total = with_.add(total, with_.multiply(with_.constant(e->coefficients[i]), *term));
        }
        return total;
      }
      case Op::product: {
        Number total = with_.constant(1);
        for (const auto& arg : e->args) {
          const Maybe factor = run(arg);
          if (!factor) return std::nullopt;
          total = with_.multiply(total, *factor);
        }
        return total;
      }
      case Op::power: {
        const Maybe base = run(e->args[0]);
        if (!base) return std::nullopt;
        if (is_number(e->args[1])) return with_.raise(*base, e->args[1]->number);
        const Maybe exponent = run(e->args[1]);
        return exponent ? with_.raise(*base, *exponent, 0) : std::nullopt;
      }
      case Op::function: {
        const Maybe arg = run(e->args[0]);
        return arg ? with_.apply(e->fn, *arg) : std::nullopt;
      }
      case Op::minimum:
      case Op::maximum: {
        Maybe best = run(e->args[0]);
        for (std::size_t i = 1; best && i < e->args.size(); ++i) {
          const Maybe next = run(e->args[i]);
          if (!next) return std::nullopt;
          best = e->op == Op::minimum ? with_.smaller(*best, *next) : with_.larger(*best, *next);
        }
        return best;
      }
      case Op::sum_over:
      case Op::product_over:
      case Op::symmetric_over:
        return reduction(*e);
      case Op::normalize:
        return normalized(e->args[0]);
      case Op::chi: {
        Maybe a = run(e->args[0]);
        const Maybe b = run(e->args[1]);
        if (!a || !b) return std::nullopt;
        if (with_.is_zero(*a) && with_.is_zero(*b)) return a;
        const Number difference = with_.add(*a, with_.multiply(with_.constant(-1), *b));
        return with_.divide(with_.multiply(difference, difference), with_.add(*a, *b));
      }
      case Op::matern: {
        const Maybe squared = run(e->args[0]);
        return squared ? with_.matern(e->number, *squared) : std::nullopt;
      }
      case Op::user:
      case Op::precomputed:
      case Op::open_call:
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  Maybe coordinate(const Node& n) {
    if (n.columns.has_names()) return std::nullopt;
    const Point& point = n.side == Side::x ? *x_ : *z_;
    const std::size_t index = n.place == Place::bound  ? at_[at_.size() - 1 - n.index]
                              : n.place == Place::only ? 0
                                                       : n.index - 1;
    return with_.constant(point[index]);
  }

  Maybe reduction(const Node& n) {
    if (n.columns.has_names()) return std::nullopt;
    std::vector<Number> sums{with_.constant(n.op == Op::sum_over ? 0 : 1)};
    bool good = true;
    at_.push_back(0);
    for (const auto& range : n.columns.ranges(static_cast<std::uint32_t>(x_->size()))) {
      for (std::size_t i = range.first; good && i <= range.last; ++i) {
        at_.back() = i - 1;
        const Maybe body = run(n.args[0]);
        good = body.has_value();
        if (!good) break;
        if (n.op == Op::sum_over) {
          sums[0] = with_.add(sums[0], *body);
        } else if (n.op == Op::product_over) {
          sums[0] = with_.multiply(sums[0], *body);
        } else {
          if (sums.size() <= n.degree) sums.push_back(with_.constant(0));
          for (std::size_t j = sums.size() - 1; j > 0; --j)
            sums[j] = with_.add(sums[j], with_.multiply(sums[j - 1], *body));
        }
      }
    }
    at_.pop_back();
    if (!good) return std::nullopt;
    if (n.op != Op::symmetric_over) return sums[0];
    return n.degree < sums.size() ? sums[n.degree] : with_.constant(0);
  }

  Maybe normalized(const Expr& k) {
    Evaluator at_x(*this);
    at_x.z_ = x_;
    Evaluator at_z(*this);
    at_z.x_ = z_;
    Maybe xx = at_x.run(k);
    Maybe zz = at_z.run(k);
    if (!xx || !zz) return std::nullopt;
    if (with_.is_zero(*xx)) return xx;
    if (with_.is_zero(*zz)) return zz;
    const Maybe value = run(k);
    const Rational minus_half = Rational(-1) / Rational(2);
    const Maybe scale = with_.raise(with_.multiply(*xx, *zz), minus_half);
    if (!value || !scale) return std::nullopt;
    return with_.multiply(*value, *scale);
  }

  Arithmetic with_;
  const Point* x_;
  const Point* z_;
  std::vector<std::size_t> at_;
};

}  // namespace

std::optional<Rational> exact_value(const Expr& e, const Point& x, const Point& z) {
  try {
    return Evaluator<Exact>(Exact(), x, z).run(e);
  } catch (const Error&) {
    return std::nullopt;  // numbers too large
  }
}

std::optional<Ball> ball_value(const Expr& e, const Point& x, const Point& z, long precision) {
  try {
    const Mixed mixed{Balls{precision}};
    const auto value = Evaluator<Mixed>(mixed, x, z).run(e);
    return value ? std::optional<Ball>(mixed.ball(*value)) : std::nullopt;
  } catch (const Error&) {
    return Evaluator<Balls>(Balls{precision}, x, z).run(e);  // numbers too large to stay exact
  }
}

}  // namespace mercer::proof
