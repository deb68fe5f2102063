#include "proof/monotone.hpp"

#include "kernel/defined.hpp"

namespace mercer::proof {

namespace {

using algebra::Expr;
using algebra::Function;
using algebra::is_number;
using algebra::Op;

Trend reversed(Trend t) {
  if (t == Trend::rising) return Trend::falling;
  return t == Trend::falling ? Trend::rising : t;
}

Trend together(Trend a, Trend b) {  // of a sum
  if (a == Trend::constant) return b;
  if (b == Trend::constant) return a;
  return a == b ? a : Trend::unknown;
}

}  // namespace

Trend trend_in(const Expr& e, const Expr& part, const Domain& domain) {
  if (algebra::equal(e, part)) return Trend::rising;
  if (!e->uses_x && !e->uses_z) return Trend::constant;
  const auto of = [&](const Expr& arg) { return trend_in(arg, part, domain); };
  const auto range = [&](const Expr& arg) { return algebra::range_on(arg, domain); };
  switch (e->op) {
    case Op::sum: {
      Trend total = Trend::constant;
      for (std::size_t i = 0; i < e->args.size(); ++i) {
        const Trend t = of(e->args[i]);
        total = together(total, e->coefficients[i].sign() < 0 ? reversed(t) : t);
      }
      return total;
    }
    case Op::product: {  // of factors that are not negative
      Trend total = Trend::constant;
      for (const auto& arg : e->args) {
        if (!arg->nonnegative && !range(arg).nonnegative()) return Trend::unknown;
        total = together(total, of(arg));
      }
      return total;
    }
    case Op::power: {
      if (!is_number(e->args[1])) return Trend::unknown;
      const Rational& r = e->args[1]->number;
      const Trend t = of(e->args[0]);
      const auto base = range(e->args[0]);
      const bool odd = r.is_integer() && !r.is_even();
      if (base.nonnegative() || e->args[0]->nonnegative) return r.sign() < 0 ? reversed(t) : t;
      if (odd && r.sign() > 0) return t;
      if (base.negative() && r.is_integer()) {
        const bool up = odd == (r.sign() > 0);
        return up ? t : reversed(t);
      }
      return Trend::unknown;
    }
    case Op::function: {
      const Trend t = of(e->args[0]);
      const auto arg = range(e->args[0]);
      switch (e->fn) {
        case Function::exp:
        case Function::log:
        case Function::sinh:
        case Function::tanh:
        case Function::asin:
          return t;
        case Function::cosh:
        case Function::abs:
          if (arg.nonnegative()) return t;
          return arg.negative() ? reversed(t) : Trend::unknown;
        default:
          return Trend::unknown;
      }
    }
    case Op::minimum:
    case Op::maximum: {
      Trend total = Trend::constant;
      for (const auto& a : e->args) total = together(total, of(a));
      return total;
    }
    default:
      return Trend::unknown;
  }
}

}  // namespace mercer::proof
